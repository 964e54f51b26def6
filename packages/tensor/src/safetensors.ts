/**
 * @file The safetensors format: eight bytes of header length, a JSON header, then the data without
 * holes.
 */
import {
  Budget,
  checkOptions,
  parsePlainJson,
  requireBytes,
  WORK_OPTIONS,
  type WorkOptions,
} from "@sconce/errors";
import { type DType, dtypeInfo } from "./dtype.js";
import { notSafetensors, safetensorsError, writtenWithoutValues } from "./errors.js";
import { isSize, numel } from "./shape.js";
import { Storage } from "./storage.js";
import { Tensor } from "./tensor.js";

/** What a safetensors file holds. */
export interface Safetensors {
  /** In file order of the header. */
  readonly tensors: ReadonlyMap<string, Tensor>;
  /** The `__metadata__` strings. */
  readonly metadata: ReadonlyMap<string, string>;
}

const CODES: Readonly<Partial<Record<DType, string>>> = Object.freeze({
  float64: "F64",
  float32: "F32",
  float16: "F16",
  bfloat16: "BF16",
  float8_e4m3fn: "F8_E4M3",
  float8_e5m2: "F8_E5M2",
  float8_e8m0fnu: "F8_E8M0",
  float8_e4m3fnuz: "F8_E4M3FNUZ",
  float8_e5m2fnuz: "F8_E5M2FNUZ",
  int8: "I8",
  int16: "I16",
  int32: "I32",
  int64: "I64",
  uint8: "U8",
  uint16: "U16",
  uint32: "U32",
  uint64: "U64",
  bool: "BOOL",
  complex64: "C64",
});
const DTYPE_OF: ReadonlyMap<string, DType> = new Map(
  (Object.entries(CODES) as [DType, string][]).map(([dtype, code]) => [code, dtype]),
);
/** The limit of the reference implementation. */
const LARGEST_HEADER = 100_000_000;
const PREFIX = 8;

interface Slot {
  readonly name: string;
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly start: number;
  readonly end: number;
}

/**
 * Reads a safetensors file. Tensors are views of `bytes` where their data is aligned, copies where
 * it is not.
 * @throws SconceError `SAFETENSORS` for anything that is not exactly the format: truncation, holes,
 * overlaps, unknown dtypes, sizes that disagree, a name that comes twice. `BUDGET_EXCEEDED`.
 */
export function readSafetensors(bytes: Uint8Array, options: WorkOptions = {}): Safetensors {
  checkOptions("readSafetensors", options, WORK_OPTIONS);
  requireBytes(bytes, "readSafetensors");
  const headerLength = readHeaderLength(bytes);
  const data = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength).subarray(
    PREFIX + headerLength,
  );
  const header = parseHeader(bytes.subarray(PREFIX, PREFIX + headerLength), Budget.of(options, headerLength));
  const metadata = readMetadata(Object.hasOwn(header, "__metadata__") ? header["__metadata__"] : undefined);
  const slots: Slot[] = [];
  for (const [name, value] of Object.entries(header)) {
    if (name !== "__metadata__") slots.push(readSlot(name, value, data.byteLength));
  }
  checkCoverage(slots, data.byteLength);
  const tensors = new Map<string, Tensor>();
  for (const slot of slots) tensors.set(slot.name, viewSlot(slot, data));
  return { tensors, metadata };
}

/** First bytes of files that are often given in the place of safetensors, and what to do. */
const OTHERS: readonly (readonly [start: string, what: string, fix: string])[] = [
  [
    "PK\x03\x04",
    "a zip archive (a .pt2 program, a file of torch.save or of NumPy)",
    "read a .pt2 program with `load`; write tensors in Python: safetensors.torch.save_file({...}, path)",
  ],
  ["\x93NUMPY", "a NumPy .npy file", "write tensors in Python: safetensors.torch.save_file({...}, path)"],
  ["GGUF", "a GGUF file", "take the weights as safetensors, which most models have beside it"],
  [
    "\x80\x02",
    "a Python pickle (an old file of torch.save, for example)",
    "write tensors in Python: safetensors.torch.save_file({...}, path)",
  ],
];

/** @throws SconceError `SAFETENSORS` for a header that cannot be, and for another format */
function readHeaderLength(bytes: Uint8Array): number {
  for (const [start, what, fix] of OTHERS)
    if (bytes[PREFIX] !== 0x7b && [...start].every((char, i) => bytes[i] === char.charCodeAt(0)))
      throw notSafetensors(what, fix);
  if (bytes.byteLength < PREFIX)
    throw safetensorsError(`${bytes.byteLength} bytes are too few for a header`, "byte 0");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = view.getUint32(0, true) + view.getUint32(4, true) * 2 ** 32;
  if (length > LARGEST_HEADER)
    throw safetensorsError(`header of ${length} bytes is over the limit`, "byte 0");
  if (length > bytes.byteLength - PREFIX) {
    throw safetensorsError(`header of ${length} bytes goes past the end of the file`, "byte 0");
  }
  return length;
}

function parseHeader(bytes: Uint8Array, budget: Budget): Record<string, unknown> {
  if (bytes[0] !== 0x7b) throw safetensorsError("the header does not begin with {", "byte 8");
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw safetensorsError("the header is not UTF-8", "byte 8", cause);
  }
  const header = parsePlainJson(text, {
    budget,
    depth: 8,
    unique: true,
    fail: (message, at, cause) =>
      safetensorsError(`the header cannot be read: ${message}`, `character ${at} of the header`, cause),
  });
  if (!isObject(header)) throw safetensorsError("the header is not an object", "byte 8");
  return header;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function readMetadata(value: unknown): ReadonlyMap<string, string> {
  if (value === undefined) return new Map();
  const entries = isObject(value) ? Object.entries(value) : undefined;
  if (entries?.every((entry): entry is [string, string] => typeof entry[1] === "string"))
    return new Map(entries);
  throw safetensorsError("metadata is not an object of strings", "__metadata__");
}

