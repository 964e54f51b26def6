/** @file Reads the weights of a module from a safetensors file, as its bytes come. */
import { ModelError } from "./error.js";
import type { ModulePlan } from "./plan.js";

const wrong = (message: string, cause?: unknown): ModelError =>
  new ModelError("STATE_MISMATCH", `the weights do not fit: ${message}`, cause);

type Weight = ModulePlan["weights"][number];

/** Returns the bytes of a tensor. Names of dtypes have the bits of an element, but for `BOOL`. */
export const weightBytes = ([, dtype, shape]: Weight): number =>
  shape.reduce((product, size) => product * size, Number(/\d+$/.exec(dtype)?.[0] ?? 8) / 8);

/** The bytes of a tensor in the file: from, to. */
type Range = readonly [from: number, to: number];

/** Takes the parts of a file. */
interface WeightReader {
  push(bytes: Uint8Array): void;
  /** Called when all bytes came. @throws ModelError `STATE_MISMATCH` where some are missing */
  end(): void;
  /** Tensors that are kept. */
  readonly tensors: readonly (Uint8Array | undefined)[];
}

/**
 * Takes a file in parts. The bytes of each tensor that the plan names are copied to where they
 * belong when they come; other tensors are left alone.
 *
 * @param places where each tensor is copied to
 * @param kept whether a tensor is kept besides
 */
export function weightReader(
  weights: readonly Weight[],
  places: readonly (readonly Uint8Array[])[],
  kept: readonly boolean[],
): WeightReader {
  const tensors: (Uint8Array | undefined)[] = [];
  // The first bytes of the file, until the header is whole.
  let head: Uint8Array | undefined = new Uint8Array();
  let ranges: readonly Range[] = [];
  // Bytes of tensors that came.
  let read = 0;
  const take = (part: Uint8Array): void => {
    const start = read;
    read += part.length;
    ranges.forEach(([from, to], at) => {
      const bytes = part.subarray(Math.max(0, from - start), Math.max(0, to - start));
      if (bytes.length === 0) return;
      const offset = Math.max(0, start - from);
      for (const place of places[at]!) place.set(bytes, offset);
      if (!kept[at]) return;
      if (bytes.length === to - from) tensors[at] = bytes;
      else {
        tensors[at] ??= new Uint8Array(to - from);
        tensors[at].set(bytes, offset);
      }
    });
  };
  return {
    tensors,
    push(bytes) {
      if (head === undefined) {
        take(bytes);
        return;
      }
      head = joined([head, bytes]);
      const { length, buffer, byteOffset } = head;
      const end =
        length < 8 ? Number.NaN : 8 + Number(new DataView(buffer, byteOffset).getBigUint64(0, true));
      if (!(length >= end)) return;
      ranges = rangesOf(head.subarray(8, end), weights);
      const rest = head.subarray(end);
      head = undefined;
      take(rest);
    },
    end() {
      if (head !== undefined) throw wrong("it is not a safetensors file, or cut off");
      ranges.forEach(([, to], at) => {
        if (to > read) throw missing(weights[at]!);
      });
    },
  };
}

const missing = ([name]: Weight): ModelError => wrong(`the bytes of "${name}" are not in the file`);

/** Joins parts; one part is not copied. */
export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const some = parts.filter(({ length }) => length > 0);
  if (some.length === 1) return some[0]!;
  const bytes = new Uint8Array(some.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of some) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function headerOf(text: Uint8Array): Readonly<Record<string, Entry | null>> {
  let header: unknown;
  try {
    header = JSON.parse(new TextDecoder().decode(text));
  } catch (cause) {
    throw wrong("its header is not JSON", cause);
  }
  if (Object(header) !== header) throw wrong("its header is not an object");
  return header as Readonly<Record<string, Entry | null>>;
}
/** A tensor of a header, as anybody may write it. */
interface Entry {
  readonly dtype?: unknown;
  readonly shape?: unknown;
  readonly data_offsets?: unknown;
}

/** Returns where the tensors are, counted from the end of the header. */
function rangesOf(text: Uint8Array, weights: readonly Weight[]): readonly Range[] {
  const header = headerOf(text);
  return weights.map((weight) => {
    const [name, dtype, shape] = weight;
    const entry = Object.hasOwn(header, name) ? header[name] : undefined;
    if (!entry) throw wrong(`there is no tensor "${name}"`);
    const got = `${String(entry.dtype)}[${String(entry.shape)}]`;
    if (got !== `${dtype}[${String(shape)}]`)
      throw wrong(`"${name}" is ${got}, and ${dtype}[${String(shape)}] is needed`);
    const [from, to] = (Array.isArray(entry.data_offsets) ? entry.data_offsets : []) as readonly number[];
    if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to) || from! < 0 || from! > to!)
      throw missing(weight);
    const bytes = weightBytes(weight);
    if (to! - from! !== bytes) throw wrong(`"${name}" has ${to! - from!} bytes, and ${bytes} are needed`);
    return [from!, to!];
  });
}
