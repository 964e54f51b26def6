export {
  add,
  addAll,
  and,
  type BoolLike,
  bigInteger,
  ceilDiv,
  ceilToInt,
  cleanDiv,
  eq,
  expand,
  type FloatLike,
  floatConstant,
  floatPow,
  floatTrueDiv,
  floorDiv,
  floorToInt,
  freeSymbols,
  ge,
  gt,
  type IntLike,
  intTrueDiv,
  isStatic,
  ite,
  le,
  lt,
  mathFunction,
  mod,
  modularIndexing,
  mul,
  mulAll,
  ne,
  neg,
  not,
  or,
  pow,
  printExpr,
  pythonMod,
  roundDecimalTo,
  roundToInt,
  type SymbolOptions,
  type SymValue,
  sameSize,
  sameSizes,
  specSymbol,
  sqrt,
  sub,
  symAbs,
  symbol,
  symbolByName,
  symbolWith,
  symEquals,
  symMax,
  symMin,
  toFloat,
  toSrepr,
  truncToFloat,
  truncToInt,
} from "./algebra.js";
export { askRequiredAgain } from "./ask-again.js";
export { scalarKind } from "./assumptions.js";
export { canonicalCondition } from "./condition.js";
export {
  type Congruence,
  type FoundCongruence,
  joinCongruences,
  type WithoutDivisions,
  withoutDivisions,
} from "./congruence.js";
export { type Bindings, evaluate, evaluateBool, evaluateInt } from "./evaluate.js";
export {
  type Assumption,
  type Assumptions,
  copyOf,
  isCondition,
  isUnbacked,
  SymExpr,
  type SymHead,
  type SymOp,
} from "./expr.js";
export type {
  GuardBinaryOp,
  GuardCompareOp,
  GuardFunction,
  GuardKey,
  GuardNode,
  GuardSource,
} from "./guards/ast.js";
export { evaluateGuard, type GuardValue, guardHolds, type SourceResolver } from "./guards/evaluate.js";
export { foldGuard, pythonChoices } from "./guards/fold.js";
export { parseGuard } from "./guards/parse.js";
export { printGuard, printSource } from "./guards/print.js";
export { printGuardExpr } from "./guards/print-expression.js";
export {
  intersectRanges,
  isPoint,
  MAX_SIZE,
  point,
  printRange,
  UNBOUNDED,
  UNBOUNDED_FLOAT,
  unionRanges,
  type ValueRange,
} from "./interval.js";
export { metered } from "./meter.js";
export { type ParseOptions, parseSrepr } from "./parse.js";
export { sha256 } from "./sha256.js";
export { ShapeEnv } from "./shape-env.js";
export type { GuardObserver, ShapeEnvInit } from "./shape-env-init.js";
export { type Solved, trySolve } from "./solve.js";
export { asLinear, type Linear, solveLinear, substitute } from "./substitute.js";
export { envWith, STATIC_ENV, type SymEnv } from "./sym-env.js";
export { symbolNumber } from "./symbol-number.js";
export { type Solution, solveUnivariate } from "./univariate.js";
