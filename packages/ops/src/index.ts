export {
  type CheckedCall,
  hasSettings,
  hasSizes,
  refuseDTypes,
  refuseDTypesDeep,
  refuseScalars,
  refuseSettings,
} from "./dtypes/refuse-dtypes.js";
export { holdsAll, isInRange, LARGEST_FINITE, overflowMessage } from "./dtypes/scalar-range.js";
export * from "./families/all.js";
export type { CheckedSchema, RowSchema } from "./families/row-schema.js";
export { positionalNames } from "./inputs/argument-names.js";
export { callingConvention, flattenCall, keywordsOf } from "./inputs/calling-convention.js";
export { type InputCheck, inputCheck } from "./inputs/check.js";
export { guardFailed, leafFinder, programGuards } from "./inputs/guards.js";
export { type Leaf, outputPlaces, userLeaves } from "./inputs/leaf-path.js";
export * from "./interpreter/index.js";
export { FEWEST_ROWS } from "./interpreter/mutation.js";
export * from "./rows/autocast.js";
export * from "./rows/define-op.js";
export * from "./rows/emit.js";
export * from "./rows/errors.js";
export { refusedCall } from "./rows/refused-call.js";
export { isOutOfMemory, resultProblem, type TensorProblem } from "./rows/results.js";
export * from "./rows/scalar-functions.js";
export { forgetReads } from "./rules/data-dependent.js";
export { integerOf } from "./rules/decompose.js";
export { placesMismatch } from "./rules/describe.js";
export { wrapDims } from "./rules/dims.js";
export { dtypeOfCode } from "./rules/dtype-codes.js";
export { scalarTypeName } from "./rules/dtype-names.js";
export { askEmpty, askNesting, channelsLastOrder, elementsOf } from "./rules/fake.js";
export {
  INT4_LAYOUTS,
  type Int4Layout,
  type Int4Matrix,
  int4Place,
  packsAlike,
} from "./rules/int4-layouts.js";
export { hasKernelLayout, kernelResult } from "./rules/kernel-layouts.js";
export { promoteOperands } from "./rules/promote.js";
export { checkQuantizedRange } from "./rules/quantized-range.js";
export { type ScaleArgs, upsampleScales } from "./rules/upsample-scales.js";
export * from "./rules/view-inverse.js";
export { CORE_SCHEMAS, type CoreSchema } from "./schema/core-schemas.js";
export {
  ALIAS_SINGLE_OPERAND,
  HIDDEN_ALIASES,
  HIDDEN_WRITES,
  type HiddenWrite,
} from "./schema/hidden-effects.js";
export type { AtenSchema, KnownSchemas } from "./schema/known-schemas.js";
export * from "./schema/schema.js";
export * from "./schema/schema-types.js";
export * from "./table/bind.js";
export * from "./table/derive.js";
export { functionalArguments, leavesInput, writtenArguments } from "./table/derive-writing.js";
export * from "./table/fake-emit.js";
export { type JoinedTable, joinTables, tableOf } from "./table/join-tables.js";
export { refuseOpaque } from "./table/opaque.js";
export { type RefusedClass, refusedClasses } from "./table/refused-overloads.js";
export * from "./table/table.js";
export * from "./table/unbind.js";
export { COPY as OPS_COPY } from "./this-copy.js";
