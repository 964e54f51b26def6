/**
 * @file IR text with its tensors at the end, as `sconce lower FILE -o -` writes it: comments with
 * the bytes of a safetensors file in base64, and their checksum.
 */
import { tensorsCutOff, withoutDigests } from "../errors.js";

const INLINE = "// tensors base64 sha256:";
const END = "// end of tensors";
const PREFIX = "// ";
/** A line of base64 has 76 characters, for 57 bytes. */
const LINE_BYTES = 57;

/** Returns a text with its tensors at the end. */
export async function withTensors(text: string, tensors: Uint8Array<ArrayBuffer>): Promise<string[]> {
  const pieces = [`${text.trimEnd()}\n\n${INLINE}${await sha256(tensors)}\n`];
  // Whole lines, and few of them: arguments of a call are limited.
  for (let at = 0; at < tensors.length; at += LINE_BYTES) {
    const line = tensors.subarray(at, at + LINE_BYTES);
    pieces.push(`${PREFIX}${btoa(String.fromCharCode(...line))}\n`);
  }
  pieces.push(`${END}\n`);
  return pieces;
}

/**
 * Returns a text without the tensors at its end, and these; undefined for a text without tensors.
 * @throws SconceError `TENSORS_MISMATCH` when they are cut off or changed
 */
export async function withoutTensors(
  text: string,
): Promise<{ readonly text: string; readonly tensors: Uint8Array<ArrayBuffer> } | undefined> {
  const mark = text.lastIndexOf(`\n${INLINE}`);
  if (mark < 0) return undefined;
  const start = text.indexOf("\n", mark + 1) + 1;
  const end = text.lastIndexOf(`\n${END}`);
  if (start === 0 || end < start - 1) throw tensorsCutOff();
  const lines = text
    .slice(start, end)
    .split("\n")
    .filter((line) => line !== "");
  const parts = lines.map((line) => decoded(line.slice(PREFIX.length)));
  const tensors = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    tensors.set(part, at);
    at += part.length;
  }
  if ((await sha256(tensors)) !== text.slice(mark + 1 + INLINE.length, start - 1)) throw tensorsCutOff();
  return { text: text.slice(0, mark + 1), tensors };
}

function decoded(line: string): Uint8Array {
  try {
    return Uint8Array.from(atob(line), (character) => character.charCodeAt(0));
  } catch {
    throw tensorsCutOff();
  }
}

/** Pages that come over HTTP from another machine have no digests. */
async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const { subtle } = globalThis.crypto as { readonly subtle?: SubtleCrypto };
  if (subtle === undefined) throw withoutDigests();
  const digest = new Uint8Array(await subtle.digest("SHA-256", bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