function readSlot(name: string, value: unknown, dataLength: number): Slot {
  if (!isObject(value)) throw safetensorsError("the entry is not an object", name);
  const { dtype: code, shape, data_offsets: offsets } = value;
  const dtype = typeof code === "string" ? DTYPE_OF.get(code) : undefined;
  if (dtype === undefined)
    throw safetensorsError(`unknown dtype ${JSON.stringify(code)?.slice(0, 100)}`, name);
  if (!Array.isArray(shape) || !shape.every(isSize)) throw safetensorsError("bad shape", name);
  if (!Array.isArray(offsets) || offsets.length !== 2 || !offsets.every(isSize)) {
    throw safetensorsError("bad data_offsets", name);
  }
  const [start, end] = offsets as [number, number];
  if (start > end || end > dataLength) {
    throw safetensorsError(`data_offsets [${start}, ${end}] leave the ${dataLength} bytes of data`, name);
  }
  const needed = numel(shape) * dtypeInfo(dtype).itemSize;
  if (needed !== end - start) {
    throw safetensorsError(`${end - start} bytes for a shape that needs ${needed}`, name);
  }
  return { name, dtype, shape, start, end };
}

function checkCoverage(slots: readonly Slot[], dataLength: number): void {
  let position = 0;
  for (const slot of [...slots].sort((a, b) => a.start - b.start || a.end - b.end)) {
    if (slot.start !== position) {
      throw safetensorsError(
        `${slot.start < position ? "overlapping" : "unused"} bytes at ${position}`,
        slot.name,
      );
    }
    position = slot.end;
  }
  if (position !== dataLength)
    throw safetensorsError(
      `${dataLength - position} unused bytes at the end`,
      `byte ${position} of the data`,
    );
}

function viewSlot(slot: Slot, data: Uint8Array): Tensor {
  const view = data.subarray(slot.start, slot.end);
  const isAligned = view.byteOffset % dtypeInfo(slot.dtype).array.BYTES_PER_ELEMENT === 0;
  // A Buffer's own `slice` is a view at the same place, and short ones share a pool.
  const bytes = isAligned ? view : new Uint8Array(view);
  return new Tensor({ dtype: slot.dtype, shape: slot.shape, storage: new Storage(bytes) });
}

/**
 * Returns all names of stored tensors. Tensors that are the same one under several names are stored
 * once; the metadata name it, as Hugging Face's files do.
 */
export function withOtherNames({ tensors, metadata }: Safetensors): Map<string, Tensor> {
  const all = new Map(tensors);
  for (const [name, kept] of metadata) {
    const tensor = tensors.get(kept);
    if (tensor !== undefined && !all.has(name)) all.set(name, tensor);
  }
  return all;
}

/**
 * Writes tensors as safetensors, widest elements first so that every tensor is aligned; strided
 * tensors are written row-major.
 * @throws SconceError `DTYPE` for complex32 and complex128, which the format lacks; `SAFETENSORS`
 * for a reserved name; `NO_VALUES` with the names of all tensors that have no values.
 */
export function writeSafetensors(
  tensors: Iterable<readonly [string, Tensor]>,
  metadata?: Readonly<Record<string, string>>,
): Uint8Array {
  const given = [...tensors];
  const missing = given.filter(([, tensor]) => !tensor.hasValues).map(([name]) => name);
  if (missing.length > 0) throw writtenWithoutValues(missing);
  const entries = given.map(([name, tensor]) => [name, tensor.contiguous()] as const);
  entries.sort((a, b) => dtypeInfo(b[1].dtype).itemSize - dtypeInfo(a[1].dtype).itemSize);
  const header = new Map<string, unknown>(metadata === undefined ? [] : [["__metadata__", metadata]]);
  let position = 0;
  for (const [name, tensor] of entries) {
    const code = CODES[tensor.dtype];
    if (code === undefined) throw safetensorsError(`safetensors has no ${tensor.dtype}`, name);
    if (header.has(name) || name === "__metadata__") throw safetensorsError("the name is taken", name);
    const end = position + tensor.numel * dtypeInfo(tensor.dtype).itemSize;
    header.set(name, { dtype: code, shape: tensor.shape, data_offsets: [position, end] });
    position = end;
  }
  const text = new TextEncoder().encode(stringifyHeader(header));
  const headerLength = Math.ceil(text.byteLength / PREFIX) * PREFIX;
  const file = new Uint8Array(PREFIX + headerLength + position);
  new DataView(file.buffer).setUint32(0, headerLength, true);
  file.fill(0x20, PREFIX, PREFIX + headerLength);
  file.set(text, PREFIX);
  position = PREFIX + headerLength;
  for (const [, tensor] of entries) {
    const { itemSize } = dtypeInfo(tensor.dtype);
    const start = tensor.storageOffset * itemSize;
    file.set(tensor.storage.bytes.subarray(start, start + tensor.numel * itemSize), position);
    position += tensor.numel * itemSize;
  }
  return file;
}

/** JSON object text in map order; a plain object would move integer-like names to the front. */
function stringifyHeader(header: ReadonlyMap<string, unknown>): string {
  const fields = [...header].map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
  return `{${fields.join(",")}}`;
}
