import { boundsOf, type RangeOf } from "./bounds.js";
import { construct, rebuild } from "./construct.js";
import { node, type SymExpr } from "./expr.js";
import { isPoint } from "./interval.js";
import { integer, ZERO } from "./number.js";
import { compareBySize } from "./order.js";
import { subtract } from "./polynomial.js";

/** What {@link simplifyByRange} may ask. */
export interface Knowledge {
  readonly rangeOf: RangeOf;
  /** Whether `a % b == 0` is known, by the keys of both joined with `|`. */
  readonly isDivisible: (key: string) => boolean;
}

/** Drops what ranges and known divisibility decide, everywhere in the tree. */
export function simplifyByRange(e: SymExpr, knowledge: Knowledge): SymExpr {
  if (e.args.length === 0) return e;
  const args = e.args.map((arg) => simplifyByRange(arg, knowledge));
  const same = args.every((arg, i) => arg === e.args[i]);
  return simplifyHead(same ? e : rebuild(e, args), knowledge);
}

function simplifyHead(e: SymExpr, knowledge: Knowledge): SymExpr {
  switch (e.op) {
    case "Max": case "Min": return simplifyExtremum(e, knowledge);
    case "Mod": case "PythonMod": return simplifyRemainder(e, knowledge);
    case "FloorDiv": {
      if (knowledge.isDivisible(pairKey(e))) return construct("CleanDiv", e.args);
      const range = boundsOf(e, knowledge.rangeOf);
      return isPoint(range) ? integer(range.min) : e;
    }
    default: return e;
  }
}

const pairKey = (e: SymExpr): string => `${e.args[0]!.key}|${e.args[1]!.key}`;

/** An argument that another always exceeds (`Max(1, s)` with s at least 2) goes. */
function simplifyExtremum(e: SymExpr, { rangeOf }: Knowledge): SymExpr {
  const atMost = (a: SymExpr, b: SymExpr): boolean => boundsOf(subtract(b, a), rangeOf).min >= 0;
  const kept = [...e.args];
  for (let i = 0; i < kept.length; i++) {
    const covered = kept.some((other, j) => j !== i && (e.op === "Max" ? atMost(kept[i]!, other) : atMost(other, kept[i]!)));
    if (covered) kept.splice(i--, 1);
  }
  if (kept.length === e.args.length) return e;
  return kept.length === 1 ? kept[0]! : node(e.op as "Max" | "Min", kept.sort(compareBySize));
}

function simplifyRemainder(e: SymExpr, { rangeOf, isDivisible }: Knowledge): SymExpr {
  if (isDivisible(pairKey(e))) return ZERO;
  const [a, b] = [boundsOf(e.args[0]!, rangeOf), boundsOf(e.args[1]!, rangeOf)];
  if (a.min >= 0 && a.max < b.min) return e.args[0]!;
  return e;
}
