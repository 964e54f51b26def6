/** @file The report of `sconce run --compare`. */
import { countText } from "@sconce/errors";
import type { BackendComparison, NodeComparison } from "@sconce/session";
import { usage } from "../errors.js";
import { columns } from "../text.js";
import { ulpLines, ulpText } from "./ulp.js";

/** Returns the two backends of `--compare cpu,gpujs`. @throws SconceError `USAGE` */
export function comparedBackends(text: string): readonly [string, string] {
  const names = text.split(",").map((name) => name.trim());
  const [first, second] = names;
  if (names.length === 2 && first && second) return [first, second];
  throw usage(
    `--compare takes two backends, got ${JSON.stringify(text)}`,
    "write the expected one first: --compare cpu,gpujs",
  );
}

const HEADER = [
  "node",
  "operator",
  "dtype",
  "shape",
  "max abs",
  "max rel",
  "max ULP",
  "median ULP",
  "differs",
] as const;

/**
 * Returns the comparison as a table with a line for each node, and what differs first. The last
 * line is ended, too.
 */
export function comparisonText(report: BackendComparison): string {
  const { backends, nodes, outputs, first } = report;
  const hasPlaces = nodes.some(({ place }) => place !== undefined);
  const rows = [
    [...HEADER, ...(hasPlaces ? ["ran on"] : [])],
    ...nodes.map((row) => rowTexts(shownName(row), row, hasPlaces)),
    ...outputs.map((row, i) => rowTexts(`o${i}: ${shownName(row)}`, row, hasPlaces)),
  ];
  return [
    `${backends[1]} compared with ${backends[0]}: ${countText(nodes.length, "node")}, ${countText(outputs.length, "result")}`,
    ...columns(rows),
    ...outputs.flatMap((row, i) => ulpLines(`o${i}: ${shownName(row)}`, row.ulp)),
    ...(first === undefined ? [] : ulpLines(shownName(first), first.ulp)),
    first === undefined ? "nothing differs" : firstText(first, report),
  ]
    .map((line) => `${line}\n`)
    .join("");
}

/** Returns the name in the given program. */
const shownName = ({ node, source = node }: NodeComparison): string => source;

function rowTexts(name: string, row: NodeComparison, hasPlaces: boolean): string[] {
  const { target, dtype, shape, maxAbsolute, maxRelative, ulp, differs, problem, place } = row;
  return [
    name,
    target,
    dtype,
    `[${shape.join(", ")}]`,
    problem === undefined ? number(maxAbsolute) : "-",
    problem === undefined ? number(maxRelative) : "-",
    ulp === undefined ? "-" : ulpText(ulp.max),
    ulp === undefined ? "-" : ulpText(ulp.median),
    problem ?? (differs ? "yes" : "no"),
    ...(hasPlaces ? [place ?? ""] : []),
  ];
}

const number = (value: number): string =>
  value === 0 ? "0" : Number.isFinite(value) ? value.toExponential(2) : "inf";

function firstText(first: NodeComparison, { nodes }: BackendComparison): string {
  const { target, shape, differing, first: index, problem, line } = first;
  const total = shape.reduce((count, size) => count * size, 1);
  const where = index === undefined || index.length === 0 ? "" : `, the first at [${index.join(", ")}]`;
  const how = problem ?? `${differing} of ${countText(total, "element")} differ${where}`;
  const isHidden = !nodes.some(({ differs }) => differs);
  const when = isHidden ? ", when it runs without other results," : "";
  const user = line === undefined ? "" : `\n  ${line}`;
  return `the first node that differs${when} is %${shownName(first)} (${target}): ${how}${user}`;
}

/** Returns the comparison as JSON: an infinite distance is "inf". */
export function comparisonJson(report: BackendComparison): object {
  const row = (one: NodeComparison): object => ({
    ...one,
    maxAbsolute: finite(one.maxAbsolute),
    maxRelative: finite(one.maxRelative),
  });
  const { nodes, outputs, first } = report;
  return {
    ...report,
    nodes: nodes.map(row),
    outputs: outputs.map(row),
    first: first === undefined ? null : row(first),
  };
}

const finite = (value: number): number | string => (Number.isFinite(value) ? value : "inf");
