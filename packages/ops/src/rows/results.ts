/**
 * @file What shape rules and decompositions return, checked against the schema of their operator.
 */
import { describeValue, isSconceError, thrownText } from "@sconce/errors";
import { FakeTensor, type OpSchema, type SchemaType } from "@sconce/ir";
import { SymExpr } from "@sconce/symbolic";
import { isDType } from "@sconce/tensor";
import { argumentKind, sizesOverflow, wrongRule } from "./errors.js";

/**
 * Why a value is not a tensor result, as `returned` goes on: "a plain object"; undefined when it is
 * one.
 */
export type TensorProblem = (value: unknown) => string | undefined;

/**
 * Returns why a value cannot be the result of an operator:
 * `returned a list of 2 where its schema says Tensor`. Checks arity and kinds against the schema,
 * and dtype, sizes, strides and offset of each tensor; undefined when nothing is wrong.
 *
 * @param tensorProblem checks one tensor; {@link fakeProblem} by default
 */
export function resultProblem(
  schema: OpSchema | undefined,
  value: unknown,
  tensorProblem: TensorProblem = fakeProblem,
): string | undefined {
  if (isThenable(value)) return "returned a promise; it must return its result synchronously";
  if (schema === undefined) return undefined;
  const { returns } = schema;
  if (returns.length === 0)
    return isNothing(value) ? undefined : `returned ${described(value)} where its schema returns nothing`;
  if (returns.length === 1) return elementProblem(schema, returns[0]!.type, value, tensorProblem, "");
  if (!Array.isArray(value) || value.length !== returns.length) return mismatch(schema, value, "");
  for (const [i, { type }] of returns.entries()) {
    // Results that a mask leaves out are None, whatever the schema says.
    if (value[i] === null) continue;
    const problem = elementProblem(schema, type, value[i], tensorProblem, ` as result ${i}`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Returns why a value is not a valid fake tensor. */
function fakeProblem(value: unknown): string | undefined {
  if (!(value instanceof FakeTensor)) {
    const { shape, dtype } = (value ?? {}) as Partial<Record<string, unknown>>;
    return Array.isArray(shape) && dtype !== undefined
      ? `${described(value)} that is not a FakeTensor`
      : described(value);
  }
  const { dtype, shape, strides, storageOffset } = value;
  if (isSound(value)) return undefined;
  if (!isDType(dtype)) return `a tensor whose dtype is ${shown(dtype)}, which is not a dtype`;
  if (!Array.isArray(shape)) return `a tensor whose shape is ${shown(shape)}, not a list of sizes`;
  const size = shape.find((one) => !isSize(one));
  if (size !== undefined || shape.includes(undefined))
    return `a tensor whose shape ${shown(shape)} holds ${shown(size)}; a size is a non-negative integer or symbolic`;
  if (!Array.isArray(strides)) return `a tensor whose strides are ${shown(strides)}, not a list of integers`;
  if (strides.length !== shape.length)
    return `a tensor with ${strides.length} strides for ${shape.length} dimensions`;
  const stride = strides.find((one) => !isSize(one));
  if (stride !== undefined || strides.includes(undefined))
    return `a tensor whose strides ${shown(strides)} hold ${shown(stride)}; a stride is a non-negative integer or symbolic`;
  return isSize(storageOffset) ? undefined : `a tensor whose storage offset is ${shown(storageOffset)}`;
}

/**
 * Returns whether {@link fakeProblem} finds nothing: the check of every result, without making
 * anything.
 */
function isSound({ dtype, shape, strides, storageOffset }: FakeTensor): boolean {
  if (!isDType(dtype) || !Array.isArray(shape) || !Array.isArray(strides) || !isSize(storageOffset))
    return false;
  if (shape.length !== strides.length) return false;
  for (let d = 0; d < shape.length; d++) if (!isSize(shape[d]) || !isSize(strides[d])) return false;
  return true;
}

/**
 * Returns the rule, which throws `SHAPE_RULE` or `DECOMPOSITION_RESULT` for a result that its
 * schema does not allow.
 */
export function checkedRule<A, B, R>(
  code: "SHAPE_RULE" | "DECOMPOSITION_RESULT",
  schema: OpSchema,
  rule: (first: A, second: B) => R,
): (first: A, second: B) => R {
  const what = `the ${code === "SHAPE_RULE" ? "shape rule" : "decomposition"} of ${schema.target}`;
  const isTensor = givesOneTensor(schema);
  const checked = (result: R): R => {
    if (isTensor && result instanceof FakeTensor && isSound(result)) return result;
    const problem = resultProblem(schema, result);
    if (problem === undefined) return result;
    // Sizes of the call, and not the rule, are at fault.
    const huge = (Array.isArray(result) ? (result as readonly unknown[]) : [result]).find(isHuge);
    if (huge !== undefined) throw sizesOverflow(huge.shape);
    throw wrongRule(code, schema, `${what} ${problem}`);
  };
  if (code === "DECOMPOSITION_RESULT") return (emit, args) => checked(rule(emit, args));
  return (args, context) => {
    let result: R;
    try {
      result = rule(args, context);
    } catch (error) {
      if (isSconceError(error) || isOutOfMemory(error)) throw error;
      const wrong = numberAsTensor(schema, args as Readonly<Record<string, unknown>>);
      if (wrong !== undefined)
        throw argumentKind(schema.target, wrong, "a tensor", describeValue((args as never)[wrong]));
      throw wrongRule(code, schema, `${what} threw: ${thrownText(error)}`, error);
    }
    return checked(result);
  };
}

/** Returns whether a tensor has sizes or strides that are integers, and 2^53 or more. */
const isHuge = (value: unknown): value is FakeTensor =>
  value instanceof FakeTensor &&
  [value.shape, value.strides]
    .flat()
    .some((size) => Number.isInteger(size) && Number(size) > Number.MAX_SAFE_INTEGER);

/**
 * Returns the name of a tensor argument that is a number. Calls may have them, as PyTorch's
 * arithmetic does; a rule that fails on one is not at fault.
 */
function numberAsTensor({ args }: OpSchema, given: Readonly<Record<string, unknown>>): string | undefined {
  return args.find(({ name, type }) => {
    const value = given[name];
    return (
      type.base === "Tensor" &&
      !type.list &&
      value !== null &&
      value !== undefined &&
      !(value instanceof FakeTensor)
    );
  })?.name;
}

function givesOneTensor({ returns }: OpSchema): boolean {
  const [first] = returns;
  return returns.length === 1 && first!.type.base === "Tensor" && !first!.type.list;
}

/** Returns whether an allocation failed, unlike the `RangeError` of an endless recursion. */
export const isOutOfMemory = (error: unknown): boolean =>
  error instanceof RangeError && !error.message.includes("call stack");

function elementProblem(
  schema: OpSchema,
  type: SchemaType,
  value: unknown,
  tensorProblem: TensorProblem,
  place: string,
): string | undefined {
  if (value === null) return type.optional ? undefined : mismatch(schema, value, place);
  if (type.list) {
    if (!Array.isArray(value)) return mismatch(schema, value, place);
    for (const [i, item] of value.entries()) {
      if (item === null && (type.optionalElements || type.base === "Tensor")) continue;
      const problem = itemProblem(schema, type.base, item, tensorProblem, `${place} at ${i} of a list`);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }
  return itemProblem(schema, type.base, value, tensorProblem, place);
}

function itemProblem(
  schema: OpSchema,
  base: string,
  value: unknown,
  tensorProblem: TensorProblem,
  place: string,
): string | undefined {
  if (base !== "Tensor")
    return SCALARS[base]?.(value) === false || value === undefined || typeof value === "function"
      ? mismatch(schema, value, place)
      : undefined;
  const problem = tensorProblem(value);
  if (problem === undefined) return undefined;
  return problem.startsWith("a tensor") ? `returned ${problem}` : mismatch(schema, value, place, problem);
}

const kindOf = (value: unknown): string =>
  typeof value === "object" && value !== null
    ? value instanceof SymExpr
      ? "SymExpr"
      : String((value as { kind?: unknown }).kind)
    : typeof value;

/** Whether a value is a scalar of a schema type: literals, tagged literals, and symbolic ones. */
const SCALARS: Readonly<Record<string, (value: unknown) => boolean>> = {
  int: (value) => isOneOf(value, ["number", "bigint", "SymInt", "SymExpr", "constant"]),
  SymInt: (value) => isOneOf(value, ["number", "bigint", "SymInt", "SymExpr", "constant"]),
  float: (value) =>
    isOneOf(value, ["number", "bigint", "float", "SymFloat", "SymInt", "SymExpr", "constant"]),
  bool: (value) => isOneOf(value, ["boolean", "SymBool", "SymExpr", "constant"]),
  SymBool: (value) => isOneOf(value, ["boolean", "SymBool", "SymExpr", "constant"]),
};

const isOneOf = (value: unknown, kinds: readonly string[]): boolean => kinds.includes(kindOf(value));

const isSize = (value: unknown): boolean =>
  typeof value === "number" ? Number.isSafeInteger(value) && value >= 0 : value instanceof SymExpr;

const isThenable = (value: unknown): boolean =>
  typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";

const isNothing = (value: unknown): boolean =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0);

const mismatch = (schema: OpSchema, value: unknown, place: string, text = described(value)): string =>
  `returned ${text}${place} where its schema says ${returnsText(schema)}`;

const returnsText = ({ returns }: OpSchema): string => {
  const types = returns.map(
    ({ type: { base, list, optional } }) => `${base}${list ? "[]" : ""}${optional ? "?" : ""}`,
  );
  return types.length === 1 ? types[0]! : `(${types.join(", ")})`;
};

function described(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (value === null || value === undefined) return String(value);
  if (value instanceof FakeTensor) return "a tensor";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** Returns a value as text for a message. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(shown).join(", ")}]`;
  if (value instanceof SymExpr) return "a symbolic size";
  if (typeof value === "string") return JSON.stringify(value);
  return typeof value === "object" && value !== null ? "an object" : String(value);
}
