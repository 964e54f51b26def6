/** @file Whether two recorded values may be the same value, judged by dtypes, ranks and sizes. */

import { describeValue } from "@sconce/errors";
import { eq, type IntLike, printExpr, SymExpr } from "@sconce/symbolic";
import { type Argument, isFloat, isInt, itemsOf } from "../values/argument.js";
import { FakeTensor, type MetaValue } from "../values/meta.js";

/** `float32[2, s77]`, `an integer`, `None`. */
export function valueText(value: MetaValue): string {
  if (value instanceof FakeTensor) return tensorText(value);
  const family = familyOf(value);
  if (family === "results" && Array.isArray(value)) return `${value.length} results`;
  return FAMILY_TEXT[family];
}

/** `float32[2, s77]`. */
export const tensorText = ({ dtype, shape }: Pick<FakeTensor, "dtype" | "shape">): string =>
  `${dtype}[${shape.map((size) => (size instanceof SymExpr ? printExpr(size) : describeValue(size))).join(", ")}]`;

type Family = "tensor" | "int" | "float" | "bool" | "none" | "results" | "other";

const FAMILY_TEXT: Readonly<Record<Family, string>> = {
  tensor: "a tensor",
  int: "an integer",
  float: "a float",
  bool: "a bool",
  none: "None",
  results: "several results",
  other: "a value of another kind",
};

/** Returns the kind of a value; those of one family may represent each other. */
export function familyOf(value: MetaValue): Family {
  if (value === null) return "none";
  if (value instanceof FakeTensor) return "tensor";
  if (Array.isArray(value)) return "results";
  switch ((value as Exclude<MetaValue, null | readonly MetaValue[]> & { readonly kind?: string }).kind) {
    case "SymInt":
      return "int";
    case "SymFloat":
      return "float";
    case "SymBool":
      return "bool";
    case "constant":
      return familyOfLiteral((value as { readonly value: Argument }).value);
    default:
      return "other";
  }
}

function familyOfLiteral(value: Argument): Family {
  if (value === null) return "none";
  if (typeof value === "boolean") return "bool";
  if (isInt(value)) return "int";
  return isFloat(value) ? "float" : itemsOf(value) === undefined ? "other" : "results";
}

/** Returns what a literal argument has as recorded value. */
export const literalValue = (value: Argument): MetaValue =>
  value === null ? null : Object.freeze({ kind: "constant", value });

/** Returns whether sizes are equal for some values of their symbols. */
export const mayEqual = (a: IntLike, b: IntLike): boolean => {
  if (a === b || !isSize(a) || !isSize(b)) return true; // a size of another kind is reported at its node
  return typeof a === "number" && typeof b === "number" ? false : eq(a, b) !== false;
};

const isSize = (size: unknown): boolean => typeof size === "number" || size instanceof SymExpr;

/**
 * Returns whether the two may be one value: tensors of one dtype, rank and device whose sizes may
 * be equal, scalars of one kind. What is unknown agrees with everything.
 */
export function agree(a: MetaValue | undefined, b: MetaValue | undefined): boolean {
  if (a === undefined || b === undefined) return true;
  if (a instanceof FakeTensor && b instanceof FakeTensor) {
    return (
      a.dtype === b.dtype &&
      a.ndim === b.ndim &&
      a.device.type === b.device.type &&
      a.shape.every((size, d) => mayEqual(size, b.shape[d]!))
    );
  }
  const families = [familyOf(a), familyOf(b)];
  return families[0] === families[1] || families.includes("other");
}

/**
 * Returns the value without its first dimension: what a loop over that dimension gives its body.
 */
export const sliceOf = (value: MetaValue | undefined): MetaValue | undefined =>
  value instanceof FakeTensor && value.ndim > 0
    ? new FakeTensor({ ...value, shape: value.shape.slice(1), strides: value.strides.slice(1) })
    : value;

/** Returns the value with a first dimension of this size: what a loop stacks. */
export const stackOf = (value: MetaValue | undefined, size: IntLike): MetaValue | undefined =>
  value instanceof FakeTensor
    ? new FakeTensor({ ...value, shape: [size, ...value.shape], strides: [0, ...value.strides] })
    : value;
