/** @file The error of a source check. */
import { SconceError } from "@sconce/errors";
import { findingPlace, type SourceProblem } from "./report.js";

const SHOWN = 10;

/** Tensors or dynamic sizes that JavaScript would take for true or compare by identity. */
export function sourceProblems(problems: readonly SourceProblem[]): SconceError {
  const [first] = problems as readonly [SourceProblem, ...SourceProblem[]];
  const places = problems.slice(0, SHOWN).map(placeOf);
  const lines = places.map((place, i) => `${place}: ${problems[i]!.message}: ${problems[i]!.code}`);
  if (problems.length > SHOWN) lines.push(`and ${problems.length - SHOWN} more`);
  return new SconceError({
    code: "SOURCE_CHECK",
    message: `JavaScript would decide without the trace, and the program would have the wrong branch:\n  ${lines.join("\n  ")}`,
    where: places[0]!,
    fix: first.fix,
  });
}

const placeOf = (one: SourceProblem): string => findingPlace(one) ?? `${one.function}, its line ${one.line}`;
