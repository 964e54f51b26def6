/** @file Errors of functionalization. */
import { SconceError } from "@sconce/errors";
import type { InputSpec } from "@sconce/ir";

/** State that is written to and shares memory with other state. */
export const sharedState = (spec: InputSpec, other: InputSpec): SconceError =>
  new SconceError({
    code: "SHARED_STATE",
    message: `"${spec.target}" is written to and shares memory with "${other.target}", which would change with it`,
    where: spec.arg.name,
    fix: "register one of them, and take the other as a view of it in forward; or register a clone",
  });

/** State that is written to and whose elements overlap in memory. */
export const overlappingState = (spec: InputSpec): SconceError =>
  new SconceError({
    code: "INTERNAL_OVERLAP",
    message: `"${spec.target}" is written to and several of its elements are one place in memory`,
    where: spec.arg.name,
    fix: "register a contiguous clone of it",
  });

/**
 * Returns the error for an operator that writes to arguments without a declaration in its schema.
 */
export const hiddenWrite = (target: string, written: readonly string[]): SconceError =>
  new SconceError({
    code: "NOT_FUNCTIONALIZABLE",
    message: `${target} updates ${written.join(" and ")}, though its schema does not say so`,
    where: target,
    fix: "call an operator that returns the new statistics, such as aten._native_batch_norm_legit_functional",
  });

/** Returns the error for a write that the lowered program would hide. */
export const unseenWrite = (target: string): SconceError =>
  new SconceError({
    code: "NOT_FUNCTIONALIZABLE",
    message: `something is written to that shares memory with the result of ${target}, which its schema does not declare`,
    where: target,
    fix: "clone the operator's result, or its argument before",
  });

/** `as_strided` looks at the memory behind its base, which the values of a view do not hold. */
export const stridedView = (length: number, at: number): SconceError =>
  new SconceError({
    code: "VIEW_INVERSE",
    message:
      `a mutation on a view chain of length ${length}, where view ${at} was an as_strided() call: as_strided() is ` +
      "non-compositional, and therefore is not possible to functionalize properly",
    where: "aten.as_strided.default",
    fix: "take the strided view of the tensor itself, or of a clone",
  });

/** Returns the error for an in-place operator that cannot be functionalized. */
export const noFunctionalOverload = (target: string): SconceError =>
  new SconceError({
    code: "NOT_FUNCTIONALIZABLE",
    message: "the operator mutates its arguments and has no functional overload",
    where: target,
    fix: "give the operator table a functional overload of it, or a decomposition",
  });

/** `t_` or `resize_` of an input. */
export const newLayout = (name: string): SconceError =>
  new SconceError({
    code: "NOT_FUNCTIONALIZABLE",
    message: `the sizes or strides of the input "${name}" are changed in place, which no output can represent`,
    where: name,
    fix: "return the new view (x.t() instead of x.t_()), or change a clone of the input",
  });

/** Returns the error for a write to a lifted constant. */
export const constantMutated = ({ target, arg }: InputSpec): SconceError =>
  new SconceError({
    code: "CONSTANT_MUTATED",
    message: `Constant ${target} is mutated in the forward method. Pls register it as buffer`,
    where: arg.name,
    fix: "register the tensor as a buffer before exporting",
  });
