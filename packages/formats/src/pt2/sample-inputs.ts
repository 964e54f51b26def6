/**
 * @file Sample inputs: the saved `(args, kwargs)`, flattened as the program's input specification
 * says.
 */
import { Budget, type Limits } from "@sconce/errors";
import {
  type Argument,
  dictKeys,
  type ExampleInputs,
  float,
  int,
  isFloat,
  MAX_TREE_DEPTH,
  type PytreeRegistry,
  type TreeSpec,
} from "@sconce/ir";
import { Tensor } from "@sconce/tensor";
import { pickleError, unknownPytreeType } from "../errors.js";
import { PickleFloat, PickleRecord, PickleTuple } from "../torch-save/pickle.js";
import { SavedTensor } from "../torch-save/tensor-file.js";
import type { ProgramDescription } from "./program.js";
import { readSavedFile } from "./saved-file.js";

type Leaf = Tensor | Argument;

export interface SampleInputOptions {
  /** Bounds on the work of reading them, which begins when they are asked for. */
  readonly limits?: Limits | undefined;
  /**
   * How objects of registered classes are flattened, by serialized name; they are read as objects
   * of their attributes.
   */
  readonly pytreeTypes?: PytreeRegistry | undefined;
}

/** Inputs that are only unpacked when someone asks for them. */
export class SavedInputs implements ExampleInputs {
  readonly #bytes: Uint8Array;
  readonly #inSpec: TreeSpec;
  readonly #where: string;
  readonly #options: SampleInputOptions;
  #leaves: readonly Leaf[] | undefined;
  #marks: ReadonlyMap<number, readonly number[]> = new Map();
  #budget = new Budget(0);

  constructor(bytes: Uint8Array, inSpec: TreeSpec, where: string, options: SampleInputOptions) {
    this.#bytes = bytes;
    this.#inSpec = inSpec;
    this.#where = where;
    this.#options = options;
  }

  /**
   * @throws SconceError `PICKLE_FORBIDDEN` when the file holds more than tensors in containers,
   * `UNKNOWN_PYTREE_TYPE` for a registered class without an entry among the types, `PICKLE_SYNTAX`,
   * `ZIP_*`
   */
  get leaves(): readonly Leaf[] {
    if (this.#leaves === undefined) {
      const leaves: Leaf[] = [];
      // Read long after the file: the time of reading that is over does not count.
      this.#budget = new Budget(this.#bytes.length, this.#options.limits);
      const saved = readSavedFile(this.#bytes, this.#where, { budget: this.#budget });
      const marks = new Map<number, readonly number[]>();
      this.#flatten(saved, this.#inSpec, leaves, marks);
      this.#marks = marks;
      this.#leaves = Object.freeze(leaves);
    }
    return this.#leaves;
  }

  /** Dimensions of tensors that were marked, by the position of the leaf. */
  get markedDims(): ReadonlyMap<number, readonly number[]> {
    return this.leaves.length === 0 ? new Map() : this.#marks;
  }

  #mismatch(what: string) {
    return pickleError(
      "PICKLE_SYNTAX",
      `the sample inputs do not fit the input specification: ${what}`,
      this.#where,
    );
  }

  #flatten(value: unknown, spec: TreeSpec, leaves: Leaf[], marks: Map<number, readonly number[]>): void {
    if (spec.type === null) {
      if (value instanceof SavedTensor && value.markedDims !== undefined)
        marks.set(leaves.length, value.markedDims);
      leaves.push(this.#leaf(value));
      return;
    }
    const children = this.#children(value, spec);
    if (children.length !== spec.children.length)
      throw this.#mismatch(`${children.length} values for a ${spec.type}`);
    spec.children.forEach((child, i) => {
      this.#flatten(children[i], child, leaves, marks);
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
    const attributes = attributesOf(record);
    const type = this.#options.pytreeTypes?.get(spec.type!);
    if (type !== undefined) {
      const children = type.flatten(attributes && this.#recordOf(attributes), spec.context);
      if (children === undefined) throw this.#mismatch(`a ${record.className} is not a ${spec.type}`);
      return children;
    }
    const names: unknown = Array.isArray(spec.context) ? spec.context[0] : undefined;
    if (Array.isArray(names) && attributes !== undefined && names.every((name) => attributes.has(name)))
      return names.map((name) => attributes.get(name));
    throw unknownPytreeType(spec.type!, record.className, this.#where);
  }

  #recordOf(attributes: ReadonlyMap<unknown, unknown>): Record<string, unknown> {
    const entries = [...attributes].map(([name, value]): [string, unknown] => {
      if (typeof name !== "string") throw this.#mismatch("an attribute without a name");
      return [name, this.#plain(value, 0)];
    });
    return Object.fromEntries(entries);
  }

  /** Returns a value as JavaScript has it, for the functions of a registered type. */
  #plain(value: unknown, depth: number): unknown {
    this.#budget.spend("nodes", 1, () => this.#where);
    if (depth > MAX_TREE_DEPTH) throw this.#mismatch(`values nest more than ${MAX_TREE_DEPTH} deep`);
    const inner = (item: unknown): unknown => this.#plain(item, depth + 1);
    if (value instanceof SavedTensor) return value.tensor;
    if (value instanceof PickleFloat) return float(value.value);
    if (value instanceof PickleTuple) return value.items.map(inner);
    if (Array.isArray(value)) return value.map(inner);
    if (value instanceof Map) return new Map([...value].map(([key, item]) => [inner(key), inner(item)]));
    return value;
  }

  #leaf(value: unknown): Leaf {
    if (value instanceof SavedTensor) return value.tensor;
    if (value instanceof Tensor || isFloat(value)) return value as Leaf;
    if (value instanceof PickleFloat) return float(value.value);
    if (typeof value === "number") return Number.isInteger(value) ? int(value) : value;
    if (typeof value === "bigint") return int(value);
    if (value === null || typeof value === "boolean" || typeof value === "string") return value;
    throw this.#mismatch("a leaf that is not a tensor, number, string, bool or None");
  }
}

/**
 * Attributes of an object, those in slots included; undefined when it saved its state in a custom
 * form.
 */
function attributesOf({ state }: PickleRecord): ReadonlyMap<unknown, unknown> | undefined {
  if (state instanceof Map) return state;
  const parts = state instanceof PickleTuple && state.items.length === 2 ? state.items : undefined;
  if (parts?.every((part) => part === null || part instanceof Map) !== true) return undefined;
  return new Map(parts.flatMap((part) => [...((part as Map<unknown, unknown> | null) ?? [])]));
}

/**
 * Sample inputs of a program; null for an empty record, or where no specification says how to
 * flatten them.
 */
export function savedInputs(
  bytes: Uint8Array,
  record: string,
  description: ProgramDescription,
  { limits, pytreeTypes }: SampleInputOptions,
): SavedInputs | null {
  const inSpec = description.moduleCallGraph[0]?.signature?.inSpec;
  if (bytes.length === 0 || inSpec === undefined) return null;
  // The program holds these options as long as it lives: not the callbacks of the load as well.
  return new SavedInputs(bytes, inSpec, record, { limits, pytreeTypes });
}
