export type { Mutation, UserValue } from "./convention.js";
export { atNode, disposed, missingState, overLimit, sharedPlaces } from "./errors.js";
export { HIGHER_ORDER } from "./higher-order.js";
export type { GraphRunner } from "./higher-order-call.js";
export { Interpreter } from "./interpreter.js";
export { type InterpreterOptions, isInterpretedCall, type NodeArguments } from "./interpreter-run.js";
export { itemOf } from "./item.js";
export {
  ADD_LANES,
  isLaneCall,
  isLaneResult,
  laneCall,
  lanesEnd,
  opensLanes,
  REMOVE_LANES,
} from "./lanes.js";
export { LiveValues, memoryLimit, storageBytes } from "./live-values.js";
export { memoryRoots, mutatedPlaceholders } from "./mutation.js";
export { isDense, type OverlapSuspect, overlapSuspects, refuseOverlap } from "./overlap.js";
export { type PreparedProgram, preparationSteps } from "./prepare.js";
export { REFUSED_HIGHER_ORDER, whyNotRun } from "./refused-higher-order.js";
export { keptResults, type StaysOnDevice } from "./results.js";
export { fixedPlaceholders, MUTATIONS, programState, sharesPlaces, type Write, writeBack } from "./state.js";
export { HOST_TENSORS, type TensorAccess } from "./tensor-access.js";
export {
  type CallArgument,
  type CallKwargs,
  type NestedGraph,
  type NodeArgument,
  type NodeResult,
  Running,
  type RuntimeValue,
  type Steps,
} from "./values.js";
