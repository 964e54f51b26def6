export {
  type Contraction,
  type ContractionSide,
  contractionOf,
  isZeroOutside,
  outerReductions,
} from "./analysis/contraction.js";
export type { GuardedLoad } from "./analysis/guarded-loads.js";
export { isLoadInside } from "./analysis/load-inside.js";
export { type Placing, placingOf, type Rank, rankOf } from "./analysis/order.js";
export { Readers } from "./analysis/readers.js";
export {
  PLACE,
  ROW,
  type RowGroup,
  type RowPart,
  rowGroups,
} from "./analysis/row-groups.js";
export { conjunctsOf, type Scan, scanOf } from "./analysis/scan.js";
export { type SizedLoad, type SizeFault, SizeLimits, type SizeRequirements } from "./analysis/size-limits.js";
export { type SumGroups, sumGroups, withSumGroups } from "./analysis/sum-groups.js";
export { bindSizes, evaluateLoops, sizeOf } from "./evaluate/evaluate.js";
export { bindIndex, bindNest, hasSizes, indicesIn, substituteAxes, symbolsOf } from "./ir/bind.js";
export { elementsOf, extentOf, volumeOf } from "./ir/extents.js";
export {
  type Axis,
  add,
  atom,
  axis,
  boundsOf,
  constant,
  coordinatesOf,
  divide,
  fixedValue,
  flatIndex,
  forEachAtom,
  type Index,
  type IndexAtom,
  type IndexTerm,
  isWithin,
  multiply,
  namesPlaces,
  product,
  remainder,
  same,
  scale,
  size as sizeIndex,
  ZERO,
} from "./ir/index-expr.js";
export { IndexRanges, type SizeValues } from "./ir/index-range.js";
export type {
  LoopBuffer,
  LoopNest,
  LoopOutput,
  LoopProgram,
  NestHint,
  NotLowered,
} from "./ir/loop-program.js";
export { type NestKey, nestKey } from "./ir/nest-key.js";
export { printLoops, printNest } from "./ir/print-loops.js";
export { type RewriteInit, Rewriter } from "./ir/rewrite.js";
export {
  apply,
  BINARY,
  type BinaryFn,
  COMPARE,
  type CompareFn,
  cast,
  constantScalar,
  FALSE,
  FLOAT_UNARY,
  indexScalar,
  isLogic,
  partsOf,
  type ReduceKind,
  type ReduceScalar,
  type Scalar,
  type ScalarFn,
  select,
  TRUE,
  UNARY,
  type UnaryFn,
} from "./ir/scalar.js";
export { scalarText } from "./ir/scalar-text.js";
export { forEachScalar, hasReduction, indicesOf, readsOf } from "./ir/traverse.js";
export { functionOf } from "./javascript/functions.js";
export { JAVASCRIPT_INLINE } from "./javascript/inline.js";
export { javaScriptFunction } from "./javascript/named-function.js";
export {
  JAVASCRIPT,
  type JavaScriptFunction,
  type JavaScriptInline,
  type JavaScriptNames,
  type JavaScriptSource,
  javaScriptLines,
  printJavaScript,
} from "./javascript/print.js";
export { guardFloats } from "./kernel/guard-floats.js";
export * from "./kernel/kernel.js";
export { parseKernel } from "./kernel/parse.js";
export { placesOf } from "./kernel/places.js";
export { printKernel } from "./kernel/print.js";
export { type LetContext, rewriteValues, usesOf } from "./kernel/rewrite.js";
export { roundFloats } from "./kernel/round-floats.js";
export { ALL_INTEGERS, type Integers, type Speculation, type Target } from "./kernel/target.js";
export { verifyKernel } from "./kernel/verify.js";
export type { LoweringArgs, LoweringResult, Operand } from "./lower/core/arguments.js";
export { cannot, fixedNumber, fixedNumbers, type LoweringCall, outOf, shapeOf } from "./lower/core/call.js";
export { DEFAULT_LIMITS, type Factor, type FusionLimits, type Layouts } from "./lower/core/context.js";
export { broadcastTo, LazyTensor, reshaped, viewOf } from "./lower/core/lazy.js";
export {
  defineLowerings,
  type Lowered,
  type Lowering,
  type LoweringRule,
  type LoweringTable,
  lowering,
  operandLowering,
  viewLowering,
} from "./lower/core/lowering.js";
export { numberScalar } from "./lower/core/numbers.js";
export { channelsLastLayouts } from "./lower/layouts.js";
export {
  type LowerToLoopsOptions,
  lowerCall,
  loweringSteps,
  lowerToLoops,
  whyNotLowered,
} from "./lower/lower.js";
export { withReadParts } from "./lower/read-parts.js";
export { type PointwiseOptions, pointwise } from "./lower/rules/pointwise.js";
export { type ReduceInit, reduceOver } from "./lower/rules/reduce.js";
export { LOWERINGS } from "./lower/table.js";
export { costOf, type NestCost, totalCost } from "./plan/cost.js";
export {
  bytesOf,
  type MemoryPlan,
  type MemoryPlanOptions,
  type MemoryStep,
  type Place,
  planMemory,
} from "./plan/memory-plan.js";
export { withoutProvedAssertions } from "./program/assertions.js";
export { assumedSizes, type CallCost, type CostSession, callCost } from "./program/call-cost.js";
export {
  LOOP_PIPELINE,
  type LoweredProgram,
  type LoweredRegion,
  lowerProgram,
} from "./program/lower-program.js";
export {
  type CallPlacement,
  type PlacementOptions,
  type PlacementRow,
  type PlacementSession,
  type PlacementTable,
  placementTable,
} from "./program/placement-table.js";
export { printLoweredProgram } from "./program/print-program.js";
export { withRealDTypes } from "./program/real-dtypes.js";
export { elementKernel } from "./schedule/element.js";
export { KernelFrame, type Schedule, type ScheduleContext } from "./schedule/frame.js";
export { scheduleOpen } from "./schedule/open-units.js";
export { scheduleNest, scheduleRows, unitIterations } from "./schedule/schedule.js";
export { sortIterations } from "./schedule/sort.js";
export { planThreads, type ThreadPlan } from "./schedule/thread-axes.js";
export { selectsFirst } from "./schedule/unit-sort.js";
export { blockScans } from "./transform/block-scans.js";
export type { Vectors } from "./transform/vectorize/lanes.js";
export { vectorize } from "./transform/vectorize/vectorize.js";
