import { badOperand } from "../expr/errors.js";
import { FALSE, isCondition, isRelation, node, type SymExpr, same, TRUE } from "../expr/expr.js";
import { step } from "../expr/meter.js";
import { compareBySize } from "../expr/order.js";
import { canonicalRelation, constant, negatedRelation, solvedRelation } from "./relation.js";

const checkCondition = (e: SymExpr): void => {
  if (!isCondition(e) && e.op !== "Symbol" && e.op !== "Piecewise")
    throw badOperand(`${e.op} where a condition belongs`);
};

/**
 * Conjunction or disjunction: flat, without repeats, false (true) when a relation meets its
 * negation. Like sympy, a disjunction compares only the relations that it is given directly, a
 * conjunction those of nested ones too.
 */
export function connective(head: "And" | "Or", items: readonly SymExpr[]): SymExpr {
  const absorbing = head === "And" ? FALSE : TRUE;
  items.forEach(checkCondition);
  const flat = head === "And" ? items.flatMap((e) => partsOf(head, e)).sort(compareBySize) : items;
  return flattened(head, withoutOpposites(flat) ?? [absorbing]);
}

const partsOf = (head: "And" | "Or", e: SymExpr): readonly SymExpr[] => (e.op === head ? e.args : [e]);

/** Parts without repeats, in order. */
function flattened(head: "And" | "Or", items: readonly SymExpr[]): SymExpr {
  const absorbing = head === "And" ? FALSE : TRUE;
  step(items.length);
  const args = new Map(items.flatMap((e) => partsOf(head, e)).map((e) => [e.key, e]));
  if (args.has(absorbing.key)) return absorbing;
  const rest = [...args.values()].filter((e) => e.op !== "True" && e.op !== "False").sort(compareBySize);
  if (rest.length === 0) return head === "And" ? TRUE : FALSE;
  return rest.length === 1 ? rest[0]! : node(head, rest);
}

/**
 * `a & b & c` or `a | b | c` as if two were joined at a time. A disjunction of more than one part
 * then takes further parts without a comparison, as sympy's does.
 */
export function joined(head: "And" | "Or", items: readonly SymExpr[]): SymExpr {
  if (head === "And") return connective(head, items);
  let left = items[0]!;
  for (let i = 1; i < items.length; i++) {
    if (left.op === "Or") return union([left, ...items.slice(i)]);
    left = connective("Or", [left, items[i]!]);
  }
  return left;
}

/** Returns a disjunction of parts that are not compared. */
function union(items: readonly SymExpr[]): SymExpr {
  items.forEach(checkCondition);
  return flattened("Or", items);
}

/** Drops relations that say the same; undefined when one negates another. */
function withoutOpposites(items: readonly SymExpr[]): readonly SymExpr[] | undefined {
  const seen = new Set<string>();
  const kept: SymExpr[] = [];
  for (const item of items) {
    if (isRelation(item)) {
      const canonical = canonicalRelation(item);
      if (seen.has(canonical.key)) continue;
      const opposite = isRelation(canonical) ? negatedRelation(canonical) : canonical;
      if (isRelation(opposite) && seen.has(canonicalRelation(opposite).key)) return undefined;
      seen.add(canonical.key);
    }
    kept.push(item);
  }
  return kept;
}

/** Negation: relations are inverted, double negations vanish. */
export function negation(e: SymExpr): SymExpr {
  checkCondition(e);
  if (e.op === "True" || e.op === "False") return constant(e.op === "False");
  if (e.op === "Not") return e.args[0]!;
  return isRelation(e) ? negatedRelation(e) : node("Not", [e]);
}

/** One branch of {@link piecewise}. */
export type Branch = readonly [value: SymExpr, condition: SymExpr];

/** Returns the value of the first branch whose condition holds. */
export function piecewise(branches: readonly Branch[]): SymExpr {
  const kept: Branch[] = [];
  const seen: SymExpr[] = [];
  for (const [value, raw] of branches) {
    step(seen.length);
    const condition = remaining(solveRelations(raw), seen);
    if (condition.op === "False") continue;
    if (seen.some((known) => same(known, condition))) continue;
    seen.push(condition);
    const collapsed = collapseNested(value, condition, seen);
    const last = kept.at(-1);
    if (last !== undefined && same(last[0], collapsed))
      kept[kept.length - 1] = [last[0], connective("Or", [condition, last[1]])];
    else if (last === undefined || !same(last[1], condition)) kept.push([collapsed, condition]);
    if (kept.at(-1)?.[1].op === "True") break;
  }
  const first = kept[0];
  if (first === undefined) throw badOperand("Piecewise without a branch that can hold");
  if (first[1].op === "True") return first[0];
  return node(
    "Piecewise",
    kept.map(([value, condition]) => node("ExprCondPair", [value, condition])),
  );
}

/** Returns a condition without what always holds: a part whose negation was already excluded. */
function remaining(condition: SymExpr, seen: readonly SymExpr[]): SymExpr {
  const excluded = (e: SymExpr): boolean => {
    if (!isRelation(e)) return false;
    const opposite = negatedRelation(e);
    const canonical = isRelation(opposite) ? canonicalRelation(opposite) : opposite;
    return seen.some((known) => same(known, canonical));
  };
  if (condition.op === "And")
    return connective(
      "And",
      condition.args.filter((arg) => !excluded(arg)),
    );
  return excluded(condition) ? TRUE : condition;
}

function solveRelations(e: SymExpr): SymExpr {
  if (isRelation(e)) return solvedRelation(e);
  if (e.op === "Not") return negation(solveRelations(e.args[0]!));
  return e.op === "And" || e.op === "Or" ? connective(e.op, e.args.map(solveRelations)) : e;
}

/** A nested `Piecewise` under the same condition is its own matching branch. */
function collapseNested(value: SymExpr, condition: SymExpr, seen: readonly SymExpr[]): SymExpr {
  if (value.op !== "Piecewise") return value;
  const unmatched: Branch[] = [];
  for (const pair of value.args) {
    const branch: Branch = [pair.args[0]!, pair.args[1]!];
    if (same(branch[1], condition)) {
      if (condition.op === "True") return value;
      return unmatched.length === 0 ? branch[0] : piecewise([...unmatched, branch]);
    }
    if (!seen.some((known) => same(known, branch[1]))) unmatched.push(branch);
  }
  return value;
}
