/**
 * @file Argument values of nodes. Python distinguishes `1` from `1.0` and `[1]` from `(1,)`,
 * JavaScript does not. Promotion, printing and `.pt2` depend on both, so this file defines:
 *
 * - an integral `number` or a `bigint` is a Python int; numbers past 2^53 are always `bigint`;
 * - a float whose value is integral is wrapped, `float(1)`; other numbers, NaN and infinities are
 *   floats as they are;
 * - an array is a Python list; a tuple is wrapped, `tuple([a, b])`.
 */
import type { DType } from "@sconce/tensor";
import { notOneArray } from "./errors.js";
import { isLiteralList } from "./literal-list.js";

/** Reference to another node of the same graph, by name. */
export interface NodeRef {
  readonly kind: "node";
  /** The name of the node, in the same graph. */
  readonly name: string;
}
/** A Python float whose value is integral (`2.0`, `-0.0`). */
export interface FloatLiteral {
  readonly kind: "float";
  /** The number. */
  readonly value: number;
}
/** A complex number as an argument. */
export interface ComplexLiteral {
  readonly kind: "complex";
  /** The real part. */
  readonly re: number;
  /** The imaginary part. */
  readonly im: number;
}
/** A dtype as an argument: `torch.float32`. */
export interface DTypeLiteral {
  readonly kind: "dtype";
  /** The dtype. */
  readonly dtype: DType;
}
/** A device as an argument: `torch.device("cuda", 0)`. */
export interface DeviceLiteral {
  readonly kind: "device";
  /** The kind of device: `cpu`, `cuda`, `meta`. */
  readonly type: string;
  /** Which device of its kind; null when the program does not say. */
  readonly index: number | null;
}
/** Names of PyTorch's layouts, without `torch.`; values are always strided here. */
export const LAYOUTS = [
  "strided",
  "sparse_coo",
  "sparse_csr",
  "sparse_csc",
  "sparse_bsr",
  "sparse_bsc",
  "_mkldnn",
] as const;
/** A name of a layout. */
export type LayoutName = (typeof LAYOUTS)[number];
/** A layout as an argument: `torch.strided`. */
export interface LayoutLiteral {
  readonly kind: "layout";
  /** The layout's name without `torch.`. */
  readonly layout: LayoutName;
}
/** Names of PyTorch's memory formats, without `torch.`. */
export const MEMORY_FORMATS = [
  "contiguous_format",
  "preserve_format",
  "channels_last",
  "channels_last_3d",
] as const;
/** A name of a memory format. */
export type MemoryFormat = (typeof MEMORY_FORMATS)[number];
/** A memory format as an argument: `torch.channels_last`. */
export interface MemoryFormatLiteral {
  readonly kind: "memory_format";
  /** The memory format's name without `torch.`. */
  readonly format: MemoryFormat;
}
/** An operator passed as a value (first argument of `auto_functionalized_v2`). */
export interface OperatorLiteral {
  readonly kind: "operator";
  /** The operator: `aten.add.Tensor`. */
  readonly target: string;
}
/** A Python tuple as an argument; lists are arrays. */
export interface TupleLiteral {
  readonly kind: "tuple";
  /** The items, in order. */
  readonly items: readonly Argument[];
}
/** A Python dict as an argument; keys keep their order. */
export interface DictLiteral {
  readonly kind: "dict";
  /** The keys with their values, in order of insertion. */
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

/** Returns a reference to the node of this name. */
export const ref = (name: string): NodeRef => Object.freeze({ kind: "node", name });
/** Returns a Python float: wraps integral values, leaves the others as they are. */
export const float = (value: number): number | FloatLiteral =>
  Number.isInteger(value) ? Object.freeze({ kind: "float", value }) : value;
/** Returns a complex number as an argument. */
export const complex = (re: number, im: number): ComplexLiteral => Object.freeze({ kind: "complex", re, im });
/** Returns a Python int: a safe integer as `number`, anything larger as `bigint`. */
export const int = (value: number | bigint): number | bigint => {
  const asNumber = Number(value);
  return Number.isSafeInteger(asNumber) ? asNumber : BigInt(value);
};
/** Returns a dtype as an argument. */
export const dtypeLiteral = (dtype: DType): DTypeLiteral => Object.freeze({ kind: "dtype", dtype });
/** Returns a device as an argument. */
export const device = (type: string, index: number | null = null): DeviceLiteral =>
  Object.freeze({ kind: "device", type, index });
/** Returns a layout as an argument. */
export const layout = (name: LayoutName): LayoutLiteral => Object.freeze({ kind: "layout", layout: name });
/** Returns a memory format as an argument. */
export const memoryFormat = (format: MemoryFormat): MemoryFormatLiteral =>
  Object.freeze({ kind: "memory_format", format });
/** Returns an operator as an argument, as `auto_functionalized` takes it. */
export const operator = (target: string): OperatorLiteral => Object.freeze({ kind: "operator", target });
/**
 * Returns a Python tuple as an argument of a node. Tuples of models are `pythonTuple`.
 * @throws SconceError `INVALID_ARGUMENT` for anything but one array
 */
export function tuple(items: readonly Argument[], ...more: readonly never[]): TupleLiteral {
  if (!Array.isArray(items) || more.length > 0) throw notOneArray();
  return Object.freeze({ kind: "tuple", items });
}
/** Returns a Python dict as an argument. */
export const dict = (entries: readonly (readonly [string, Argument])[]): DictLiteral =>
  Object.freeze({ kind: "dict", entries });

type Tagged = Exclude<Argument, null | boolean | number | bigint | string | readonly Argument[]>;

/** Returns the tag of a wrapped argument, or undefined for primitives and lists. */
export function kindOf(value: unknown): Tagged["kind"] | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as { kind?: Tagged["kind"] }).kind
    : undefined;
}
/** Returns whether an argument is a reference to a node. */
export const isRef = (value: unknown): value is NodeRef => kindOf(value) === "node";
/** Returns whether an argument is a tuple. */
export const isTuple = (value: unknown): value is TupleLiteral => kindOf(value) === "tuple";
/** Returns whether an argument is a list; tuples are not. */
export const isList = (value: unknown): value is readonly Argument[] => Array.isArray(value);
/** True for what Python calls a float (wrapped, fractional, NaN or infinite). */
export const isFloat = (value: unknown): value is number | FloatLiteral =>
  typeof value === "number" ? !Number.isInteger(value) : kindOf(value) === "float";
/** True for what Python calls an int (bool excluded). */
export const isInt = (value: unknown): value is number | bigint =>
  typeof value === "bigint" || (typeof value === "number" && Number.isInteger(value));
/** Returns a literal as a JavaScript value: a wrapped float becomes its number. */
export const unwrapFloat = (value: Argument): Argument => (isFloat(value) ? toNumber(value) : value);

/** Returns the JavaScript number of an int, float or bool literal. */
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
    if (!isLiteralList(value)) for (const item of value as readonly Argument[]) forEachRef(item, visit);
    return;
  }
  const tagged = value as Tagged;
  if (tagged.kind === "node") visit(tagged.name);
  else if (tagged.kind === "tuple") for (const item of tagged.items) forEachRef(item, visit);
  else if (tagged.kind === "dict") for (const [, item] of tagged.entries) forEachRef(item, visit);
}

/**
 * Returns the argument with every node reference replaced; the same object back when nothing
 * changed.
 */
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
  if (isLiteralList(items)) return items;
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
