/** @file What the server and its workers send to each other. */
import type { SconceErrorJson } from "@sconce/errors";
import type { Value } from "@sconce/ir";
import type { SentValue } from "@sconce/session/worker-node";
import { Tensor } from "@sconce/tensor";

/** What a worker is started with. */
export interface WorkerSettings {
  readonly backend: string;
  readonly threads: number | undefined;
  /** Most bytes that the values of a run may take. */
  readonly maxBytes: number | undefined;
  /** Modules that export a plugin: an address, and after `#` the name of the export. */
  readonly plugins: readonly string[];
}

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

/**
 * Returns a value to send with its memory: nothing else may use it. Elements are in row-major
 * order.
 */
export const movedValue = (value: Value): SentValue =>
  value instanceof Tensor
    ? {
        dtype: value.dtype,
        shape: [...value.shape],
        bytes: value.storage.bytes as Uint8Array<ArrayBuffer>,
      }
    : value;
