/** @file What the functions and methods of tensors give, by the schemas of their operators. */

import { knownSchemaText, knownTargets } from "@sconce/ops";
import {
  arrayOf,
  join,
  type Kind,
  known,
  listOf,
  PLAINS,
  primitive,
  SIZES,
  SYMS,
  TENSORS,
  UNDEFINED,
} from "./kinds.js";
import { fakeOf } from "./own-values.js";

/** Kinds of the results of each operator, by its name in lower case without underscores inside. */
let results: Map<string, Kind> | undefined;

function index(): Map<string, Kind> {
  const byName = new Map<string, Kind>();
  for (const target of knownTargets()) {
    const text = knownSchemaText(target)!;
    const key = keyOf(target.slice("aten.".length, target.lastIndexOf(".")));
    const kind = returnKind(text.slice(text.lastIndexOf("->") + 2).trim());
    const former = byName.get(key);
    byName.set(key, former === undefined ? kind : join(former, kind));
  }
  return byName;
}

/** `masked_fill_` and `maskedFill_` are the same name. */
const keyOf = (name: string): string => name.replace(/(?<=[A-Za-z0-9])_+(?=[A-Za-z0-9])/g, "").toLowerCase();

const LIST = arrayOf(TENSORS);
const SIZE_LIST = arrayOf(SIZES);

function returnKind(text: string): Kind {
  if (text.startsWith("(")) return text === "()" ? UNDEFINED : LIST;
  if (/^Tensor(?:\([^)]*\))?\??$/.test(text)) return TENSORS;
  if (text.startsWith("Tensor")) return LIST;
  if (/^(?:SymInt|int)\[/.test(text)) return SIZE_LIST;
  if (/^(?:SymInt|int)\b/.test(text)) return SIZES;
  return text.startsWith("Scalar") ? SYMS : PLAINS;
}

/** Methods that Python defines without an operator, and those whose schema says less. */
const METHODS: Readonly<Record<string, Kind>> = {
  numel: SIZES,
  nelement: SIZES,
  storageOffset: SIZES,
  dim: PLAINS,
  ndimension: PLAINS,
  elementSize: PLAINS,
  getDevice: PLAINS,
  isComplex: PLAINS,
  isContiguous: PLAINS,
  isFloatingPoint: PLAINS,
  isSigned: PLAINS,
  isConj: PLAINS,
  isNeg: PLAINS,
  isInference: PLAINS,
  isSameSize: PLAINS,
  toString: PLAINS,
  item: SYMS,
  tolist: arrayOf(SYMS),
  lu: LIST,
  split: LIST,
  unique: join(TENSORS, LIST),
  uniqueConsecutive: join(TENSORS, LIST),
  nonzero: join(TENSORS, LIST),
  type: join(TENSORS, PLAINS),
};

/** Functions whose results the check must know that are not operators. */
const FUNCTIONS: Readonly<Record<string, Kind>> = {
  isTensor: PLAINS,
  multiHeadAttentionForward: LIST,
  maxPool1dWithIndices: LIST,
  maxPool2dWithIndices: LIST,
  maxPool3dWithIndices: LIST,
  fractionalMaxPool2dWithIndices: LIST,
  fractionalMaxPool3dWithIndices: LIST,
  adaptiveMaxPool1dWithIndices: LIST,
  adaptiveMaxPool2dWithIndices: LIST,
  adaptiveMaxPool3dWithIndices: LIST,
};

/** Operators whose results have sizes, or are numbers, that only the data decide. */
export const DATA_DEPENDENT =
  /^(?:item|tolist|nonzero|argwhere|maskedSelect|unique|uniqueConsecutive|uniqueDim|bincount|repeatInterleave)$/;

/** Returns what a method of a tensor gives. */
export function methodResult(name: string, tensor: unknown, args: readonly Kind[]): Kind {
  if (name === "size" || name === "stride") return sizes(name, tensor, args);
  if (Object.hasOwn(METHODS, name)) return METHODS[name]!;
  results ??= index();
  return results.get(keyOf(name)) ?? TENSORS;
}

/** Returns what an operator of the user's gives, by the types of its schema. */
export function customResult(returns: string): Kind {
  const items = returns.startsWith("(") ? returns.slice(1, -1).split(", ").filter(Boolean) : [];
  if (returns === "()") return known(null);
  return items.length > 0 ? listOf(items.map(customKind)) : customKind(returns);
}

/** Numbers may be such that only the data decide. */
function customKind(type: string): Kind {
  if (type === "Tensor[]") return LIST;
  return type.startsWith("Tensor") ? TENSORS : SIZES;
}

/** Returns what a function of `torch` or of `nn.functional` gives. */
export function functionResult(name: string): Kind {
  if (Object.hasOwn(FUNCTIONS, name)) return FUNCTIONS[name]!;
  results ??= index();
  return results.get(keyOf(name)) ?? TENSORS;
}

/** `x.size()` and `x.size(dim)`: of a tensor that is there, the size itself. */
function sizes(name: "size" | "stride", tensor: unknown, args: readonly Kind[]): Kind {
  const all = sizesOf(tensor, name);
  const [dim] = args;
  if (dim === undefined) return all === undefined ? SIZE_LIST : listOf(all.map(sizeKind));
  const index = primitive(dim)?.value;
  if (all === undefined || typeof index !== "number") return SIZES;
  const size = all.at(index);
  return size === undefined ? SIZES : sizeKind(size);
}

const sizeKind = (size: unknown): Kind => (typeof size === "number" ? known(size) : SYMS);

function sizesOf(tensor: unknown, name: "size" | "stride"): readonly unknown[] | undefined {
  const fake = fakeOf(tensor);
  if (fake === undefined) {
    const { shape, strides } = (tensor ?? {}) as { shape?: readonly number[]; strides?: readonly number[] };
    return name === "size" ? shape : strides;
  }
  const own = name === "size" ? fake.shape : fake.strides;
  return own.every((size) => typeof size === "number") || name === "size" ? own : undefined;
}
