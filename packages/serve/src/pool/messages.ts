/** @file What the server and its workers send to each other. */
import type { SconceErrorJson } from "@sconce/errors";
import type { Value } from "@sconce/ir";
import { type DType, Storage, Tensor } from "@sconce/tensor";

/** What a worker is started with. */
export interface WorkerSettings {
  readonly backend: string;
  readonly threads: number | undefined;
  /** Most bytes that the values of a run may take. */
  readonly maxBytes: number | undefined;
  /** Modules that export a plugin: an address, and after `#` the name of the export. */
  readonly plugins: readonly string[];
}

/** A tensor as it is sent: its elements in row-major order. */
interface SentTensor {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** A value as it is sent. */
export type SentValue = SentTensor | Exclude<Value, Tensor>;

/** What a worker is asked to do; it does one thing at a time, in order. */
export type WorkerRequest =
  /** Compiles a program, given as a `.pt2` file. Its number is that of the programs before it. */
  | { readonly kind: "load"; readonly file: Uint8Array }
  | { readonly kind: "run"; readonly model: number; readonly inputs: readonly SentValue[] };

/** What a worker answers. */
export type WorkerReply =
  | { readonly kind: "loaded" }
  | { readonly kind: "ran"; readonly outputs: readonly SentValue[]; readonly milliseconds: number }
  | { readonly kind: "failed"; readonly error: SconceErrorJson };

/** Returns a tensor to send: its memory goes along, so nothing else may use it. */
function sentTensor(tensor: Tensor): SentTensor {
  const { dtype, shape, storage } = tensor;
  return { dtype, shape: [...shape], bytes: storage.bytes as Uint8Array<ArrayBuffer> };
}

/** Returns a value as it is sent. */
export const sentValue = (value: Value): SentValue => (value instanceof Tensor ? sentTensor(value) : value);

/** Returns a value that was sent. */
export const receivedValue = (value: SentValue): Value =>
  typeof value === "object" && value !== null
    ? new Tensor({ dtype: value.dtype, shape: value.shape, storage: new Storage(value.bytes) })
    : value;

/** Returns the memory to transfer. */
export const transferOf = (values: readonly SentValue[]): ArrayBuffer[] => [
  ...new Set(
    values.flatMap((value) => (typeof value === "object" && value !== null ? [value.bytes.buffer] : [])),
  ),
];
