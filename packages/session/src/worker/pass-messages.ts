/** @file What is sent for passes in a worker: programs, tensors by number, and steps. */
import type { Progress } from "@sconce/errors";
import type { Pass, PassEvent, PassManagerOptions } from "@sconce/passes";
import { type DType, type Storage, Tensor } from "@sconce/tensor";
import type { SentError } from "./sent-error.js";

/** A tensor as it is sent: where its elements lie in one of the storages. */
export interface SentView {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly strides: readonly number[];
  readonly storageOffset: number;
  readonly requiresGrad: boolean;
  /** The number of the storage. */
  readonly storage: number;
}

/** The bytes of a storage. */
export type SentBytes = Uint8Array<ArrayBuffer>;

/** What the worker is asked to do. */
export type PassRequest =
  | {
      readonly kind: "transform";
      /** The program as IR text. */
      readonly text: string;
      /** Its tensors that have values. */
      readonly tensors: readonly SentView[];
      /** The same by name. */
      readonly names: readonly (readonly [name: string, tensor: number])[];
      /** The length of each storage, in bytes. */
      readonly storages: readonly number[];
      /** The pipeline as text. */
      readonly passes: string;
      readonly options: SentManagerOptions;
    }
  | { readonly kind: "values"; readonly of: number; readonly storages: readonly SentBytes[] };

/** Options of a pass manager that can be sent. */
type SentManagerOptions = Pick<PassManagerOptions, "verify" | "record" | "timeRules"> & {
  readonly check?: boolean;
};

/** What the worker answers. */
export type PassReply =
  /** Nothing of a plugin ran before it; sent with no request's number. */
  | { readonly kind: "ready" }
  | { readonly kind: "warning"; readonly message: string }
  /** The passes read values of tensors. */
  | { readonly kind: "wanted" }
  | { readonly kind: "started"; readonly place: string }
  | { readonly kind: "step"; readonly step: SentStep }
  | { readonly kind: "passed"; readonly progress: Progress }
  | { readonly kind: "transformed" }
  | { readonly kind: "refused"; readonly error: SentError };

/** The number of messages that answer no request. */
export const NO_REQUEST = -1;

/** A step of a pass manager as it is sent. */
export interface SentStep
  extends Pick<
    PassEvent,
    "step" | "milliseconds" | "fired" | "ruleMilliseconds" | "refused" | "notes" | "check"
  > {
  /** What is known of the pass without its code. */
  readonly pass: Pick<Pass, "name" | "doc" | "drops">;
  /** Undefined where the pass changed nothing. */
  readonly change: SentChange | undefined;
}

/** What a step changed. */
export interface SentChange {
  /** The change as `historyToJson` writes a history of one step. */
  readonly history: string;
  /** Storages and tensors that were not sent before: they get the next numbers. */
  readonly storages: readonly SentBytes[];
  readonly tensors: readonly SentView[];
  /** The tensors of the change, by name. */
  readonly names: readonly (readonly [name: string, tensor: number])[];
}

/** Tensors and storages that both sides know, by number. */
export class KnownTensors {
  readonly storages: Storage[] = [];
  readonly tensors: Tensor[] = [];
  readonly #storageNumbers = new Map<Storage, number>();
  readonly #tensorNumbers = new Map<Tensor, number>();

  /** Returns the number of a tensor; it and its storage are added where they are new. */
  numberOf(tensor: Tensor): number {
    const known = this.#tensorNumbers.get(tensor);
    if (known !== undefined) return known;
    const { storage } = tensor;
    if (!this.#storageNumbers.has(storage))
      this.#storageNumbers.set(storage, this.storages.push(storage) - 1);
    const number = this.tensors.push(tensor) - 1;
    this.#tensorNumbers.set(tensor, number);
    return number;
  }

  #view(number: number): SentView {
    const { dtype, shape, strides, storageOffset, requiresGrad, storage } = this.tensors[number]!;
    return {
      dtype,
      shape: [...shape],
      strides: [...strides],
      storageOffset,
      requiresGrad,
      storage: this.#storageNumbers.get(storage)!,
    };
  }

  /** Returns the tensors by name. */
  named(names: SentChange["names"]): Map<string, Tensor> {
    return new Map(names.map(([name, number]) => [name, this.tensors[number]!]));
  }

  /** Returns the tensors from a number on as they are sent. */
  views(from = 0): SentView[] {
    return this.tensors.slice(from).map((_, i) => this.#view(from + i));
  }

  /** Adds what the other side has added. */
  take(storages: readonly Storage[], tensors: readonly SentView[]): void {
    for (const storage of storages) this.#storageNumbers.set(storage, this.storages.push(storage) - 1);
    for (const { storage, ...view } of tensors) {
      const tensor = new Tensor({ ...view, storage: this.storages[storage]! });
      this.#tensorNumbers.set(tensor, this.tensors.push(tensor) - 1);
    }
  }
}

/**
 * Returns the bytes of a storage in memory that nothing else holds, so that they can be
 * transferred.
 */
export function copiedBytes({ bytes }: Storage): SentBytes {
  const copy = new Uint8Array(bytes.byteLength);
  copy.set(bytes);
  return copy;
}
