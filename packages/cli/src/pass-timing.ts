/** @file The table of `--timing`. */
import { columns } from "./text.js";

/** What a pass took and did. */
export interface TimedPass {
  /** Counts from 1. */
  readonly step: number;
  readonly pass: string;
  readonly milliseconds: number;
  readonly rewrites: number;
  readonly nodes: { readonly before: number; readonly after: number };
  /** The rules that the pass tried; the time is null for what is not a rule of the driver. */
  readonly rules: readonly {
    readonly rule: string;
    readonly milliseconds: number | null;
    readonly rewrites: number;
  }[];
}

const HEAD = ["step", "time ms", "part", "rewrites", "nodes before", "nodes after"];

/** Returns a line for each pass, below it one for each of its rules, and the sum. */
export function timingText(passes: readonly TimedPass[]): string {
  const total = passes.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
  const part = (milliseconds: number): string =>
    `${(total === 0 ? 0 : (100 * milliseconds) / total).toFixed(1)} %`;
  const time = (milliseconds: number): string[] => [milliseconds.toFixed(3), part(milliseconds)];
  const rows = passes.flatMap(({ step, pass, milliseconds, rewrites, nodes, rules }) => [
    [`${step} ${pass}`, ...time(milliseconds), String(rewrites), String(nodes.before), String(nodes.after)],
    ...rules.map((one) => [
      `  rule ${one.rule}`,
      ...(one.milliseconds === null ? ["", ""] : time(one.milliseconds)),
      String(one.rewrites),
      "",
      "",
    ]),
  ]);
  const [first, last] = [passes[0], passes.at(-1)];
  const nodes = first === undefined ? ["", ""] : [String(first.nodes.before), String(last!.nodes.after)];
  const rewrites = passes.reduce((sum, one) => sum + one.rewrites, 0);
  const lines = columns(
    [HEAD, ...rows, ["total", ...time(total), String(rewrites), ...nodes]],
    (column) => column > 0,
  );
  return lines.map((line) => `${line}\n`).join("");
}
