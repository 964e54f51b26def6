/** @file What may follow in a pipeline that is being typed. */
import type { Pass } from "./pass.js";

/**
 * Continuations of an unfinished pipeline, each the whole text with one more word: names of passes, options in braces,
 * their values where there are few.
 */
export function completePipeline(text: string, passes: ReadonlyMap<string, Pass>): string[] {
  const open = openBrace(text);
  if (open === undefined) {
    const start = Math.max(text.lastIndexOf(","), text.lastIndexOf("(")) + 1;
    return matching(text, start, [...passes.keys(), "repeat("]);
  }
  const name = /([\w-]+)\s*$/.exec(text.slice(0, open))?.[1] ?? "";
  const start = Math.max(open, text.lastIndexOf(",")) + 1;
  const options = name === "repeat" ? { max: { default: 10, doc: "" } } : (passes.get(name)?.options ?? {});
  const given = text.slice(start);
  const equals = given.indexOf("=");
  if (equals === -1)
    return matching(
      text,
      start,
      Object.keys(options).map((option) => `${option}=`),
    );
  const value = options[given.slice(0, equals).trim()]?.default;
  return typeof value === "boolean" ? matching(text, start + equals + 1, ["true", "false"]) : [];
}

/** Place of the brace whose options are being typed, if any. */
function openBrace(text: string): number | undefined {
  const at = text.lastIndexOf("{");
  return at > text.lastIndexOf("}") ? at : undefined;
}

function matching(text: string, start: number, words: readonly string[]): string[] {
  const typed = text.slice(start).trimStart();
  return words.filter((word) => word.startsWith(typed)).map((word) => text.slice(0, start) + word);
}
