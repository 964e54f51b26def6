/** @file The error and the warning of a source check. */
import { SconceError } from "@sconce/errors";
import { findingPlace, findingPosition, type SourceFinding, type SourceProblem } from "./report.js";

const SHOWN = 10;

/** Tensors or dynamic sizes that JavaScript would take for true or compare by identity. */
export function sourceProblems(problems: readonly SourceProblem[]): SconceError {
  const [first] = problems as readonly [SourceProblem, ...SourceProblem[]];
  return new SconceError({
    code: "SOURCE_CHECK",
    message: `JavaScript would decide without the trace, and the program would have the wrong branch:${listed(problems)}`,
    where: placeOf(first),
    fix: first.fix,
  });
}

/** The warning about places that the check could not follow. */
export const uncheckedPlaces = (findings: readonly SourceFinding[]): string =>
  `The source check could not follow the model everywhere. Where one of these places decides on a tensor or a dynamic size, the program has the wrong branch:${listed(findings)}`;

/** The places of findings, one on a line. */
function listed(findings: readonly SourceFinding[]): string {
  const lines = findings.slice(0, SHOWN).map((one) => `${placeOf(one)}: ${one.message}: ${one.code}`);
  if (findings.length > SHOWN) lines.push(`and ${findings.length - SHOWN} more`);
  return lines.map((line) => `\n  ${line}`).join("");
}

/** Constructs that strict mode refuses, and the wrong uses of values beside them. */
export function strictProblems(problems: readonly SourceProblem[]): SconceError {
  const [first] = problems as readonly [SourceProblem, ...SourceProblem[]];
  const shown = problems.slice(0, SHOWN).map((one) => {
    const { construct, message, fix } = one;
    return `\n  ${positionOf(one)}, in ${one.function}: ${construct}: ${message}; instead: ${fix}`;
  });
  if (problems.length > SHOWN) shown.push(`\n  and ${problems.length - SHOWN} more`);
  return new SconceError({
    code: "STRICT_MODE",
    message: `strict mode refuses what the trace cannot see:${shown.join("")}`,
    where: positionOf(first),
    fix: first.fix,
  });
}

const positionOf = (one: SourceFinding): string =>
  findingPosition(one) ?? `${one.function}, its line ${one.line}, column ${one.column}`;

const placeOf = (one: SourceFinding): string => findingPlace(one) ?? `${one.function}, its line ${one.line}`;
