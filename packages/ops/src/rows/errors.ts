import { requireWord as refuseOthers, SconceError, thrownText } from "@sconce/errors";
import type { OpSchema } from "@sconce/ir";

/** Returns the error when an argument without default was not given. */
export const argumentMissing = (schema: OpSchema, name: string): SconceError =>
  new SconceError({
    code: "ARGUMENT_MISSING",
    message: `${schema.target} is missing a value for the argument "${name}"`,
    where: schema.target,
    fix: `give "${name}", which has no default`,
  });

/**
 * More positional arguments than the schema takes, a keyword that it does not have, or one given
 * twice.
 */
export const argumentUnexpected = (schema: OpSchema, what: string): SconceError =>
  new SconceError({
    code: "ARGUMENT_UNEXPECTED",
    message: `${schema.target} ${what}`,
    where: schema.target,
    fix: `give only these: (${schema.args.map((arg) => arg.name).join(", ")})`,
  });

/** Returns the error for a value of the wrong kind for its schema type. */
export const argumentKind = (target: string, name: string, expected: string, got: string): SconceError =>
  new SconceError({
    code: "ARGUMENT_KIND",
    message: `${target}: the argument "${name}" must be ${expected}, got ${got}`,
    where: target,
    fix: `give "${name}" a value of the type ${expected}`,
  });

/**
 * Returns the error for an integer with more bits than PyTorch's numbers have, with PyTorch's
 * reason.
 */
export const argumentOverflow = (target: string, name: string, reason: string): SconceError =>
  new SconceError({
    code: "INVALID_ARGUMENT",
    message: `${target}: the argument "${name}": value cannot be converted to type int64_t without overflow: ${reason}`,
    where: target,
    fix: `give "${name}" an integer from -2^63 to 2^64 - 1, or a float`,
  });

/** Text in a node in the place of a literal. */
export const argumentLiteral = (target: string, name: string, expected: string, text: string): SconceError =>
  new SconceError({
    code: "ARGUMENT_KIND",
    message: `${target}: the argument "${name}" must be ${expected}, got the string "${text}"`,
    where: target,
    fix: `give "${name}" a literal: ${text} without quotes in IR text, dtypeLiteral, layout or memoryFormat in code`,
  });

/** Returns the error for an integer that numbers none of the choices. */
export function argumentChoice(
  target: string,
  name: string,
  choices: readonly string[],
  got: number,
): SconceError {
  const list = choices.map((choice, i) => `${i} (${choice})`).join(", ");
  return new SconceError({
    code: "INVALID_ARGUMENT",
    message: `${target}: the argument "${name}" must be one of ${list}, got ${got}`,
    where: target,
    fix: `give "${name}" one of ${list}`,
  });
}

/** Returns the error for a key that one table has twice, or that two families have. */
export const duplicateKey = (key: string, families?: readonly [string, string]): SconceError =>
  new SconceError({
    code: "DUPLICATE_KEY",
    message:
      families === undefined
        ? `${key} is defined twice in one table`
        : `${key} is defined in the family "${families[0]}" and in the family "${families[1]}"`,
    where: key,
    fix: "remove one of the two entries",
  });

/** Returns the error for a row without meta rule and without decomposition. */
export const operatorWithoutMeta = (target: string): SconceError =>
  new SconceError({
    code: "OPERATOR_WITHOUT_META",
    message: `${target} has neither a shape rule nor a decomposition`,
    where: target,
    fix: "give the operator a `meta` rule or a `decompose` rule in defineOp",
  });

/**
 * Returns the error for a decomposition that asks an operator for another number of results than
 * it has.
 */
export const resultKind = (target: string, expected: string): SconceError =>
  new SconceError({
    code: "RESULT_KIND",
    message: `${target} does not give ${expected}`,
    where: target,
    fix: "call emit(...) for one tensor, emit.many(...) for several, emit.value(...) for other results",
  });

/** A refusal of an operator, with the arguments of the call behind the reason. */
export class RefusedCall extends SconceError {
  /** The refusal as the rule or kernel gave it. */
  readonly reason: SconceError;

  constructor(reason: SconceError, where: string, args: string, fix: string) {
    const { code, message, cause, edits } = reason;
    const given = args === "" ? "" : /[.!?]$/.test(message) ? ` Got ${args}` : `; got ${args}`;
    super({ code, message: `${message}${given}`, where, fix, cause, edits });
    this.reason = reason;
  }
}

/** Returns the refusal of a call, with what names its place, its arguments, and a fix. */
export const refusedWith = (reason: SconceError, where: string, args: string, fix: string): RefusedCall =>
  new RefusedCall(reason, where, args, fix);

/**
 * Returns the error for a decomposition, run for its result alone, that throws something other than
 * a {@link SconceError}.
 */
export const decompositionThrew = (thrown: unknown): SconceError =>
  new SconceError({
    code: "DECOMPOSITION_FAILED",
    message: `the decomposition threw: ${thrownText(thrown)}`,
    fix: "correct the arguments, or the decomposition",
    cause: thrown,
  });

/** The fix of a refusal until the call is known, which has a better one: see `refusedCall`. */
export const GENERAL_FIX = "give arguments that the operator takes";

/** Sizes that do not go together. */
export const shapeMismatch = (message: string): SconceError =>
  new SconceError({ code: "SHAPE_MISMATCH", message, fix: GENERAL_FIX });

