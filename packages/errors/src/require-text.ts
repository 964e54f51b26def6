/** @file Readers of text and of bytes that are given something else. */
import { describeValue } from "./describe-value.js";
import { SconceError } from "./sconce-error.js";

const invalid = (call: string, wanted: string, got: string, fix: string): SconceError =>
  new SconceError({
    code: "INVALID_ARGUMENT",
    message: `${call} takes ${wanted}, and got ${got}`,
    fix,
  });

/**
 * Refuses what is not text, before any of it is read.
 *
 * @param call what takes the text, as errors name it: `parseIr`
 * @throws SconceError `INVALID_ARGUMENT`
 */
export function requireText(value: unknown, call: string): asserts value is string {
  if (typeof value === "string") return;
  const isBytes = ArrayBuffer.isView(value) || value instanceof ArrayBuffer;
  const fix = isBytes
    ? "decode the bytes first: new TextDecoder().decode(bytes)"
    : 'pass the text; read files with the encoding "utf8"';
  throw invalid(call, "text", isBytes ? "bytes" : describeValue(value), fix);
}

/** What to do about bytes that went to another thread. */
export const TRANSFERRED_FIX: string =
  "read the bytes before they are transferred, or transfer a copy: `bytes.slice()`";

/**
 * Returns whether a buffer was transferred, to a worker for example: none of its bytes can be read.
 */
export function isDetached(buffer: ArrayBufferLike): boolean {
  try {
    return new Uint8Array(buffer, 0, 0).length > 0;
  } catch {
    return true;
  }
}

/**
 * Refuses what is not a `Uint8Array` (of any realm), before any of it is read.
 *
 * @param call what takes the bytes, as errors name it: `readSafetensors`
 * @throws SconceError `INVALID_ARGUMENT`
 */
export function requireBytes(value: unknown, call: string): asserts value is Uint8Array {
  if (ArrayBuffer.isView(value) && Object.prototype.toString.call(value) === "[object Uint8Array]") {
    if (isDetached(value.buffer))
      throw invalid(call, "bytes", "bytes that were transferred", TRANSFERRED_FIX);
    return;
  }
  const fix =
    value instanceof ArrayBuffer
      ? "wrap the buffer: new Uint8Array(buffer)"
      : "pass the bytes of the file, such as `await readFile(path)`";
  throw invalid(call, "a Uint8Array", describeValue(value), fix);
}
