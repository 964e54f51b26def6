/** @file What a page and its worker send to each other. */
import type { Progress, SconceErrorJson } from "@sconce/errors";
import type { MemoryUse, NodeProfile, Placement, Value } from "@sconce/ir";
import { copiedBytes, type DType, Storage, Tensor } from "@sconce/tensor";
import type { PassReply, PassRequest } from "./pass-messages.js";

/** A tensor as it is sent: its elements in row-major order. */
interface SentTensor {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly bytes: Uint8Array<ArrayBuffer>;
}
/** A value as it is sent. */
export type SentValue = SentTensor | Exclude<Value, Tensor>;

/** What the worker is asked to do. `id` names the request in replies. */
export type WorkerRequest = { readonly id: number } & (
  | {
      readonly kind: "compile";
      /** The name of the backend; the first of the session when left out. */
      readonly backend?: string | undefined;
      /** The program as a `.pt2` file. */
      readonly file: Uint8Array<ArrayBuffer>;
      readonly exclude?: readonly string[] | undefined;
    }
  | {
      readonly kind: "run";
      readonly executable: number;
      readonly inputs: readonly SentValue[];
      readonly profile?: boolean | undefined;
    }
  | PassRequest
  | { readonly kind: "abort"; readonly of: number }
  | { readonly kind: "dispose"; readonly executable: number }
);

/** What is known of an executable after it was compiled or ran. */
export interface ExecutableReport {
  readonly profile?: readonly NodeProfile[] | undefined;
  readonly placement?: Placement | undefined;
  readonly memory?: MemoryUse | undefined;
}
/** What the worker answers. */
export type WorkerReply = { readonly id: number } & (
  | { readonly kind: "progress"; readonly progress: Progress }
  | { readonly kind: "compiled"; readonly report: ExecutableReport }
  | {
      readonly kind: "ran";
      readonly outputs: readonly SentValue[];
      /** Inputs that the program wrote to, by position. */
      readonly written: readonly (readonly [at: number, value: SentTensor])[];
      /** State that the program wrote to, by name. */
      readonly state: readonly (readonly [name: string, value: SentTensor])[];
      readonly report: ExecutableReport;
    }
  | { readonly kind: "failed"; readonly error: SconceErrorJson }
  | PassReply
);

/** Returns the elements of a tensor in memory that nothing else holds. */
export function sentTensor(tensor: Tensor): SentTensor {
  const { dtype, shape } = tensor;
  // Shared memory cannot be transferred: this is a separate copy.
  return { dtype, shape: [...shape], bytes: copiedBytes(tensor) };
}
export const sentValue = (value: Value): SentValue => (value instanceof Tensor ? sentTensor(value) : value);

const isSent = (value: SentValue): value is SentTensor => typeof value === "object" && value !== null;
export const receivedTensor = ({ dtype, shape, bytes }: SentTensor): Tensor =>
  new Tensor({ dtype, shape, storage: new Storage(bytes) });
export const receivedValue = (value: SentValue): Value => (isSent(value) ? receivedTensor(value) : value);

/** Returns the memory to transfer. */
export const transferOf = (values: readonly SentValue[]): ArrayBuffer[] =>
  values.filter(isSent).map(({ bytes }) => bytes.buffer);
