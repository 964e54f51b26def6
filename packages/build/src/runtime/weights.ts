/** @file Reads the weights of a module from the bytes of a safetensors file. */
import { ModelError } from "./error.js";
import type { ModulePlan } from "./plan.js";

const wrong = (message: string): ModelError =>
  new ModelError("STATE_MISMATCH", `the weights do not fit: ${message}`);

/**
 * Returns the bytes of each tensor that the plan names. Other tensors of the file are left alone.
 * Nothing is copied.
 */
export function readWeights(file: Uint8Array, weights: ModulePlan["weights"]): readonly Uint8Array[] {
  if (weights.length === 0) return [];
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const length = file.byteLength < 8 ? -1 : Number(view.getBigUint64(0, true));
  if (length < 0 || length > file.byteLength - 8)
    throw wrong("the file is not a safetensors file, or is cut off");
  let header: Record<string, unknown>;
  try {
    header = JSON.parse(new TextDecoder().decode(file.subarray(8, 8 + length))) as Record<string, unknown>;
  } catch (cause) {
    throw new ModelError(
      "STATE_MISMATCH",
      "the weights do not fit: the header of the file is not JSON",
      cause,
    );
  }
  if (typeof header !== "object" || header === null) throw wrong("the header of the file is not an object");
  const data = file.subarray(8 + length);
  return weights.map(([name, dtype, shape]) => {
    const entry = (Object.hasOwn(header, name) ? header[name] : undefined) as
      | { readonly dtype?: unknown; readonly shape?: unknown; readonly data_offsets?: unknown }
      | undefined;
    if (entry === undefined || entry === null) throw wrong(`there is no tensor "${name}"`);
    const got = `${String(entry.dtype)}[${String(entry.shape)}]`;
    if (got !== `${dtype}[${String(shape)}]`)
      throw wrong(`"${name}" is ${got}, and ${dtype}[${String(shape)}] is needed`);
    const [from, to] = (Array.isArray(entry.data_offsets) ? entry.data_offsets : []) as readonly number[];
    if (
      !Number.isSafeInteger(from) ||
      !Number.isSafeInteger(to) ||
      from! < 0 ||
      to! > data.length ||
      from! > to!
    )
      throw wrong(`the bytes of "${name}" are not in the file`);
    const bytes = shape.reduce((product, size) => product * size, itemSize(dtype));
    if (to! - from! !== bytes) throw wrong(`"${name}" has ${to! - from!} bytes, and ${bytes} are needed`);
    return data.subarray(from, to);
  });
}

/** Returns the bytes of an element: the names of dtypes have their bits, but for `BOOL`. */
const itemSize = (dtype: string): number => Number(/\d+$/.exec(dtype)?.[0] ?? 8) / 8;
