export { type Interval, ProgramRanges, type RangeOptions } from "./analysis/ranges.js";
export { type RewriteInit, Rewriter } from "./analysis/rewrite.js";
export { bindSizes, evaluateLoops, sizeOf } from "./evaluate/evaluate.js";
export { bindIndex, bindNest, substituteAxes } from "./ir/bind.js";
export {
  type Axis,
  atom,
  axis,
  boundsOf,
  constant,
  divide,
  fixedValue,
  flatIndex,
  forEachAtom,
  type Index,
  type IndexAtom,
  type IndexTerm,
  isWithin,
  multiply,
  product,
  remainder,
  same,
  ZERO,
} from "./ir/index-expr.js";
export type {
  LoopBuffer,
  LoopNest,
  LoopOutput,
  LoopProgram,
  NestHint,
  NotLowered,
} from "./ir/loop-program.js";
export {
  BINARY,
  type BinaryFn,
  COMPARE,
  type CompareFn,
  partsOf,
  type ReduceKind,
  type ReduceScalar,
  type Scalar,
  type ScalarFn,
  UNARY,
  type UnaryFn,
} from "./ir/scalar.js";
export { forEachScalar, hasReduction, indicesOf } from "./ir/traverse.js";
export type { Lowering, LoweringCall, LoweringRule, LoweringTable } from "./lower/call.js";
export { DEFAULT_LIMITS, type FusionLimits } from "./lower/context.js";
export { type LowerToLoopsOptions, lowerToLoops, whyNotLowered } from "./lower/lower.js";
export { LOWERINGS } from "./lower/table.js";
export { costOf, type NestCost } from "./plan/cost.js";
export {
  bytesOf,
  type Lifetime,
  lifetimesOf,
  type MemoryPlan,
  type MemoryPlanOptions,
  planMemory,
} from "./plan/memory.js";
export { withoutProvedAssertions } from "./program/assertions.js";
export {
  LOOP_PIPELINE,
  type LoweredProgram,
  type LoweredRegion,
  lowerProgram,
} from "./program/lower-program.js";
export { printLoops } from "./text/print-loops.js";
export { printLoweredProgram } from "./text/print-program.js";
export { scalarText } from "./text/scalar-text.js";
