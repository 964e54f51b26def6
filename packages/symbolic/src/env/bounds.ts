import { roundHalfEven } from "../algebra/float-op.js";
import { isCondition, type SymExpr } from "../expr/expr.js";
import {
  absRange,
  addRanges,
  floorDivRange,
  isPoint,
  mapRange,
  maxRanges,
  minRanges,
  modRange,
  mulRanges,
  point,
  powRange,
  trueDivRange,
  UNBOUNDED,
  unionRanges,
  type ValueRange,
} from "../expr/interval.js";
import { approximate } from "../expr/number.js";

/** The range of a symbol, from wherever the caller keeps them. */
export type RangeOf = (symbol: SymExpr) => ValueRange;

/**
 * Returns what the values of an expression can be, given its symbols' ranges. Conditions are 0 or
 * 1.
 */
export function boundsOf(e: SymExpr, rangeOf: RangeOf): ValueRange {
  const bound = (arg: SymExpr): ValueRange => boundsOf(arg, rangeOf);
  switch (e.op) {
    case "Integer":
    case "Rational":
    case "Float":
      return point(approximate(e));
    case "Symbol":
      return rangeOf(e);
    case "Add":
      return e.args.map(bound).reduce(addRanges);
    case "Mul":
      return e.args.map(bound).reduce(mulRanges);
    case "Pow":
    case "PowByNatural":
      return powerBounds(bound(e.args[0]!), bound(e.args[1]!));
    case "FloorDiv":
    case "CleanDiv":
      return floorDivRange(bound(e.args[0]!), bound(e.args[1]!));
    case "Mod":
    case "PythonMod":
      return modRange(bound(e.args[0]!), bound(e.args[1]!));
    case "ModularIndexing":
      return modRange(floorDivRange(bound(e.args[0]!), bound(e.args[1]!)), bound(e.args[2]!));
    case "Max":
      return e.args.map(bound).reduce(maxRanges);
    case "Min":
      return e.args.map(bound).reduce(minRanges);
    case "Abs":
      return absRange(bound(e.args[0]!));
    case "Identity":
      return bound(e.args[0]!);
    case "ToFloat":
      return { ...bound(e.args[0]!), float: true };
    case "IntTrueDiv":
    case "FloatTrueDiv":
      return trueDivRange(bound(e.args[0]!), bound(e.args[1]!));
    case "CeilToInt":
      return mapRange(bound(e.args[0]!), Math.ceil);
    case "FloorToInt":
      return mapRange(bound(e.args[0]!), Math.floor);
    case "TruncToInt":
    case "TruncToFloat":
      return mapRange(bound(e.args[0]!), Math.trunc);
    case "RoundToInt":
      return mapRange(bound(e.args[0]!), roundHalfEven);
    case "Where":
      return unionRanges(bound(e.args[1]!), bound(e.args[2]!));
    case "Piecewise":
      return e.args.map((pair) => bound(pair.args[0]!)).reduce(unionRanges);
    case "OpaqueUnaryFn_sqrt":
      return { min: 0, max: Math.sqrt(Math.max(0, bound(e.args[0]!).max)), float: true };
    case "IsNonOverlappingAndDenseIndicator":
      return { min: 0, max: 1 };
    default:
      return conditionBounds(e, rangeOf);
  }
}

function powerBounds(base: ValueRange, exponent: ValueRange): ValueRange {
  if (isPoint(exponent) && exponent.min >= 0) return powRange(base, exponent.min);
  if (base.min < 1 || exponent.min < 0)
    return base.min >= 0 && exponent.min >= 0 ? { min: 0, max: Infinity } : UNBOUNDED;
  return { min: base.min ** exponent.min, max: base.max ** exponent.max };
}

const UNDECIDED: ValueRange = { min: 0, max: 1 };
const decided = (value: boolean | undefined): ValueRange =>
  value === undefined ? UNDECIDED : point(value ? 1 : 0);

function conditionBounds(e: SymExpr, rangeOf: RangeOf): ValueRange {
  return isCondition(e) ? decided(decideByRange(e, rangeOf)) : UNBOUNDED;
}

/** Returns the truth of a condition, when the ranges alone decide it. */
export function decideByRange(e: SymExpr, rangeOf: RangeOf): boolean | undefined {
  switch (e.op) {
    case "True":
    case "False":
      return e.op === "True";
    case "And":
    case "Or": {
      const absorbing = e.op === "Or";
      const parts = e.args.map((arg) => decideByRange(arg, rangeOf));
      return parts.includes(absorbing) ? absorbing : parts.includes(undefined) ? undefined : !absorbing;
    }
    case "Not": {
      const inner = decideByRange(e.args[0]!, rangeOf);
      return inner === undefined ? undefined : !inner;
    }
    default:
      return isCondition(e)
        ? compareRanges(e.op, boundsOf(e.args[0]!, rangeOf), boundsOf(e.args[1]!, rangeOf))
        : undefined;
  }
}

function compareRanges(op: string, a: ValueRange, b: ValueRange): boolean | undefined {
  switch (op) {
    case "StrictLessThan":
      return a.max < b.min ? true : a.min >= b.max ? false : undefined;
    case "LessThan":
      return a.max <= b.min ? true : a.min > b.max ? false : undefined;
    case "StrictGreaterThan":
      return compareRanges("StrictLessThan", b, a);
    case "GreaterThan":
      return compareRanges("LessThan", b, a);
    default: {
      const equal =
        a.max < b.min || b.max < a.min
          ? false
          : isPoint(a) && isPoint(b) && a.min === b.min
            ? true
            : undefined;
      return equal === undefined ? undefined : equal === (op === "Equality");
    }
  }
}
