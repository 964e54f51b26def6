/**
 * @file Dynamic sizes of an export. The recorder of a trace uses them in two steps.
 *
 * Before the trace: bind the arguments to the names of the parameters, and make fake inputs. A
 * `ShapesCollection` or `AdditionalInputs` gives the specification.
 *
 * ```ts
 * const named = bindInputs(functionParameters(fn), args, kwargs);
 * const prepared = makeFakeInputs(named, dynamicShapes, { locate: () => new Error() });
 * for (const { value, fake } of prepared.inputs) {
 *   // A FakeTensor for a tensor, a SymExpr for a dynamic integer, else the value itself.
 * }
 * ```
 *
 * During the trace: `prepared.env` is the environment of the shape rules. `env.guard(condition)`
 * decides a branch and records it, `check(env, condition)` requires a condition,
 * `env.replace(size)` gives the form that a size has by now. Sizes of placeholders are to be
 * replaced once more when the trace has ended.
 *
 * After the trace: one call gives what the program declares, or throws `CONSTRAINT_VIOLATION`.
 * `constraintReport(error)` then has the violations, fixes and counterexamples as values.
 *
 * ```ts
 * const { rangeConstraints, guardsCode, warnings } = solveConstraints(prepared, {
 *   unbacked: [u0, u1],
 *   describe: (location) => "model.ts:12",
 * });
 * ```
 */
export { AdditionalInputs, type ExampleCall, mergedShapes } from "./additional-inputs.js";
export { bindInputs } from "./bind-inputs.js";
export type { DynamicShapes, NamedInputs } from "./check-shapes.js";
export type { Counterexample } from "./counterexample.js";
export { Dim, type DimBounds, type DimConstructor, dims, type NamedDim } from "./dim.js";
export type { DimHint, DimHintFactory, DimHintKind } from "./dim-hint.js";
export { NO_EQUALITIES } from "./equalities.js";
export {
  type FakeInput,
  type FakeInputOptions,
  type FakeInputs,
  makeFakeInputs,
  type SymbolSource,
  symbolicStrides,
} from "./fake-inputs.js";
export { inputLeaves } from "./leaves.js";
export { dynamicDim, refuseOldOptions } from "./old-spelling.js";
export type { Requirement, Violation } from "./produce-guards.js";
export { refineDynamicShapesFromSuggestedFixes } from "./refine-shapes.js";
export { relaxedShapes, shapesCode } from "./relax-shapes.js";
export { collectedShapes, ShapesCollection, type TensorShape } from "./shapes-collection.js";
export {
  type ConstraintReport,
  checkConstraints,
  constraintReport,
  type ReportedViolation,
  type SolvedConstraints,
  solveConstraints,
} from "./solve-constraints.js";
export type { SuggestedFix } from "./suggested-fixes.js";
