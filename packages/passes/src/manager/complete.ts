/** @file What may follow in a pipeline that is being typed. */
import { wordsOf } from "../options/bind.js";
import type { OptionSession, OptionSpec } from "../options/spec.js";
import type { Pass } from "../pass/pass.js";

const REPEAT: Readonly<Record<string, OptionSpec>> = { max: { default: 10, doc: "most rounds" } };

/**
 * Continuations of an unfinished pipeline, each the whole text with one more word: names of passes,
 * options in braces, and the values that they take.
 */
export function completePipeline(
  text: string,
  passes: ReadonlyMap<string, Pass>,
  session: OptionSession = {},
): string[] {
  const open = openBrace(text);
  if (open === undefined) {
    const start = Math.max(text.lastIndexOf(","), text.lastIndexOf("(")) + 1;
    return matching(text, start, [...passes.keys(), "repeat("]);
  }
  const name = /([\w-]+)\s*$/.exec(text.slice(0, open))?.[1] ?? "";
  const options = name === "repeat" ? REPEAT : (passes.get(name)?.options ?? {});
  const starts = itemStarts(text, open + 1);
  const start = starts.at(-1)!;
  const given = text.slice(start);
  const equals = given.indexOf("=");
  if (equals === -1) {
    const used = new Set(starts.slice(0, -1).map((at) => /[\w-]+/.exec(text.slice(at))?.[0]));
    const names = Object.keys(options).filter((option) => !used.has(option));
    return matching(
      text,
      start,
      names.map((option) => `${option}=`),
    );
  }
  const option = given.slice(0, equals).trim();
  const spec = Object.hasOwn(options, option) ? options[option] : undefined;
  return spec === undefined ? [] : values(text, start + equals + 1, spec, session);
}

function values(text: string, start: number, spec: OptionSpec, session: OptionSession): string[] {
  const words = wordsOf(spec, session);
  if (!Array.isArray(spec.default)) return matching(text, start, words);
  const bracket = text.slice(start).trimStart();
  if (bracket === "") return [`${text}[`];
  if (!bracket.startsWith("[") || bracket.endsWith("]")) return [];
  const items = text.slice(text.indexOf("[", start) + 1).split(",");
  const used = new Set(items.slice(0, -1).map((item) => item.trim()));
  return matching(
    text,
    text.length - items.at(-1)!.length,
    words.filter((word) => !used.has(word)),
  );
}

/** Place of the brace whose options are being typed, if any. */
function openBrace(text: string): number | undefined {
  const at = text.lastIndexOf("{");
  return at > text.lastIndexOf("}") ? at : undefined;
}

/** Where the options begin that stand between commas outside of lists. */
function itemStarts(text: string, from: number): number[] {
  const starts = [from];
  let depth = 0;
  for (let i = from; i < text.length; i++) {
    if (text[i] === "[") depth++;
    else if (text[i] === "]") depth--;
    else if (text[i] === "," && depth === 0) starts.push(i + 1);
  }
  return starts;
}

function matching(text: string, start: number, words: readonly string[]): string[] {
  const typed = text.slice(start).trimStart();
  return words.filter((word) => word.startsWith(typed)).map((word) => text.slice(0, start) + word);
}
