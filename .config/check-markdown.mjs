/**
 * Checks the Markdown of the repository: lines of at most 100 columns, sentences of at most 25
 * words, links, anchors and paths that exist, and an index that lists every page. `--write` wraps
 * the prose.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { normalized, ROOT } from "./paths.mjs";

const COLUMNS = 100;
const WORDS = 25;

/** Pages that a script writes, or that describe recorded files. */
const GENERATED =
  /^(docs\/reference\/(capabilities|exportdb|lowerings|operators)\.md|packages\/testing\/fixtures\/)/;

const list = (...patterns) =>
  execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", ...patterns], {
    cwd: ROOT,
    encoding: "utf8",
  })
    .split("\n")
    .filter((file) => file !== "" && existsSync(join(ROOT, file)));
const read = (file) => readFileSync(join(ROOT, file), "utf8");

/**
 * Parts of a page: `prose` (paragraphs and list items), `table` rows, headings, code. Each with its
 * lines.
 */
function partsOf(text) {
  const parts = [];
  let fence;
  const lines = text.split("\n");
  // The front matter of a changeset.
  const start = lines[0] === "---" ? lines.indexOf("---", 1) + 1 : 0;
  for (const [at, line] of lines.entries()) {
    const last = parts.at(-1);
    const isCode = at < start || fence !== undefined || /^\s*```/.test(line);
    const kind = isCode ? "code" : kindOf(line);
    if (/^\s*```/.test(line)) fence = fence === undefined ? line : undefined;
    const continues = kind === "prose" && last?.kind === "prose" && !/^\s*([-*]|\d+\.)\s/.test(line);
    if (continues) last.lines.push(line);
    else parts.push({ kind, at: at + 1, lines: [line] });
  }
  return parts;
}

const kindOf = (line) => {
  if (line.trim() === "") return "blank";
  if (/^#/.test(line)) return "heading";
  if (/^\s*\|/.test(line)) return "table";
  return /^(<|>)/.test(line) ? "other" : "prose";
};

/**
 * Words, with code and what follows it without a space in one piece; marks that would start a list
 * stay behind a word.
 */
function piecesOf(text) {
  const pieces = [];
  for (const [piece] of text.matchAll(/(?:`[^`]*`|[^\s`])+/g)) {
    if (pieces.length > 0 && /^([-+*>|]|#+|\d+[.)])$/.test(piece)) pieces.push(`${pieces.pop()} ${piece}`);
    else pieces.push(piece);
  }
  return pieces;
}

function wrapped({ kind, lines }) {
  if (kind !== "prose") return lines;
  const [mark] = /^\s*(([-*]|\d+\.)\s+)?/.exec(lines[0]);
  const out = [];
  let line = mark;
  for (const piece of piecesOf(lines.join("\n").slice(mark.length))) {
    if (line.trim() !== "" && line !== mark && line.length + 1 + piece.length > COLUMNS) {
      out.push(line);
      line = " ".repeat(mark.length);
    }
    line += line === mark || line.trim() === "" ? piece : ` ${piece}`;
  }
  return [...out, line];
}

/** Sentences of a text; code does not count as words, and links count as their text. */
function sentencesOf(text) {
  return text
    .replace(/`[^`]*`/g, "`")
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .split(/(?<=[.!?:][*)"]*)\s+/);
}
const wordsIn = (sentence) => sentence.split(/\s+/).filter((word) => /[a-z]/i.test(word.replace("`", "")));

const problems = [];
function checkProse(file, part) {
  const texts = part.kind === "table" ? part.lines[0].split(/(?<!\\)\|/) : [part.lines.join("\n")];
  for (const sentence of texts.flatMap(sentencesOf)) {
    const count = wordsIn(sentence).length;
    const start = sentence.replace(/\s+/g, " ").slice(0, 50);
    if (count > WORDS) problems.push(`${file}:${part.at}: a sentence of ${count} words: "${start} ..."`);
    if (part.kind === "prose" && sentence.split(";").length > 2)
      problems.push(`${file}:${part.at}: a chain of semicolons: "${start} ..."`);
  }
  if (part.kind !== "prose") return;
  part.lines.forEach((line, i) => {
    if (line.length > COLUMNS && piecesOf(line).length > 1)
      problems.push(`${file}:${part.at + i}: ${line.length} columns; npm run format wraps the text`);
  });
}

/**
 * Paths of the repository that a text names: `packages/ops/src/families`. Those with a placeholder
 * in capitals are skipped.
 */
function checkPaths(file, part) {
  if (part.kind === "code") return;
  for (const [, path] of part.lines
    .join("\n")
    .matchAll(/`((?:packages|docs|examples|\.config|\.github)\/[\w./-]+)`/g))
    if (!/\b[A-Z]{3,}\b|\bdist\b/.test(path.replace("README", "")) && !existsSync(join(ROOT, path)))
      problems.push(`${file}:${part.at}: ${path} does not exist`);
}

/** Anchors of a page as GitHub makes them. */
const anchors = new Map();
function anchorsOf(file) {
  if (!anchors.has(file)) {
    const headings = partsOf(read(file)).filter(({ kind }) => kind === "heading");
    const slugs = headings.map(({ lines: [line] }) =>
      line
        .replace(/^#+\s+/, "")
        .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-"),
    );
    const named = [...read(file).matchAll(/<a (?:id|name)="([^"]+)">/g)].map(([, name]) => name);
    anchors.set(file, new Set([...slugs, ...named]));
  }
  return anchors.get(file);
}

function checkLink(place, file, anchor) {
  if (!existsSync(join(ROOT, file))) problems.push(`${place}: ${file} does not exist`);
  else if (anchor !== undefined && file.endsWith(".md") && !anchorsOf(file).has(anchor))
    problems.push(`${place}: ${file} has no heading or anchor #${anchor}`);
}

function checkLinks(file, part) {
  if (part.kind === "code") return;
  for (const [, target] of part.lines
    .join("\n")
    .replace(/`[^`]*`/g, "`")
    .matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^[a-z]+:/.test(target)) continue;
    const [path, anchor] = target.split("#");
    checkLink(`${file}:${part.at}`, path === "" ? file : normalized(join(dirname(file), path)), anchor);
  }
}

const pages = list("*.md").filter((file) => !file.startsWith("packages/testing/fixtures/"));
if (process.argv.includes("--write")) {
  for (const file of pages.filter((page) => !GENERATED.test(page))) {
    const parts = partsOf(read(file));
    const text = parts.flatMap(wrapped).join("\n");
    if (text !== read(file)) writeFileSync(join(ROOT, file), text);
  }
}
for (const file of pages)
  for (const part of partsOf(read(file))) {
    checkLinks(file, part);
    checkPaths(file, part);
    const isProse = part.kind === "prose" || part.kind === "table";
    if (isProse && !GENERATED.test(file)) checkProse(file, part);
  }

/** Pages that sources and messages name. */
const isTest = (file) => /\.(test|fixture)\.ts$/.test(file);
for (const file of list("packages/*/src/*.ts", "examples/*.ts").filter((source) => !isTest(source)))
  for (const [, page, , anchor] of read(file).matchAll(/\b(docs\/[\w/-]+\.md)(#([\w-]+))?/g))
    checkLink(file, page, anchor);

for (const index of ["docs/README.md", "llms.txt"]) {
  const text = read(index);
  for (const file of pages.filter((page) => page.startsWith("docs/") && page !== "docs/README.md")) {
    const link = index.startsWith("docs/") ? file.slice("docs/".length) : file;
    if (!text.includes(`(${link})`)) problems.push(`${index}: lists no link to ${file}`);
  }
}

for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
