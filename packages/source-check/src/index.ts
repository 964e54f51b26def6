export { type CheckedBody, checkBody } from "./check/check-body.js";
export { type CheckRequest, checkSource } from "./check/check-source.js";
export {
  sideEffects,
  sourceProblems,
  strictProblems,
  uncheckedBodies,
  uncheckedPlaces,
  writtenFloats,
} from "./check/errors.js";
export { isFloatInSource } from "./check/float-literals.js";
export { declareOperator, declareOwn } from "./check/own-functions.js";
export { describeOwn, type OwnValues } from "./check/own-values.js";
export {
  findingPlace,
  findingPosition,
  type SourceFinding,
  type SourceProblem,
  type SourceReport,
  type StrictProblem,
} from "./check/report.js";
export type { StrictConstruct } from "./check/strict-constructs.js";
export { fieldsOf } from "./fields.js";
export { isPlainObject } from "./plain-object.js";
export { closureValue } from "./source/closure-values.js";
export { formatStack, isOwnFile, withStack, withStackOf } from "./source/format-stack.js";
export { freeVariables } from "./source/free-variables.js";
export {
  declareParameters,
  type FunctionParameter,
  functionParameters,
  mayTakeMore,
  takeParametersOf,
} from "./source/function-parameters.js";
export { type AnyFunction, isClass } from "./source/parse-function.js";
export { captureStack, type RawStack } from "./source/raw-stack.js";
