/**
 * @file `@sconce/ops-cases`: the form of recorded calls, and the checks that they make possible.
 * Reads no files.
 */
export { BackendChecker, type CallCounts } from "./backends/backend-checker.js";
export { CallProgram } from "./backends/call-program.js";
export { type EdgeCall, edgeCalls } from "./backends/edge-calls.js";
export { EdgeChecker, type EdgeReport } from "./backends/edge-checker.js";
export { OP_CHECKS, type OpCheck, OpChecker, type OpCheckerOptions } from "./checks/checker.js";
export type { Kernels } from "./checks/decomposition.js";
export { fakesOtherDTypes, type KnownDifference, knownDifference } from "./checks/differences.js";
export {
  type CaseOutcome,
  checkOpCase,
  type OpCheckOptions,
  type OperatorCall,
  outcomeProblem,
  type PreparedCase,
  prepareCase,
  type TensorComparison,
} from "./checks/outcome.js";
export { comparePrediction, type PredictionOptions, predict } from "./checks/prediction.js";
export { type BuiltValue, buildCall, buildTensor, buildValue, type Call } from "./recorded/build.js";
export {
  type CaseComparison,
  type CaseTensor,
  type CaseValue,
  casesByTarget,
  caseTitle,
  dtypesOf,
  type OpCase,
} from "./recorded/case.js";
export { readLines } from "./recorded/lines.js";
export { writeLines } from "./recorded/write-lines.js";
