/**
 * @file Argument values of nodes. Python distinguishes `1` from `1.0` and `[1]` from `(1,)`,
 * JavaScript does not. Promotion, printing and `.pt2` depend on both, so this file defines:
 *
 * - an integral `number` or a `bigint` is a Python int; numbers past 2^53 are always `bigint`;
 * - a float whose value is integral is wrapped, `float(1)`; other numbers, NaN and infinities are floats as they are;
 * - an array is a Python list; a tuple is wrapped, `tuple([a, b])`.
 */
import type { DType } from "@sconce/tensor";

/** Reference to another node of the same graph, by name. */
export interface NodeRef {
  readonly kind: "node";
  readonly name: string;
}
/** A Python float whose value is integral (`2.0`, `-0.0`). */
export interface FloatLiteral {
  readonly kind: "float";
  readonly value: number;
}
export interface ComplexLiteral {
  readonly kind: "complex";
  readonly re: number;
  readonly im: number;
}
export interface DTypeLiteral {
  readonly kind: "dtype";
  readonly dtype: DType;
}
export interface DeviceLiteral {
  readonly kind: "device";
  readonly type: string;
  readonly index: number | null;
}
export type LayoutName =
  | "strided"
  | "sparse_coo"
  | "sparse_csr"
  | "sparse_csc"
  | "sparse_bsr"
  | "sparse_bsc"
  | "_mkldnn";
export interface LayoutLiteral {
  readonly kind: "layout";
  readonly layout: LayoutName;
}
export type MemoryFormat = "contiguous_format" | "preserve_format" | "channels_last" | "channels_last_3d";
export interface MemoryFormatLiteral {
  readonly kind: "memory_format";
  readonly format: MemoryFormat;
}
/** An operator passed as a value (first argument of `auto_functionalized_v2`). */
export interface OperatorLiteral {
  readonly kind: "operator";
  readonly target: string;
}
export interface TupleLiteral {
  readonly kind: "tuple";
  readonly items: readonly Argument[];
}
export interface DictLiteral {
  readonly kind: "dict";
  readonly entries: readonly (readonly [string, Argument])[];
}

/** Anything a node may hold as an argument: plain, frozen, serialisable. */
export type Argument =
  | null
  | boolean
  | number
  | bigint
  | string
  | NodeRef
  | FloatLiteral
  | ComplexLiteral
  | DTypeLiteral
  | DeviceLiteral
  | LayoutLiteral
  | MemoryFormatLiteral
  | OperatorLiteral
  | TupleLiteral
  | DictLiteral
  | readonly Argument[];

/** A Python number as PyTorch's `Scalar` takes it. */
export type ScalarLiteral = number | bigint | boolean | FloatLiteral | ComplexLiteral;

/** A reference to the node of this name. */
export const ref = (name: string): NodeRef => Object.freeze({ kind: "node", name });
/** A Python float: wraps integral values, leaves the others as they are. */
export const float = (value: number): number | FloatLiteral =>
  Number.isInteger(value) ? Object.freeze({ kind: "float", value }) : value;
export const complex = (re: number, im: number): ComplexLiteral => Object.freeze({ kind: "complex", re, im });
/** A Python int: a safe integer as `number`, anything larger as `bigint`. */
export const int = (value: number | bigint): number | bigint => {
  const asNumber = Number(value);
  return Number.isSafeInteger(asNumber) ? asNumber : BigInt(value);
};
export const dtypeLiteral = (dtype: DType): DTypeLiteral => Object.freeze({ kind: "dtype", dtype });
export const device = (type: string, index: number | null = null): DeviceLiteral =>
  Object.freeze({ kind: "device", type, index });
export const layout = (name: LayoutName): LayoutLiteral => Object.freeze({ kind: "layout", layout: name });
export const memoryFormat = (format: MemoryFormat): MemoryFormatLiteral =>
  Object.freeze({ kind: "memory_format", format });
export const operator = (target: string): OperatorLiteral => Object.freeze({ kind: "operator", target });
export const tuple = (items: readonly Argument[]): TupleLiteral => Object.freeze({ kind: "tuple", items });
export const dict = (entries: readonly (readonly [string, Argument])[]): DictLiteral =>
  Object.freeze({ kind: "dict", entries });

type Tagged = Exclude<Argument, null | boolean | number | bigint | string | readonly Argument[]>;

/** The tag of a wrapped argument, or undefined for primitives and lists. */
export function kindOf(value: unknown): Tagged["kind"] | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as { kind?: Tagged["kind"] }).kind
    : undefined;
}
export const isRef = (value: unknown): value is NodeRef => kindOf(value) === "node";
export const isTuple = (value: unknown): value is TupleLiteral => kindOf(value) === "tuple";
export const isList = (value: unknown): value is readonly Argument[] => Array.isArray(value);
/** True for what Python calls a float (wrapped, fractional, NaN or infinite). */
export const isFloat = (value: unknown): value is number | FloatLiteral =>
  typeof value === "number" ? !Number.isInteger(value) : kindOf(value) === "float";
/** True for what Python calls an int (bool excluded). */
export const isInt = (value: unknown): value is number | bigint =>
  typeof value === "bigint" || (typeof value === "number" && Number.isInteger(value));
/** A literal as a JavaScript value: a wrapped float becomes its number. */
export const unwrapFloat = (value: Argument): Argument => (isFloat(value) ? toNumber(value) : value);

/** The JavaScript number of an int, float or bool literal. */
export function toNumber(value: ScalarLiteral): number {
  if (typeof value === "object") return value.kind === "float" ? value.value : value.re;
  return Number(value);
}
/** Elements of a list or tuple. */
export function itemsOf(value: Argument): readonly Argument[] | undefined {
  if (Array.isArray(value)) return value as readonly Argument[];
  return isTuple(value) ? value.items : undefined;
}

/** Calls `visit` for each node reference in the argument, in order, repeats included. */
export function forEachRef(value: Argument, visit: (name: string) => void): void {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value as readonly Argument[]) forEachRef(item, visit);
    return;
  }
  const tagged = value as Tagged;
  if (tagged.kind === "node") visit(tagged.name);
  else if (tagged.kind === "tuple") for (const item of tagged.items) forEachRef(item, visit);
  else if (tagged.kind === "dict") for (const [, item] of tagged.entries) forEachRef(item, visit);
}

/** The argument with every node reference replaced; the same object back when nothing changed. */
export function mapRefs(value: Argument, replace: (node: NodeRef) => Argument): Argument {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return mapItems(value as readonly Argument[], replace);
  const tagged = value as Tagged;
  switch (tagged.kind) {
    case "node":
      return replace(tagged);
    case "tuple": {
      const items = mapItems(tagged.items, replace);
      return items === tagged.items ? tagged : tuple(items);
    }
    case "dict": {
      let changed = false;
      const entries = tagged.entries.map(([key, item]) => {
        const next = mapRefs(item, replace);
        changed ||= next !== item;
        return [key, next] as const;
      });
      return changed ? dict(entries) : tagged;
    }
    default:
      return tagged;
  }
}

function mapItems(items: readonly Argument[], replace: (node: NodeRef) => Argument): readonly Argument[] {
  let out: Argument[] | undefined;
  for (let i = 0; i < items.length; i++) {
    const next = mapRefs(items[i]!, replace);
    if (next !== items[i]) {
      out ??= items.slice();
      out[i] = next;
    }
  }
  return out ?? items;
}
