import type { ExportedProgram } from "@sconce/ir";
import {
  alignNames,
  type DiffOptions,
  diffPrograms,
  type NodeDifference,
  type ProgramDifference,
  unifiedDiff,
} from "@sconce/ir/diff";
import { printIr } from "@sconce/ir/text";
import { type LineStyle, PLAIN } from "../colors.js";
import { EXIT, json, type Outcome, type SafeIo } from "../io.js";
import { openProgram } from "../open.js";
import { openSession } from "../session.js";
import { linesText, oneLine } from "../text.js";

export interface DiffCommandOptions extends DiffOptions {
  readonly json?: boolean;
  readonly plugin?: readonly string[];
}

export async function diff(
  a: string,
  b: string,
  options: DiffCommandOptions,
  io: SafeIo,
  outcome: Outcome,
): Promise<void> {
  const session = await openSession(io, options.plugin, undefined, [a, b]);
  const before = await openProgram(a, session);
  const after = await openProgram(b, session);
  const { ignoreNames = false, ignoreMetadata = false } = options;
  const difference = diffPrograms(before, after, { ignoreNames, ignoreMetadata });
  if (!difference.equal) outcome.code = EXIT.differs;
  if (options.json) io.out(json({ a, b, ...difference }));
  else if (!difference.equal) {
    const named = options.ignoreNames ? alignNames(before, after) : after;
    const text = differenceText([a, before], [b, named], difference);
    // To the byte for `patch` and the like; colors are for people.
    if (io.terminal || io.paint !== PLAIN) io.styled(text, diffStyle);
    else io.exact(text);
  }
}

const diffStyle: LineStyle = (line, { bold, red, green, cyan }) => {
  if (/^(---|\+\+\+) /.test(line)) return bold(line);
  if (line.startsWith("@@")) return cyan(line);
  return line.startsWith("-") ? red(line) : line.startsWith("+") ? green(line) : line;
};

type Named = readonly [name: string, program: ExportedProgram];

/**
 * Returns what `diff -u` would show of the texts, and below it the differences that the texts do
 * not show.
 */
function differenceText([a, before]: Named, [b, after]: Named, difference: ProgramDifference): string {
  const lines = unifiedDiff(irLines(before), irLines(after));
  const head = lines.length === 0 ? [] : [`--- ${oneLine(a)}`, `+++ ${oneLine(b)}`];
  const rest = [
    ...difference.nodes.flatMap(metadataLine),
    ...difference.values.map((key) => `values differ: ${JSON.stringify(key)}`),
  ];
  return linesText([...head, ...lines, ...rest]);
}

const irLines = (program: ExportedProgram): string[] =>
  printIr(program, { metadata: false }).trimEnd().split("\n");

const IN_TEXT: ReadonlySet<string> = new Set(["op", "target", "args", "kwargs", "type"]);

function metadataLine({ graph, node, fields }: NodeDifference): string[] {
  const keys = fields.filter((field) => !IN_TEXT.has(field));
  const path = graph === "" ? node : `${graph}.${node}`;
  return keys.length === 0 ? [] : [`metadata differs: ${oneLine(path)}: ${keys.join(", ")}`];
}
