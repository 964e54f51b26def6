/**
 * Fails on private words, on phrases that are not plain English, on British spellings, and on calls
 * that a variable names `of`. cspell checks single words by `.config/cspell.json`; this script
 * checks what more than one word makes, also across the lines of a comment.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT } from "./paths.mjs";

/** Folders and files that are checked. */
const CHECKED = [".github", "README.md", "docs", "examples", "packages"];
const GENERATED = new Set(["node_modules", "dist", ".turbo", "fixtures"]);

const STEMS =
  "categor|canonical|character|custom|emphas|equal|factor|final|functional|general|initial|linear|local|material|maxim|" +
  "minim|neutral|normal|optim|organ|parameter|quant|real|recogn|serial|special|stabil|standard|summar|symbol|synchron|" +
  "token|util|vector|visual";
const COMPARED =
  "better|earlier|faster|fewer|greater|larger|later|less|longer|more|other|slower|smaller|sooner|worse";

/** Each with what to write instead. */
const PHRASES = [
  [
    new RegExp(`(?<!\\bthere\\s+)\\b(is|are|was|were|be)\\s+no\\s+(?!(${COMPARED})\\b)\\w+`, "gi"),
    "is not a ...",
  ],
  [/\b(of|with) one's own\b/gi, "your own, custom"],
  [/\bby\s+what\b/gi, "name the thing: backend support, the kind, the criterion"],
  [
    new RegExp(`(?<!Un(?=recognised padding mode))(${STEMS})is(e[ds]?|ers?|ing|ations?)(?![a-z])`, "gi"),
    "American spelling: -ize",
  ],
  [/(behavi|col|fav|flav|hon|neighb)our/gi, "American spelling: -or"],
  [/analys(e|ed|ing)(?![a-z])/gi, "American spelling: analyze"],
  [/\b(wayOf|waysToRun)\b/g, "support"],
  [/\b(centre|catalogue|grey|judgement|whilst|burnt|(mis)?spelt|towards)\b/gi, "American spelling"],
  [/\b\w*(cancel|label|model|signal|travel|level)l(ed|ing)\b/gi, "American spelling: one l"],
  [/\bof\s+(its|their)\s+own\b(?!\s+\w)/gi, "its own ..., separate"],
  [/\bis\s+none\s+of\b/gi, "is not one of"],
  [
    /\b(const|let) of\b|(?<![\w.]|readonly |one )of\??: ([A-Z]\w*[,);]|typeof\b|keyof\b|unknown\b|\(\w*:)|(?<=[{(,] ?)\bof(?=[,)}])|(?<![\w.-])of\??\.[a-z]\w*/g,
    "call",
  ],
];

/** The text with the marks of comment lines blank, so that sentences go on over lines. */
const unmarked = (text) =>
  text.replace(/\n[ \t]*(\*(?!\/)|\/\/)/g, (mark) => `\n${" ".repeat(mark.length - 1)}`);

/** Texts of a place: sources and pages. */
function filesIn(place) {
  if (/\.(ts|mjs|md)$/.test(place)) return [place];
  return readdirSync(join(ROOT, place), { withFileTypes: true }).flatMap((entry) => {
    const path = `${place}/${entry.name}`;
    if (entry.isDirectory()) return GENERATED.has(entry.name) ? [] : filesIn(path);
    return /\.(ts|mjs|md)$/.test(path) ? [path] : [];
  });
}

const files = CHECKED.flatMap(filesIn);
const problems = [];
for (const file of files) {
  const text = unmarked(readFileSync(join(ROOT, file), "utf8"));
  for (const [phrase, instead] of PHRASES)
    for (const { 0: found, index } of text.matchAll(phrase)) {
      const line = text.slice(0, index).split("\n").length;
      problems.push(`${file}:${line}: "${found.replace(/\s+/g, " ")}" (${instead})`);
    }
}
for (const problem of problems) console.error(problem);

/**
 * Hashes of files that cspell found clean: its own cache forgets the problems of files it knows.
 */
const CACHE = join(ROOT, "node_modules", ".cache", "words.json");
const known = new Set(existsSync(CACHE) ? JSON.parse(readFileSync(CACHE, "utf8")) : []);
const config = readFileSync(join(ROOT, ".config", "cspell.json"));
const hashOf = (file) =>
  createHash("sha256")
    .update(config)
    .update(readFileSync(join(ROOT, file)))
    .digest("base64");
const hashes = new Map(files.map((file) => [file, hashOf(file)]));
const changed = files.filter((file) => !known.has(hashes.get(file)));

if (changed.length > 0) {
  const cspell = join(ROOT, "node_modules", "cspell", "bin.mjs");
  const options = ["--config", ".config/cspell.json", "--no-progress", "--no-summary"];
  const { status } = spawnSync(process.execPath, [cspell, "lint", ...options, "--file-list", "stdin"], {
    cwd: ROOT,
    input: changed.join("\n"),
    stdio: ["pipe", "inherit", "inherit"],
  });
  if (status !== 0) process.exitCode = 1;
  else {
    mkdirSync(dirname(CACHE), { recursive: true });
    writeFileSync(CACHE, JSON.stringify([...hashes.values()]));
  }
}
if (problems.length > 0) process.exitCode = 1;
