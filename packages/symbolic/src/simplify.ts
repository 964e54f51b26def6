import { boundsOf, type RangeOf } from "./bounds.js";
import { construct, rebuild } from "./construct.js";
import { node, type SymExpr } from "./expr.js";
import { compareBySize } from "./order.js";
import { subtract } from "./polynomial.js";

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
  if (e.args.length === 0) return e;
  if (e.op === "Max" || e.op === "Min") {
    const reduced = simplifyExtremum(e, knowledge);
    if (reduced !== e) return reduced;
  }
  const args = e.args.map((arg) => simplifyByRange(arg, knowledge));
  const unchanged = args.every((arg, i) => arg === e.args[i]);
  return simplifyDivision(unchanged ? e : rebuild(e, args), knowledge);
}

/**
 * `a // b` where `b` is known to divide `a`; `a // (a // b)` is then `b`. Remainders stay: the fact
 * that they are 0 decides conditions, and guards print them.
 */
function simplifyDivision(e: SymExpr, { isDivisible }: Knowledge): SymExpr {
  if (e.op !== "FloorDiv" || !isDivisible(`${e.args[0]!.key}|${e.args[1]!.key}`)) return e;
  const [base, divisor] = e.args as readonly [SymExpr, SymExpr];
  if (divisor.op === "FloorDiv" || divisor.op === "CleanDiv") {
    const [inner, by] = divisor.args as readonly [SymExpr, SymExpr];
    if (inner.key === base.key && isDivisible(`${inner.key}|${by.key}`)) return by;
  }
  return construct("CleanDiv", e.args);
}

/**
 * An argument that another always exceeds (`Max(1, s)` with s at least 2) goes. Facts count for a
 * maximum of 0 or 1 and something else, which strides have.
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
