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

/** Returns the warning about places that the check could not follow. */
export const uncheckedPlaces = (findings: readonly SourceFinding[], isStrict: boolean): string =>
  `The source check could not follow the model everywhere. Where one of these places decides on a tensor or a dynamic size, the program has the wrong branch${isStrict ? "; where one reads or changes state outside of the model, the program does not" : ""}:${listed(findings)}`;

/**
 * Returns the warning about places in functions of control flow that the check could not follow.
 */
export const uncheckedBodies = (findings: readonly SourceFinding[]): string =>
  `The source check could not follow functions of control flow everywhere. Where one of these places changes a value from outside of the function, the program does not do it:${listed(findings)}`;

/** Returns the warning about numbers that are written as floats and are integers. */
export function writtenFloats(problems: readonly SourceProblem[]): string {
  const shown = problems
    .slice(0, SHOWN)
    .map((one) => `\n  ${placeOf(one)}: ${one.code}: ${one.message}; ${one.fix}`);
  if (problems.length > SHOWN) shown.push(`\n  and ${problems.length - SHOWN} more`);
  return `Numbers of the model are written as floats, and JavaScript makes integers of them:${shown.join("")}`;
}

/** Returns the places of findings, one on a line. */
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

/** Changes of JavaScript values in functions that control flow is given. */
export function sideEffects(operator: string, problems: readonly SourceProblem[]): SconceError {
  const [first] = problems as readonly [SourceProblem, ...SourceProblem[]];
  const shown = problems
    .slice(0, SHOWN)
    .map(
      (one) =>
        `\n  ${positionOf(one)}, in ${one.function}: ${one.construct}: \`${one.code}\` changes a value from outside of the function`,
    );
  if (problems.length > SHOWN) shown.push(`\n  and ${problems.length - SHOWN} more`);
  return new SconceError({
    code: "CONTROL_FLOW_SIDE_EFFECT",
    message: `torch.${operator}: Mutating a variable from outside the scope of this HOP is not supported. The program would not do it:${shown.join("")}`,
    where: positionOf(first),
    fix: "return the value from the function, let a loop carry it as a tensor, or keep it in a variable of the function",
  });
}

const positionOf = (one: SourceFinding): string =>
  findingPosition(one) ?? `${one.function}, its line ${one.line}, column ${one.column}`;

const placeOf = (one: SourceFinding): string => findingPlace(one) ?? `${one.function}, its line ${one.line}`;
