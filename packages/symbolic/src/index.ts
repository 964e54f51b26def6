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
} from "./algebra/algebra.js";
export { scalarKind } from "./algebra/assumptions.js";
export { askRequiredAgain } from "./env/ask-again.js";
export { ShapeEnv } from "./env/shape-env.js";
export type { GuardObserver, ShapeEnvInit } from "./env/shape-env-init.js";
export { envWith, STATIC_ENV, type SymEnv } from "./env/sym-env.js";
export {
  type Assumption,
  type Assumptions,
  copyOf,
  isCondition,
  isUnbacked,
  SymExpr,
  type SymHead,
  type SymOp,
} from "./expr/expr.js";
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
} from "./expr/interval.js";
export { metered } from "./expr/meter.js";
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
export { sha256 } from "./names/sha256.js";
export { symbolNumber } from "./names/symbol-number.js";
export { type ParseOptions, parseSrepr } from "./parse/parse.js";
export { canonicalCondition } from "./solve/condition.js";
export {
  type Congruence,
  type FoundCongruence,
  joinCongruences,
  type WithoutDivisions,
  withoutDivisions,
} from "./solve/congruence.js";
export { type Bindings, evaluate, evaluateBool, evaluateInt } from "./solve/evaluate.js";
export { type Solved, trySolve } from "./solve/solve.js";
export { asLinear, type Linear, solveLinear, substitute } from "./solve/substitute.js";
export { type Solution, solveUnivariate } from "./solve/univariate.js";