/** Element types that the operator does not take. */
export const dtypeMismatch = (message: string): SconceError =>
  new SconceError({ code: "DTYPE_MISMATCH", message, fix: GENERAL_FIX });

/** Returns the error for tensors of a mixed precision region that no dtype of it can hold. */
export const mixedAutocast = (target: string, dtype: string, other: string): SconceError =>
  new SconceError({
    code: "DTYPE_MISMATCH",
    message: `Unexpected floating ScalarType in at::autocast::prioritize: ${target} joins ${other} in a region of ${dtype}`,
    where: target,
    fix: `convert the tensor to ${dtype} or float32, or open the region with the dtype ${other}`,
  });

/** Returns the error for an argument value that PyTorch refuses. */
export const invalidArgument = (message: string): SconceError =>
  new SconceError({ code: "INVALID_ARGUMENT", message, fix: GENERAL_FIX });

/** Refuses a word that is not one of those that an argument takes. */
export const requireWord = (word: string, words: readonly string[], message: string): void =>
  refuseOthers(word, words, { code: "INVALID_ARGUMENT", message });

/** Sizes that no memory has, in PyTorch's words. */
export const sizesOverflow = (shape: readonly unknown[]): SconceError =>
  invalidArgument(`Storage size calculation overflowed with sizes=[${shape.join(", ")}]`);

/** Returns the error for a write to a tensor several of whose elements are one place in memory. */
export const internalOverlap = (message: string, where?: string): SconceError =>
  new SconceError({
    code: "INTERNAL_OVERLAP",
    message,
    where,
    fix: "clone the tensor before writing to it, or leave the write out",
  });

/** Returns the error for a dimension number outside of the tensor's rank. */
export const dimOutOfRange = (dim: number, ndim: number): SconceError => {
  const low = -Math.max(ndim, 1);
  const message = `Dimension out of range (expected to be in range of [${low}, ${-low - 1}], but got ${dim})`;
  const fix = `give a dimension from ${low} to ${-low - 1}`;
  return new SconceError({ code: "DIM_OUT_OF_RANGE", message, fix });
};

/** Returns the error for a scalar function outside of its domain (division by zero, `sqrt(-1)`). */
export const scalarDomain = (target: string, message: string): SconceError =>
  new SconceError({
    code: "SCALAR_DOMAIN",
    message: `${target}: ${message}`,
    where: target,
    fix: "give inputs in the domain of the function",
  });

/** Returns the error for an argument of a scalar function that is not a number. */
export const scalarArgument = (target: string, message: string): SconceError =>
  new SconceError({
    code: "SCALAR_ARGUMENT",
    message: `${target}: ${message}`,
    where: target,
    fix: "correct the arguments, or keep the operator out of the decomposition table",
  });

/** Inputs, by the places that PyTorch names them, of which only dtype and shape are known. */
export const inputsWithoutValues = (
  inputs: readonly { readonly place: string; readonly name: string }[],
): SconceError =>
  new SconceError({
    code: "NO_VALUES",
    message: `running the program needs the values of its inputs: ${inputs.map(({ place, name }) => `${place} (${name})`).join(", ")} have none`,
    where: inputs[0]?.name,
    fix: "give tensors with values: example inputs on the meta device have none",
  });

/** Returns the error for an input that the program does not take. */
export const inputRejected = (code: string, message: string, where?: string): SconceError =>
  new SconceError({ code, message, where, fix: "give inputs like those the program was exported with" });

/** Returns the error for a guard that cannot be evaluated, whatever the inputs are. */
export const guardWithoutValue = (guard: string, { code, message, cause }: SconceError): SconceError =>
  new SconceError({
    code,
    message: `the guard "${guard}" has no value: ${message}`,
    where: `guard "${guard}"`,
    fix: "correct or remove the guard in `guardsCode`: it may name only inputs and their sizes",
    cause,
  });

/** Returns the error for a rejected input, with what the program takes and what it was given. */
export const inputsExpected = (error: SconceError, expected: string, given: string): SconceError =>
  new SconceError({
    code: error.code,
    message: error.message,
    where: error.where,
    fix: `give inputs like those the program was exported with: ${expected}; got ${given}`,
    cause: error.cause,
  });

/** Returns the error for a shape rule or decomposition that is wrong in itself. */
export const wrongRule = (
  code: string,
  { target }: OpSchema,
  message: string,
  cause?: unknown,
): SconceError =>
  new SconceError({
    code,
    message,
    where: target,
    fix:
      code === "SHAPE_RULE"
        ? "return what the schema says: a FakeTensor with dtype, shape and strides for each Tensor"
        : "return what the schema says, made by the emitter",
    ...(cause === undefined ? {} : { cause }),
  });

/** Returns the error for a call of a Python function that symbolic arithmetic does not know. */
export const unknownScalarFunction = (target: string): SconceError =>
  new SconceError({
    code: "UNKNOWN_OPERATOR",
    message: `unknown scalar function "${target}"`,
    fix: "export the program again, or register the operator with a plugin that lists it under `ops`",
  });

/** Returns the error for a write to a view whose operator has no inverse. */
export const noViewInverse = (target: string): SconceError =>
  new SconceError({
    code: "VIEW_INVERSE",
    message: "a write to the result of the view cannot be written back into its base",
    where: target,
    fix: "decompose the operator into views that can be written through, or clone its result first",
  });
