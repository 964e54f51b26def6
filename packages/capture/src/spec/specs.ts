/** @file The parts of a `ShapesSpec` (`torch/fx/experimental/dynamic_spec.py`). */
import { isSpecValue, type SpecJson, type SymBool, SymInt } from "@sconce/torch";
import { badSpec } from "./errors.js";
import { entryText, indented, specText, typeName } from "./spec-text.js";

/** The size or the integer is static: the specification of the example holds for every run. */
export const STATIC = null;

/**
 * What a size or an integer argument may be given: a variable or an expression of variables
 * (dynamic), a number (static, and this number), {@link STATIC}.
 */
export type LeafIntSpec = SymInt | number | null | undefined;
/** What one argument may be given. */
export type IntermediateSpec = LeafIntSpec | TensorSpec | ObjectSpec | DictSpec | SeqSpec;

const hasJson = (value: unknown): value is { toJsonable(): SpecJson } =>
  typeof (value as { toJsonable?: unknown } | null | undefined)?.toJsonable === "function";

/** Returns the JSON of a part; expressions are texts. */
export const partJson = (part: IntermediateSpec): SpecJson => {
  if (hasJson(part)) return part.toJsonable();
  return part instanceof SymInt ? part.toString() : ((part ?? null) as SpecJson);
};

/** @throws SconceError `SHAPES_SPEC` for a symbolic value of a traced program */
export function requireSpecValue(value: unknown, where: string): void {
  const kind = value instanceof SymInt ? "SymInt" : "SymBool";
  const isSymbolic = value instanceof SymInt || (value as SymBool | undefined)?.expr !== undefined;
  if (!isSymbolic || isSpecValue(value as SymInt)) return;
  throw badSpec(
    `${where}: ${kind} spec values must originate from spec IntVar / ShapeVar; got ${(value as SymInt).toString()} backed by a different ShapeEnv.`,
  );
}

/**
 * The sizes of a tensor, one entry for each dimension: `new TensorSpec([batch, STATIC])`,
 * `new TensorSpec([sym.mul(batch, 2), 10])`.
 *
 * @throws SconceError `SHAPES_SPEC` for entries that are not sizes
 */
export class TensorSpec {
  /** The entries, one for each dimension. */
  readonly dims: readonly LeafIntSpec[];

  constructor(dims: readonly LeafIntSpec[]) {
    if (!Array.isArray(dims)) throw badSpec(`TensorSpec takes a list of sizes, not ${typeName(dims)}`);
    dims.forEach((dim: unknown, i) => {
      const isSize = dim === null || dim === undefined || Number.isInteger(dim) || dim instanceof SymInt;
      if (!isSize && typeof dim !== "boolean")
        throw badSpec(`TensorSpec dim ${i}: expected LeafIntSpec, got ${typeName(dim)}: ${specText(dim)}`);
      requireSpecValue(dim, `TensorSpec dim ${i}`);
    });
    this.dims = [...(dims as readonly LeafIntSpec[])];
  }

  /** PyTorch's text. */
  toString(): string {
    return ["Tensor:", ...this.dims.map((dim, i) => indented(entryText(String(i), dim)))].join("\n");
  }

  /** Returns the specification as PyTorch's `to_jsonable` gives it. */
  toJsonable(): SpecJson {
    return { type: "TensorSpec", dims: this.dims.map(partJson) };
  }
}

type Fields = Readonly<Record<string, IntermediateSpec>> | ReadonlyMap<string | number, IntermediateSpec>;

const entriesOf = (fields: Fields | null | undefined): [string | number, IntermediateSpec][] => {
  if (fields === null || fields === undefined) return [];
  return fields instanceof Map ? [...fields] : Object.entries(fields as Record<string, IntermediateSpec>);
};

const jsonOf = (entries: ReadonlyMap<string | number, IntermediateSpec>): Record<string, SpecJson> =>
  Object.fromEntries([...entries].map(([key, part]) => [String(key), partJson(part)]));

/** The fields of an instance of a class that is registered with pytree, by name. */
export class ObjectSpec {
  /** The specifications by the name of the field. */
  readonly fields: ReadonlyMap<string, IntermediateSpec>;

  constructor(fields?: Readonly<Record<string, IntermediateSpec>> | null) {
    this.fields = new Map(entriesOf(fields) as [string, IntermediateSpec][]);
  }

  /** PyTorch's text. */
  toString(): string {
    const lines = [...this.fields].map(([name, part]) => indented(entryText(`.${name}`, part)));
    return ["object_spec:", ...lines].join("\n");
  }

  /** Returns the specification as PyTorch's `to_jsonable` gives it. */
  toJsonable(): SpecJson {
    return { type: "ObjectSpec", fields: jsonOf(this.fields) };
  }
}

/** The values of an object or a `Map`, by key. */
export class DictSpec {
  /** The specifications by key. */
  readonly entries: ReadonlyMap<string | number, IntermediateSpec>;

  /** @throws SconceError `SHAPES_SPEC` for keys that are neither strings nor integers */
  constructor(entries?: Fields | null) {
    this.entries = new Map(entriesOf(entries));
    for (const key of this.entries.keys() as Iterable<unknown>)
      if (typeof key !== "string" && !Number.isInteger(key))
        throw badSpec(`DictSpec entries must have str or int keys, got ${typeName(key)}: ${specText(key)}`);
  }

  /** PyTorch's text. */
  toString(): string {
    const lines = [...this.entries].map(([key, part]) => indented(entryText(`[${specText(key)}]`, part)));
    return ["dict_spec:", ...lines].join("\n");
  }

  /** Returns the specification as PyTorch's `to_jsonable` gives it. */
  toJsonable(): SpecJson {
    return { type: "DictSpec", entries: jsonOf(this.entries) };
  }
}

/** The values of a list, by position; positions behind the last entry are static. */
export class SeqSpec {
  /** The specifications by position. */
  readonly entries: readonly IntermediateSpec[];

  constructor(entries: readonly IntermediateSpec[]) {
    if (!Array.isArray(entries))
      throw badSpec(`SeqSpec takes a list of specifications, not ${typeName(entries)}`);
    this.entries = [...(entries as readonly IntermediateSpec[])];
  }

  /** PyTorch's text. */
  toString(): string {
    return ["seq_spec:", ...this.entries.map((part, i) => indented(entryText(`[${i}]`, part)))].join("\n");
  }

  /** Returns the specification as PyTorch's `to_jsonable` gives it. */
  toJsonable(): SpecJson {
    return { type: "SeqSpec", entries: this.entries.map(partJson) };
  }
}
