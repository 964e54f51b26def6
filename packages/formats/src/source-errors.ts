/** @file What is not a source of bytes; loaded with the first of them. */
import { inNode, platformClass, SconceError, withArticle } from "@sconce/errors";

/** Returns the error for a value that is not a source, or not a piece of one. */
export const sourceType = (source: unknown): SconceError =>
  new SconceError({
    code: "SOURCE_TYPE",
    message: `a program cannot be read from ${sourceText(source)}`,
    fix: sourceFix(source),
  });

function sourceText(source: unknown): string {
  if (typeof source === "string") return "a string";
  if (source === null) return "null";
  const name = platformClass(source);
  return name === undefined ? `a value of type ${typeof source}` : withArticle(name);
}

function sourceFix(source: unknown): string {
  const kind = platformClass(source);
  if (kind === "Promise") return "await the promise: `load(await fetch(url))`";
  if (kind === "Request") return "fetch it: `load(await fetch(request))`";
  if (typeof source === "string" && /^(?:https?|blob|data):/.test(source))
    return "give the address as a URL: `load(new URL(address))`";
  const files = inNode("; for a path use openPt2File of sconce/node, for a Node stream Readable.toWeb");
  return `give bytes, a Blob, a web stream, a Response or a URL${files}`;
}
