/** @file Errors of custom operators. Messages follow PyTorch's. */
import { SconceError } from "@sconce/errors";

/**
 * Returns the error for a definition of an operator that PyTorch refuses, or that cannot be read.
 */
export const customOpDefinition = (name: string, message: string, fix: string): SconceError =>
  new SconceError({ code: "CUSTOM_OP", message: `${name}: ${message}`, where: name, fix });

/** Returns the error for an operator without a fake, in a trace. */
export const noFake = (name: string): SconceError =>
  new SconceError({
    code: "NO_FAKE",
    message: `There was no fake impl registered for <CustomOpDef(${name})>. This is necessary for torch.compile/export/fx tracing to work.`,
    where: name,
    fix: "call `registerFake` of the operator with a function that gives dtype and sizes of the results: `op.registerFake((x) => torch.emptyLike(x))`",
  });

/** Returns the error for a fake that throws, or whose result does not fit the schema. */
export const fakeFailed = (name: string, problem: string, cause?: unknown): SconceError =>
  new SconceError({
    code: "FAKE_FAILED",
    message: `the fake of ${name} ${problem}`,
    where: name,
    fix: "give the results that the schema of the operator has, as tensors without values: `torch.emptyLike(x)`, `x.newEmpty([2, 3])`",
    cause,
  });

/** Returns the error for a size that a fake makes, and that its results do not have. */
export const unboundSymbols = (name: string, symbols: readonly string[]): SconceError =>
  new SconceError({
    code: "FAKE_FAILED",
    message: `Pending unbacked symbols {${symbols.join(", ")}} not in returned outputs of the fake of ${name}`,
    where: name,
    fix: "make each new size a size of a result, or twice a size and the like; call `newDynamicSize()` and `item()` no more often than that",
  });

/**
 * Returns the error for a decomposition that throws, whose result does not fit, or that needs
 * values.
 */
export const decompositionFailed = (
  name: string,
  problem: string,
  fix: string,
  cause?: unknown,
): SconceError =>
  new SconceError({
    code: "CUSTOM_OP_DECOMPOSITION",
    message: `the decomposition of ${name} ${problem}`,
    where: name,
    fix,
    cause,
  });

/** Returns the error for a kernel whose result does not fit the schema. */
export const kernelResult = (name: string, problem: string): SconceError =>
  new SconceError({
    code: "KERNEL_RESULT",
    message: `the kernel of ${name} ${problem}`,
    where: name,
    fix: "return what the schema of the operator says, or change the schema",
  });

/**
 * Returns the error for a kernel whose result shares memory with an argument or with another
 * result.
 */
export const kernelAliasing = (name: string): SconceError =>
  new SconceError({
    code: "KERNEL_ALIASING",
    message: `${name}: The output of this custom operator (1) must not also be an input to this custom operator and (2) may not alias any inputs to this custom operator or other returns. The most common way to trigger this error is if we have y = custom_op(x) and y and x are the same Tensor.`,
    where: name,
    fix: "return a clone of the offending output tensor (`return x.clone()`), or refactor the custom operator to not return it",
  });

/** Returns the error when the context of fakes is asked for outside of one. */
export const noFakeContext = (): SconceError =>
  new SconceError({
    code: "NO_FAKE_CONTEXT",
    message: "library.getCtx() is called outside of the fake of an operator",
    fix: "call it inside of the function that is given to `registerFake`",
  });

/** Invalid bounds of a new size. */
export const badDynamicSize = (message: string): SconceError =>
  new SconceError({
    code: "NEW_DYNAMIC_SIZE",
    message,
    fix: "give integers with 0 <= min <= max, or leave them out",
  });

/** Returns the error for the problems that `library.opCheck` found. */
export const opCheckFailed = (name: string, problems: readonly string[]): SconceError =>
  new SconceError({
    code: "OP_CHECK",
    message: `opCheck(${name}): ${problems.join("; ")}`,
    where: name,
    fix: "change the fake, the decomposition, `mutatesArgs` or the kernel until they agree",
  });

/** Arguments of `library.opCheck` that cannot be used. */
export const badSamples = (name: string, problem: string, fix: string): SconceError =>
  new SconceError({ code: "OP_CHECK_SAMPLES", message: `opCheck(${name}): ${problem}`, where: name, fix });

/** Returns the error for a registration for an operator that was defined again since. */
export const redefined = (name: string): SconceError =>
  new SconceError({
    code: "CUSTOM_OP",
    message: `${name}: was defined again, and calls go to the later definition`,
    where: name,
    fix: "register with what the last call of `library.customOp` returned, or give the operators different names",
  });

/** Returns the error for a value that is not an operator of `library.customOp`. */
export const notCustomOp = (what: string, given: string): SconceError =>
  new SconceError({
    code: "CUSTOM_OP",
    message: `${what} expects operators of library.customOp, got ${given}`,
    fix: "give what `library.customOp` returned",
  });
