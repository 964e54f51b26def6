/** @file What an operator refuses, with the arguments that it was called with and a fix. */
import { isSconceError, type SconceError } from "@sconce/errors";
import type { OpSchema, SchemaArgument } from "@sconce/ir";
import { printExpr, SymExpr } from "@sconce/symbolic";
import type { BoundArgs, OpDefinition } from "./define-op.js";
import { GENERAL_FIX, RefusedCall, refusedWith } from "./errors.js";

/**
 * What rules and kernels refuse a call with. Other errors of a call get its target as their place.
 */
const REFUSALS: ReadonlySet<string> = new Set([
  "DECOMPOSITION_FAILED",
  "SHAPE_MISMATCH",
  "DTYPE_MISMATCH",
  "INVALID_ARGUMENT",
  "DIM_OUT_OF_RANGE",
  "INDEX_OUT_OF_RANGE",
  "INTERNAL_OVERLAP",
  "NO_COMPLEX_KERNEL",
  "OUT_OF_STORAGE",
  "PROMOTION",
]);

/**
 * Returns the error of a call: a refusal of the operator's rule or kernel gets the arguments with
 * their dtypes and sizes, the target as its place and a fix, where the rule gives the general one.
 * A refusal inside of a decomposition is reported with the arguments of the outermost call. What is
 * not an error of Sconce's is returned as it is.
 */
export function refusedCall(error: unknown, { target, schema }: OpDefinition, bound: BoundArgs): unknown {
  if (!isSconceError(error)) return error;
  if (!REFUSALS.has(error.code)) return error.where === undefined ? error.at(target) : error;
  const reason = error instanceof RefusedCall ? error.reason : error;
  const where = error.where === undefined ? target : placeIn(target, error.where);
  const isGeneral = reason.fix === undefined || reason.fix === GENERAL_FIX;
  const fix = isGeneral ? fixFor(reason, schema, bound) : reason.fix;
  return refusedWith(reason, where, argumentsText(schema, bound), fix);
}

/** `aten.linear.default: aten.addmm.default`; a place that is named already is not repeated. */
const placeIn = (target: string, where: string): string =>
  where === target || where.startsWith(`${target}: `) ? where : `${target}: ${where}`;

/** Most characters and items of {@link argumentsText}. */
const LONGEST = 400;
const MOST_ITEMS = 6;

/** `self: float32[2, 3], mat2: float32[4, 5]`; defaults are left out. */
function argumentsText({ args }: OpSchema, bound: BoundArgs): string {
  const given = args.flatMap((parameter) => {
    const value = bound[parameter.name];
    return isDefault(parameter, value) ? [] : [`${parameter.name}: ${valueText(value)}`];
  });
  const text = given.join(", ");
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}...`;
}

function isDefault({ hasDefault, defaultValue, type }: SchemaArgument, value: unknown): boolean {
  if (value === null || value === undefined) return hasDefault || type.optional;
  return hasDefault && valueText(value) === valueText(defaultValue);
}

/** Returns a bound argument in a few words. */
function valueText(value: unknown): string {
  if (value === null || value === undefined) return "None";
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
    return String(value);
  if (typeof value === "bigint") return String(value);
  if (value instanceof SymExpr) return printExpr(value);
  if (Array.isArray(value)) {
    const shown = value.slice(0, MOST_ITEMS).map(valueText);
    if (value.length > shown.length) shown.push(`... ${value.length} in all`);
    return `[${shown.join(", ")}]`;
  }
  if (isTensor(value)) return `${value.dtype}${valueText(value.shape)}`;
  const { kind, expr, value: literal, type } = value as Readonly<Record<string, unknown>>;
  if (expr instanceof SymExpr) return printExpr(expr);
  if (kind === "float" || kind === "constant") return valueText(literal);
  return kind === "device" && typeof type === "string" ? type : `a ${String(kind ?? "value")}`;
}

interface TensorLike {
  readonly dtype: string;
  readonly shape: readonly unknown[];
}

const isTensor = (value: unknown): value is TensorLike =>
  typeof value === "object" &&
  value !== null &&
  "dtype" in value &&
  "shape" in value &&
  Array.isArray(value.shape);

/** Returns an instruction for a refusal whose rule gives the general one. */
function fixFor({ code, message }: SconceError, schema: OpSchema, bound: BoundArgs): string {
  const tensors = schema.args.filter(({ name }) => {
    const value = bound[name];
    return isTensor(value) || (Array.isArray(value) && value.some(isTensor));
  });
  const names = tensors.slice(0, 3).map(({ name }) => `\`${name}\``);
  if (code === "SHAPE_MISMATCH") return shapeFix(message, names, schema, bound);
  if (code === "DTYPE_MISMATCH" || code === "PROMOTION") return dtypeFix(names, tensors, bound);
  if (code === "INDEX_OUT_OF_RANGE") return "give indices inside of the dimension that the message names";
  return `correct the argument that the message describes; the call takes ${takes(schema)}`;
}

/** What to do about the most frequent messages. */
const SHAPE_FIXES: readonly (readonly [message: RegExp, fix: string])[] = [
  [/shapes cannot be multiplied/, "make the inner sizes equal: transpose or reshape"],
  [/^The size of tensor a/, "make these two sizes equal, or one of them 1: reshape, expand or slice"],
  [
    /^Sizes of tensors must match except/,
    "make all other sizes equal, or join in another dimension: reshape or slice",
  ],
];

function shapeFix(message: string, names: readonly string[], schema: OpSchema, bound: BoundArgs): string {
  const given = schema.args.filter((parameter) => !isDefault(parameter, bound[parameter.name]));
  const all = given.slice(0, 3).map(({ name }) => `\`${name}\``);
  const known = SHAPE_FIXES.find(([pattern]) => pattern.test(message))?.[1];
  if (known !== undefined) return `${known} ${names.join(" or ") || "an argument"}`;
  if (names.length === 1 && all.length > 1) return `correct ${all.join(" or ")}`;
  return `correct the sizes of ${names.join(" or ") || "the arguments"}: reshape, transpose, expand or slice`;
}

function dtypeFix(names: readonly string[], tensors: readonly SchemaArgument[], bound: BoundArgs): string {
  const dtypes = tensors.flatMap(({ name }) => {
    const value = bound[name];
    return isTensor(value) ? [value.dtype] : [];
  });
  const other = dtypes.findIndex((dtype) => dtype !== dtypes[0]);
  if (other > 0 && other < names.length)
    return `convert ${names[other]} to ${dtypes[0]}, or ${names[0]} to ${dtypes[other]}, with \`x.to(dtype)\` in the model`;
  return `convert ${names.join(" or ") || "an argument"} to a dtype that the operator takes, with \`x.to(dtype)\` in the model`;
}

/** `(Tensor self, int dim=-1)`, the parameters as PyTorch declares them. */
const takes = ({ args }: OpSchema): string =>
  `(${args.map(({ name, type }) => `${type.base}${type.list ? `[${type.listSize ?? ""}]` : ""}${type.optional ? "?" : ""} ${name}`).join(", ")})`;
