/**
 * Wraps comments at 100 columns, as `npm run format` does; `--check` reports what is longer, as
 * `npm run lint` does. Only paragraphs with a longer line are filled anew. Lists, tags, tables and
 * code in comments keep their form.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const WIDTH = 100;
const ROOT = fileURLToPath(new URL("..", import.meta.url));
const GENERATED = new Set(["node_modules", "dist", ".turbo", "fixtures"]);
const GENERATED_TYPES =
  /^packages\/torch\/src\/(functions|nn)\/((function|method|functional)-types|api-cases\.fixture)\.ts$/;
const PLACES = ["packages", "examples", ".config"];

function sourcesIn(place) {
  return readdirSync(join(ROOT, place), { withFileTypes: true }).flatMap((entry) => {
    const path = `${place}/${entry.name}`;
    if (entry.isDirectory()) return GENERATED.has(entry.name) ? [] : sourcesIn(path);
    return /\.(ts|mjs)$/.test(path) && !GENERATED_TYPES.test(path) ? [path] : [];
  });
}

/** Words that stay together: links, short code spans, and the rest by spaces. */
const wordsOf = (text) => text.match(/[^\s`{]*(?:\{@\w+[^}]*\}|`[^`]{0,60}`)[^\s`{]*|\S+/g) ?? [];

/** Lines of the words, the first after `first`, the others after `rest`. */
function filled(words, first, rest) {
  const lines = [];
  let line = first;
  let isEmpty = true;
  for (const word of words) {
    if (!isEmpty && line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = rest + word;
    } else {
      line += isEmpty ? word : ` ${word}`;
    }
    isEmpty = false;
  }
  return [...lines, line];
}

const STARTS = /^(?:[-*] |\d+\. |@\w)/;

/** Wraps the lines of one comment, given without their marks; `mark` is what each begins with. */
function wrapped(texts, mark) {
  const lines = [];
  let isCode = false;
  for (let at = 0; at < texts.length; ) {
    const text = texts[at];
    if (text.trim().startsWith("```")) isCode = !isCode;
    if (isCode || text.trim() === "" || /^\s*(?:\||```|biome-|@ts-)/.test(text)) {
      lines.push((mark + text).trimEnd());
      at++;
      continue;
    }
    const indent = text.match(/^\s*/)[0];
    const start = text.trim().match(STARTS)?.[0] ?? "";
    const hanging = indent + (/^(?:[-*]|\d)/.test(start) ? " ".repeat(start.length) : "");
    let end = at + 1;
    while (
      end < texts.length &&
      texts[end].trim() !== "" &&
      !STARTS.test(texts[end].trim()) &&
      !/^\s*(?:\||```|biome-|@ts-)/.test(texts[end]) &&
      texts[end].match(/^\s*/)[0] === hanging
    )
      end++;
    const paragraph = texts.slice(at, end);
    if (paragraph.some((line) => mark.length + line.trimEnd().length > WIDTH)) {
      const words = wordsOf(paragraph.map((line) => line.trim()).join(" "));
      lines.push(...filled(words, mark + indent, mark + hanging));
    } else lines.push(...paragraph.map((line) => (mark + line).trimEnd()));
    at = end;
  }
  return lines;
}

/** The file with long comments wrapped. */
function wrapFile(source) {
  const lines = source.split("\n");
  const out = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at];
    const single = /^(\s*)\/\*\* (.*) \*\/$/.exec(line);
    const opening = /^(\s*)\/\*\*(.*)$/.exec(line);
    const slashes = /^(\s*)\/\/ (.*)$/.exec(line);
    if (single !== null && line.length > WIDTH) {
      const [, indent, text] = single;
      out.push(`${indent}/**`, ...wrapped([text], `${indent} * `), `${indent} */`);
      at++;
    } else if (opening !== null && single === null && !line.includes("*/")) {
      at = wrapBlock(lines, at, opening, out);
    } else if (slashes !== null) {
      const indent = slashes[1];
      const texts = [];
      for (; at < lines.length && lines[at].startsWith(`${indent}// `); at++)
        texts.push(lines[at].slice(indent.length + 3));
      out.push(...wrapped(texts, `${indent}// `));
    } else {
      out.push(line);
      at++;
    }
  }
  return out.join("\n");
}

/** Adds the block comment that opens at a line; gives the line after it. */
function wrapBlock(lines, start, [, indent, rest], out) {
  const texts = rest.trim() === "" ? [] : [rest.trim()];
  let at = start + 1;
  for (; at < lines.length && !lines[at].includes("*/"); at++)
    texts.push(lines[at].slice(indent.length).replace(/^ \* ?/, ""));
  const last = (lines[at] ?? "").replace(/\s*\*\/\s*$/, "").replace(/^\s*\* ?/, "");
  if (last.trim() !== "") texts.push(last);
  const block = lines.slice(start, at + 1);
  if (block.every((line) => line.length <= WIDTH)) out.push(...block);
  else out.push(`${indent}/**`, ...wrapped(texts, `${indent} * `), `${indent} */`);
  return at + 1;
}

const isCheck = process.argv.includes("--check");
let problems = 0;
for (const file of PLACES.flatMap(sourcesIn)) {
  const source = readFileSync(join(ROOT, file), "utf8");
  const next = wrapFile(source);
  if (next === source) continue;
  if (!isCheck) writeFileSync(join(ROOT, file), next);
  else {
    console.error(`${file}: a comment is wider than ${WIDTH} columns (npm run format wraps it)`);
    problems++;
  }
}
if (problems > 0) process.exitCode = 1;
