/** @file `@sconce/testing`: what needs neither vitest nor fast-check. */

export { type EdgeCall, EdgeChecker, type EdgeReport, edgeCalls } from "@sconce/ops-cases";
export { type SampleOptions, sampleInputs } from "@sconce/passes";
export { type ToleranceOptions, tensorDifference } from "@sconce/tensor/compare";
export { type BuildOptions, generatedOperators } from "./generator/build.js";
export { type Tolerance, toleranceOf } from "./generator/noise.js";
export { type ProgramOptions, sampleProgram } from "./generator/sample-program.js";
export type { Nested } from "./matchers/closeness.js";
export { matchers } from "./matchers/index.js";
export { type IrLike, irDifference } from "./matchers/ir.js";
export { type MeaningOptions, meaningDifference } from "./matchers/meaning.js";
export type { ExpectedOps } from "./matchers/ops.js";
export type { MatcherResult } from "./matchers/result.js";
export { type ProgramProblemOptions, programProblem } from "./properties.js";
