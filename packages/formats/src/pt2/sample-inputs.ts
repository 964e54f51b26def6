/** @file Sample inputs: the saved `(args, kwargs)`, flattened as the program's input specification says. */
import { type Argument, dictKeys, type ExampleInputs, float, int, type TreeSpec } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import { pickleError } from "../errors.js";
import { PickleFloat, PickleRecord, PickleTuple } from "../torch-save/pickle.js";
import { readTorchFile, SavedTensor } from "../torch-save/tensor-file.js";
import type { ZipOptions } from "../zip/archive.js";

type Leaf = Tensor | Argument;

/** Inputs that are only unpacked when someone asks for them. */
export class SavedInputs implements ExampleInputs {
  readonly #bytes: Uint8Array;
  readonly #inSpec: TreeSpec;
  readonly #where: string;
  readonly #options: ZipOptions;
  #leaves: readonly Leaf[] | undefined;

  constructor(bytes: Uint8Array, inSpec: TreeSpec, where: string, options: ZipOptions) {
    this.#bytes = bytes;
    this.#inSpec = inSpec;
    this.#where = where;
    this.#options = options;
  }

  /** @throws SconceError `PICKLE_FORBIDDEN` when the file holds more than tensors in containers, `PICKLE_SYNTAX`, `ZIP_*` */
  get leaves(): readonly Leaf[] {
    if (this.#leaves === undefined) {
      const leaves: Leaf[] = [];
      this.#flatten(readTorchFile(this.#bytes, this.#where, this.#options), this.#inSpec, leaves);
      this.#leaves = Object.freeze(leaves);
    }
    return this.#leaves;
  }

  #mismatch(what: string) {
    return pickleError(
      "PICKLE_SYNTAX",
      `the sample inputs do not fit the input specification: ${what}`,
      this.#where,
    );
  }

  #flatten(value: unknown, spec: TreeSpec, leaves: Leaf[]): void {
    if (spec.type === null) {
      leaves.push(this.#leaf(value));
      return;
    }
    const children = this.#children(value, spec);
    if (children.length !== spec.children.length)
      throw this.#mismatch(`${children.length} values for a ${spec.type}`);
    spec.children.forEach((child, i) => {
      this.#flatten(children[i], child, leaves);
    });
  }

  #children(value: unknown, spec: TreeSpec): readonly unknown[] {
    if (value instanceof PickleTuple) return value.items;
    if (Array.isArray(value)) return value;
    if (value instanceof Map) {
      const keys = dictKeys(spec);
      if (keys === undefined || !keys.every((key) => value.has(key)))
        throw this.#mismatch(`other keys in a ${spec.type}`);
      return keys.map((key) => value.get(key));
    }
    if (value instanceof PickleRecord) return this.#recordChildren(value, spec);
    throw this.#mismatch(`no ${spec.type}`);
  }

  /** A namedtuple is made from its fields; a dataclass has them as state, named by the context. */
  #recordChildren(record: PickleRecord, spec: TreeSpec): readonly unknown[] {
    if (spec.type === "collections.namedtuple") return record.args;
    const names: unknown = Array.isArray(spec.context) ? spec.context[0] : undefined;
    const { state } = record;
    if (Array.isArray(names) && state instanceof Map && names.every((name) => state.has(name))) {
      return names.map((name) => state.get(name));
    }
    throw pickleError(
      "PICKLE_FORBIDDEN",
      `only its author knows how to take a ${record.className} apart`,
      this.#where,
    );
  }

  #leaf(value: unknown): Leaf {
    if (value instanceof SavedTensor) return value.tensor;
    if (value instanceof PickleFloat) return float(value.value);
    if (typeof value === "number" || typeof value === "bigint") return int(value);
    if (value === null || typeof value === "boolean" || typeof value === "string") return value;
    throw this.#mismatch("a leaf that is no tensor, number, string, bool or None");
  }
}
