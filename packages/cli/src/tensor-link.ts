/**
 * @file What ties a text to its tensors. Both have the same checksum: the text in its last line,
 * the safetensors file in its metadata. Or the text has the tensors themselves, in base64 at its
 * end.
 */
import { createHash } from "node:crypto";
import { tensorsCutOff } from "./errors.js";

const KEY = "sconce.tensors";
const LINK = "// tensors sha256:";
const INLINE = "// tensors base64 sha256:";
const END = "// end of tensors\n";
/** A line of base64 has 76 characters, for 57 bytes. */
const LINE_BYTES = 57;
const LINE_CHARS = 76;
const PREFIX = "// ";
const LINES_AT_ONCE = 100_000;

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** What {@link linkTensors} fills in: metadata for `writeSafetensors`. */
export const UNLINKED: Readonly<Record<string, string>> = { [KEY]: "0".repeat(64) };

/**
 * Puts the checksum of a safetensors file into its metadata, which have {@link UNLINKED}; it is
 * that of the file with zeros in its place. Returns it.
 */
export function linkTensors(bytes: Uint8Array): string {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const checksum = sha256(bytes);
  const [entry] = Object.entries(UNLINKED).map(([key, value]) => `"${key}":"${value}"`);
  all.write(checksum, all.indexOf(entry!) + entry!.length - checksum.length - 1, "latin1");
  return checksum;
}

/** Returns a text whose last line has the checksum of its tensors. */
export const linkedText = (text: string, checksum: string): string =>
  `${text.trimEnd()}\n\n${LINK}${checksum}\n`;

/**
 * Returns whether text and metadata have different checksums. Where one of them has none, it was
 * written by other means, and nothing is known.
 */
export function isOtherPair(text: Uint8Array, metadata: ReadonlyMap<string, string>): boolean {
  const line = lastLine(text);
  const known = metadata.get(KEY);
  return line.startsWith(LINK) && known !== undefined && line.slice(LINK.length) !== known;
}

const lastLine = (text: Uint8Array): string =>
  new TextDecoder().decode(text.subarray(-200)).trimEnd().split("\n").at(-1) ?? "";

/** Yields a text with its tensors at the end, as comments, in pieces. */
export function* textWithTensors(text: string, tensors: Uint8Array): Generator<string> {
  yield `${text.trimEnd()}\n\n${INLINE}${sha256(tensors)}\n`;
  const all = Buffer.from(tensors.buffer, tensors.byteOffset, tensors.byteLength);
  const step = LINE_BYTES * LINES_AT_ONCE;
  for (let at = 0; at < all.length; at += step) {
    const piece = all.toString("base64", at, Math.min(at + step, all.length));
    yield piece.replace(new RegExp(`.{1,${LINE_CHARS}}`, "g"), `${PREFIX}$&\n`);
  }
  yield END;
}

/**
 * Takes the tensors from the end of a text; undefined where it has none.
 * @throws SconceError `TENSORS_MISMATCH` when they are cut off or changed
 */
export function tensorsInText(
  text: Uint8Array,
): { readonly text: Uint8Array; readonly tensors: Uint8Array } | undefined {
  const bytes = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
  const mark = bytes.lastIndexOf(`\n${INLINE}`);
  if (mark < 0) return undefined;
  const start = bytes.indexOf("\n", mark + 1) + 1;
  const end = bytes.lastIndexOf(END);
  if (start === 0 || end < start) throw tensorsCutOff();
  const checksum = bytes.toString("latin1", mark + 1 + INLINE.length, start - 1);
  const tensors = decoded(bytes.subarray(start, end));
  if (sha256(tensors) !== checksum) throw tensorsCutOff();
  return { text: bytes.subarray(0, mark + 1), tensors };
}

function decoded(lines: Buffer): Uint8Array {
  const parts: Buffer[] = [];
  const step = (PREFIX.length + LINE_CHARS + 1) * LINES_AT_ONCE;
  for (let at = 0; at < lines.length; at += step) {
    const piece = lines.toString("latin1", at, Math.min(at + step, lines.length));
    parts.push(Buffer.from(piece.replaceAll(PREFIX, ""), "base64"));
  }
  const { buffer, byteOffset, byteLength } = Buffer.concat(parts);
  return new Uint8Array(buffer, byteOffset, byteLength);
}
