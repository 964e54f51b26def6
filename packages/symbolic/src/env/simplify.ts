import { construct, expandNode, rebuild } from "../algebra/construct.js";
import { subtract } from "../algebra/polynomial.js";
import { node, type SymExpr } from "../expr/expr.js";
import { compareBySize } from "../expr/order.js";
import { hasFloorDiv } from "../solve/solve.js";
import { boundsOf, type RangeOf } from "./bounds.js";

/** What {@link simplifyByRange} may ask. */
export interface Knowledge {
  readonly rangeOf: RangeOf;
  /** Whether `a % b == 0` is known, by the keys of both joined with `|`. */
  readonly isDivisible: (key: string) => boolean;
  /** Whether a condition is known to hold, by facts too. */
  readonly holds: (condition: SymExpr) => boolean;
}

/**
 * Drops what ranges and known divisibility decide, everywhere in the tree. No more than PyTorch
 * does, on purpose: shapes print what is left. So an extremum that loses an argument keeps the
 * others as they are.
 */
export function simplifyByRange(e: SymExpr, knowledge: Knowledge): SymExpr {
  const extrema = rewriteFromTop(e, (part) => {
    if (part.op !== "Max" && part.op !== "Min") return part;
    return simplifyExtremum(part, knowledge);
  });
  if (!hasFloorDiv(extrema)) return extrema;
  const { isDivisible } = knowledge;
  const isExact = (base: SymExpr, divisor: SymExpr): boolean => isDivisible(`${base.key}|${divisor.key}`);
  const nested = rewriteFromTop(extrema, (part) => nestedDivisor(part, isExact) ?? part);
  return rewriteFromTop(nested === extrema ? nested : expandNode(nested), (part) => {
    if (part.op !== "FloorDiv" || !isExact(part.args[0]!, part.args[1]!)) return part;
    return construct("CleanDiv", part.args);
  });
}

/** Replaces parts from the outermost on; what replaces one is not looked at again, as in sympy. */
function rewriteFromTop(e: SymExpr, replace: (part: SymExpr) => SymExpr): SymExpr {
  if (e.args.length === 0) return e;
  const replaced = replace(e);
  if (replaced !== e) return replaced;
  const args = e.args.map((arg) => rewriteFromTop(arg, replace));
  return args.every((arg, i) => arg === e.args[i]) ? e : rebuild(e, args);
}

/** `a // (a // b)` is `b` where both divisions are known to leave no remainder. */
function nestedDivisor(
  e: SymExpr,
  isExact: (base: SymExpr, divisor: SymExpr) => boolean,
): SymExpr | undefined {
  if (e.op !== "FloorDiv" || e.args[1]!.op !== "FloorDiv") return undefined;
  const [base, divisor] = e.args as readonly [SymExpr, SymExpr];
  const [inner, by] = divisor.args as readonly [SymExpr, SymExpr];
  return inner.key === base.key && isExact(base, divisor) && isExact(inner, by) ? by : undefined;
}

/**
 * Simplifies an extremum: an argument that another always exceeds (`Max(1, s)` with s at least 2)
 * goes. Facts count for a maximum of 0 or 1 and something else, which strides have.
 */
function simplifyExtremum(e: SymExpr, { rangeOf, holds }: Knowledge): SymExpr {
  const atMost = (a: SymExpr, b: SymExpr): boolean => boundsOf(subtract(b, a), rangeOf).min >= 0;
  const kept = [...e.args];
  for (let i = 0; i < kept.length; i++) {
    const covered = kept.some(
      (other, j) => j !== i && (e.op === "Max" ? atMost(kept[i]!, other) : atMost(other, kept[i]!)),
    );
    if (covered) kept.splice(i--, 1);
  }
  const [least, other] = kept;
  const isStride = e.op === "Max" && kept.length === 2 && (least!.value === 0 || least!.value === 1);
  if (isStride && holds(construct("LessThan", [least!, other!]))) return other!;
  if (kept.length === e.args.length) return e;
  return kept.length === 1 ? kept[0]! : node(e.op as "Max" | "Min", kept.sort(compareBySize));
}
