/**
 * Fails on private words, on phrases that are not plain English, on British spellings, and on calls
 * that a variable names `of`. cspell checks single words by `.config/cspell.json`; this script
 * checks what more than one word makes, also across the lines of a comment.
 */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
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
    new RegExp(
      `(?<!Un(?=recognised padding mode)|_(un)?(?=initialised_state|specialise[ds]: ))(${STEMS})is(e[ds]?|ers?|ing|ations?)(?![a-z])`,
      "gi",
    ),
    "American spelling: -ize",
  ],
  [/(behavi|col|fav|flav|hon|neighb)our/gi, "American spelling: -or"],
  [/analys(e|ed|ing)(?![a-z])/gi, "American spelling: analyze"],
  [/\b(wayOf|waysToRun)\b/g, "support"],
  [/\b(centre|catalogue|grey|judgement|whilst|burnt|(mis)?spelt|towards)\b/gi, "American spelling"],
  [/\b\w*(cancel|label|model|signal|travel|level)l(ed|ing)\b/gi, "American spelling: one l"],
  [/\bof\s+(its|their)\s+own\b(?!\s+\w)/gi, "its own ..., separate"],
  [/\bis\s+none\s+of\b/gi, "is not one of"],
  [/\b(whoever|somebody|nobody)\b(?!\.)/gi, "name what it is: a caller, a reader, nothing"],
  [/\bst(and|ands|ood|anding)\s+for\b/gi, "represent"],
  [/\b(the|a|an|each|every)\s+graphs?\s+around\b/gi, "the enclosing graph"],
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
  if (/\.(tsx?|mjs|md)$/.test(place)) return [place];
  return readdirSync(join(ROOT, place), { withFileTypes: true }).flatMap((entry) => {
    const path = `${place}/${entry.name}`;
    if (entry.isDirectory()) return GENERATED.has(entry.name) ? [] : filesIn(path);
    return /\.(tsx?|mjs|md)$/.test(path) ? [path] : [];
  });
}

const { flagWords } = JSON.parse(readFileSync(join(ROOT, ".config", "cspell.json"), "utf8"));
const flagged = flagWords.map((entry) => entry.split("->")[0]);
const anyCase = (word) => word.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
/**
 * Matches wherever cspell may find a flagged word: everywhere but between two lowercase letters,
 * where it splits words only after an escape (`\n`). cspell takes 20 ms for a file, so it gets
 * only the files that match.
 */
const MAY_BE_FLAGGED = new RegExp(
  `(?<!(?<!\\\\)[a-z](?=[a-z]))(?:${flagged.map(anyCase).join("|")})(?!(?<=[a-z])[a-z])`,
);

const problems = [];
/** Files for cspell. */
const suspects = [];
for (const file of CHECKED.flatMap(filesIn)) {
  const source = readFileSync(join(ROOT, file), "utf8");
  if (MAY_BE_FLAGGED.test(source)) suspects.push(file);
  const text = unmarked(source);
  for (const [phrase, instead] of PHRASES)
    for (const { 0: found, index } of text.matchAll(phrase)) {
      const line = text.slice(0, index).split("\n").length;
      problems.push(`${file}:${line}: "${found.replace(/\s+/g, " ")}" (${instead})`);
    }
}
for (const problem of problems) console.error(problem);

if (suspects.length > 0) {
  const cspell = join(ROOT, "node_modules", "cspell", "bin.mjs");
  const options = ["--config", ".config/cspell.json", "--no-progress", "--no-summary"];
  const { status } = spawnSync(process.execPath, [cspell, "lint", ...options, "--file-list", "stdin"], {
    cwd: ROOT,
    input: suspects.join("\n"),
    stdio: ["pipe", "inherit", "inherit"],
  });
  if (status !== 0) process.exitCode = 1;
}
if (problems.length > 0) process.exitCode = 1;
