/** @file The report of `sconce run --first-nonfinite`. */
import { countText } from "@sconce/errors";
import type { NamedSummary, NonfiniteNode, NonfiniteReport, TensorSummary } from "@sconce/session";
import { linesText } from "../text.js";

/** Returns the report as text, lines ended. */
export function nonfiniteText({ sources, first, calls }: NonfiniteReport, kind: "any" | "nan"): string {
  const what = kind === "nan" ? "NaN" : "NaN or infinity";
  const lines = sources.map(
    (source) =>
      `${source.kind === "input" ? `input %${source.name}` : `state "${source.name}"`} already holds ${what}: ${summaryText(source)}`,
  );
  if (first !== undefined) lines.push(...nodeLines(first, what));
  else if (sources.length === 0) lines.push(`no ${what} in the results of ${countText(calls, "call")}`);
  else lines.push(`no call has a result with ${what} (${countText(calls, "call")})`);
  return linesText(lines);
}

function nodeLines(
  { node, target, path, line, result, output, inputs }: NonfiniteNode,
  what: string,
): string[] {
  return [
    `the first result with ${what} is of ${[...path, `%${node}`].join("/")} (${target})`,
    ...(line === undefined ? [] : [`  ${line}`]),
    `  result ${result}: ${summaryText(output)}`,
    ...inputs.map((input: NamedSummary) => `  input %${input.name}: ${summaryText(input)}`),
  ];
}

function summaryText(summary: TensorSummary): string {
  const { dtype, shape, min, max, nan, positiveInfinity, negativeInfinity, numel, first } = summary;
  const counts = [
    [nan, "NaN"],
    [positiveInfinity, "inf"],
    [negativeInfinity, "-inf"],
  ] as const;
  const odd = counts.filter(([count]) => count > 0).map(([count, name]) => `${count} ${name}`);
  const range = min === undefined ? "no finite values" : `from ${min} to ${max}`;
  const type = dtype === "float" ? "float" : `${dtype}[${shape.join(", ")}]`;
  const place =
    first === undefined ? "" : `, the first ${valueText(first.value)} at [${first.index.join(", ")}]`;
  return odd.length === 0
    ? `${type}, finite, ${range}`
    : `${type}, ${odd.join(", ")} of ${numel}${place}; ${range}`;
}

const valueText = (value: number): string => (Number.isNaN(value) ? "NaN" : value > 0 ? "inf" : "-inf");

/** Returns the report as JSON has it: values that are not finite as text. */
export function nonfiniteJson(report: NonfiniteReport): unknown {
  return JSON.parse(
    JSON.stringify(report, (_key, value: unknown) =>
      typeof value === "number" && !Number.isFinite(value) ? valueText(value) : value,
    ),
  );
}
