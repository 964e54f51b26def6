/** @file Sizes of inputs for which an expression has different values, for errors about choices. */
import { evaluate, freeSymbols, type ShapeEnv, type SymExpr } from "@sconce/symbolic";
import { candidates, numbersIn } from "../dynamic/counterexample.js";
import type { SymbolSource } from "../dynamic/index.js";

/** How many combinations of sizes are tried. */
const MOST = 4000;
/** A size that is likely to be between others. */
const EXAMPLE = 8;

type Values = ReadonlyMap<string, number>;

/**
 * Returns lines with sizes that the specification admits and that decide the expression in
 * different ways; none where such sizes are not found.
 */
export function differentAnswers(
  expr: SymExpr,
  env: ShapeEnv,
  sources: ReadonlyMap<string, readonly SymbolSource[]>,
): string {
  const names = [...freeSymbols(expr)].map(([name, symbol]) => {
    const { min, max } = env.rangeOf(symbol);
    return [name, candidates({ name, min, max, example: EXAMPLE }, numbersIn(expr))] as const;
  });
  if (names.length === 0 || names.length > 2 || !names.every(([name]) => sources.has(name))) return "";
  const found = new Map<number | boolean, Values>();
  let tries = 0;
  for (const values of combinations(names)) {
    if (++tries > MOST || found.size === 2) break;
    const answer = isAdmitted(values, env) ? answerOf(expr, values) : undefined;
    if (answer !== undefined && !found.has(answer)) found.set(answer, values);
  }
  if (found.size < 2) return "";
  const lines = [...found].map(([answer, values]) => {
    const sizes = [...values].map(([name, value]) => `${sources.get(name)![0]!.name} = ${value}`);
    const text = typeof answer === "boolean" ? (answer ? "True" : "False") : String(answer);
    return `\n  - ${text} for ${sizes.join(", ")}`;
  });
  return `\n\nIt is not the same for all sizes:${lines.join("")}`;
}

function* combinations(names: readonly (readonly [string, readonly number[]])[]): Generator<Values> {
  const [first, second] = names;
  for (const a of first![1]) {
    if (second === undefined) yield new Map([[first![0], a]]);
    else
      for (const b of second[1])
        yield new Map([
          [first![0], a],
          [second[0], b],
        ]);
  }
}

/** Returns whether the values meet all assertions on these symbols alone. */
const isAdmitted = (values: Values, env: ShapeEnv): boolean =>
  env.assertions.every(
    (condition) =>
      ![...freeSymbols(condition).keys()].every((name) => values.has(name)) ||
      answerOf(condition, values) !== false,
  );

function answerOf(expr: SymExpr, values: Values): number | boolean | undefined {
  try {
    return evaluate(expr, values);
  } catch {
    return undefined;
  }
}
