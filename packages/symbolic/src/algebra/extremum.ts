import { node, type SymExpr, same } from "../expr/expr.js";
import { step } from "../expr/meter.js";
import { compareNumbers, isNumber, isOne, isZero } from "../expr/number.js";
import { compareBySize, splitCoefficient } from "../expr/order.js";
import { isNonnegative, isNonpositive, isPositive } from "./assumptions.js";

type Extremum = "Max" | "Min";

/**
 * `Max` or `Min` with nested ones flattened, numbers collected, and arguments dropped that
 * assumptions decide.
 */
export function extremum(head: Extremum, items: readonly SymExpr[]): SymExpr {
  const flat = unique(items.flatMap((item) => (item.op === head ? item.args : [item])));
  return build(head, dropDominated(head, collapse(head, flat)));
}

function build(head: Extremum, args: readonly SymExpr[]): SymExpr {
  const distinct = unique(args);
  return distinct.length === 1 ? distinct[0]! : node(head, [...distinct].sort(compareBySize));
}

const unique = (items: readonly SymExpr[]): readonly SymExpr[] => [
  ...new Map(items.map((item) => [item.key, item])).values(),
];
const isExtremum = (e: SymExpr): boolean => e.op === "Max" || e.op === "Min";
const other = (head: Extremum): Extremum => (head === "Max" ? "Min" : "Max");

/** Arguments that also occur inside a nested opposite: `Min(a, Max(b, a))` is `a`. */
function collapse(head: Extremum, items: readonly SymExpr[]): readonly SymExpr[] {
  const args = dropCovered(head, [...items].sort(compareBySize));
  for (let j = 1; j < args.length; j++) {
    for (let i = 0; i < j && isExtremum(args[j]!); i++) args[j] = substituteNested(head, args[j]!, args[i]!);
  }
  return factorCommon(head, args);
}

/**
 * Returns the arguments without nested opposites whose own number already exceeds the outer bound:
 * they never decide.
 */
function dropCovered(head: Extremum, args: SymExpr[]): SymExpr[] {
  const numbers = args.filter(isNumber);
  if (numbers.length === 0) return args;
  const bound = numbers.reduce((a, b) => (compareNumbers(a, b) > 0 === (head === "Max") ? a : b));
  return args.filter((arg) => {
    const first = arg.op === other(head) ? arg.args[0]! : undefined;
    if (first === undefined || !isNumber(first)) return true;
    const order = compareNumbers(first, bound);
    return head === "Max" ? order >= 0 : order <= 0;
  });
}

function substituteNested(head: Extremum, e: SymExpr, found: SymExpr): SymExpr {
  step();
  if (!isExtremum(e)) return e;
  if (!e.args.some((arg) => same(arg, found))) {
    const args = e.args.map((arg) => substituteNested(head, arg, found));
    return args.every((arg, i) => arg === e.args[i]) ? e : build(e.op as Extremum, args);
  }
  if (e.op !== head) return found;
  return build(
    head,
    e.args.filter((arg) => !same(arg, found)).map((arg) => substituteNested(head, arg, found)),
  );
}

/** `Min(Max(x, y), Max(x, z))` is `Max(x, Min(y, z))`. */
function factorCommon(head: Extremum, args: readonly SymExpr[]): readonly SymExpr[] {
  const nested = args.filter((arg) => arg.op === other(head));
  if (args.length < 2 || nested.length === 0) return args;
  const common = nested[0]!.args.filter((arg) => nested.every((n) => n.args.some((a) => same(a, arg))));
  if (common.length === 0) return args;
  const remaining = args.filter((arg) => arg.op !== other(head));
  const differences = nested.map((n) => n.args.filter((arg) => !common.some((c) => same(c, arg))));
  if (differences.some((difference) => difference.length === 0))
    return [...remaining, build(other(head), common)];
  const inner = build(
    head,
    differences.map((difference) => build(other(head), difference)),
  );
  return [...remaining, build(other(head), [...common, inner])];
}

function dropDominated(head: Extremum, items: readonly SymExpr[]): readonly SymExpr[] {
  const numbers = items.filter(isNumber);
  const symbolic = items.filter((item) => !isNumber(item));
  if (numbers.length === 0) return sameTerm(head, symbolic) ?? symbolic;
  const number = numbers.reduce((a, b) => (compareNumbers(a, b) > 0 === (head === "Max") ? a : b));
  const only = symbolic.length === 1 ? symbolic[0]! : undefined;
  if (
    only !== undefined &&
    ((isZero(number) && isNonnegative(only)) || (isOne(number) && isPositive(only)))
  ) {
    return head === "Max" ? [only] : [number];
  }
  return [number, ...symbolic];
}

/** Two multiples of one signed term: the coefficients decide. */
function sameTerm(head: Extremum, items: readonly SymExpr[]): readonly SymExpr[] | undefined {
  if (items.length !== 2) return undefined;
  const [a, b] = [items[0]!, items[1]!];
  const [coefficientA, termA] = splitCoefficient(a);
  const [coefficientB, termB] = splitCoefficient(b);
  if (!same(termA, termB)) return undefined;
  const order = compareNumbers(coefficientA, coefficientB);
  if (!isNonnegative(termA) && !isNonpositive(termA)) return undefined;
  const larger = order > 0 === isNonnegative(termA) ? a : b;
  return [head === "Max" ? larger : larger === a ? b : a];
}
