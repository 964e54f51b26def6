/**
 * @file The verifier, which is not in the index: what only reads, prints, edits and runs programs
 * does not need it.
 */
export { CORE_ATEN, DIALECTS, EDGE } from "./verifier/dialects.js";
export { DIM_ORDER_OPERATORS, promotedPlaces } from "./verifier/edge.js";
export { verifyAll, verifyAllSteps, verifyParts } from "./verifier/part-checks.js";
export { verifyTransition } from "./verifier/transition.js";
export { recordedProblem } from "./verifier/value-checks.js";
export {
  assertValid,
  onValid,
  type VerifyOptions,
  verify,
  verifyGraph,
  verifyGraphSteps,
} from "./verifier/verify.js";
