/**
 * @file The parts of a program besides its graph as lines of IR text, so that a change of them is a
 * change of lines.
 */
import type { Tensor } from "@sconce/tensor";
import { historyMismatch } from "../graph/errors.js";
import { Graph } from "../graph/graph.js";
import { parseIr } from "../ir-text/parse-program.js";
import { isExampleKey, printIr } from "../ir-text/print-program.js";
import type { ExportedProgram } from "../program/program.js";
import type { ProgramParts } from "../program/program-parts.js";
import { align, hunksOf } from "../support/align.js";

/** A run of lines in the place of another. Positions count in the text before. */
export interface LineSplice {
  /** Position of the first line, in the text before. */
  readonly at: number;
  /** The lines that go. */
  readonly removed: readonly string[];
  /** The lines in their place. */
  readonly added: readonly string[];
}

const EMPTY = new Graph([]);

/** Returns the program block around an empty graph, without comments. */
export const programLines = (program: ExportedProgram): string[] =>
  printIr(program.with({ graph: EMPTY }), { metadata: false })
    .split("\n")
    .filter((line) => !line.trimStart().startsWith("//"));

export function lineSplices(before: readonly string[], after: readonly string[]): LineSplice[] {
  return hunksOf(align(before, after), after.length).map(({ startA, endA, startB, endB }) => ({
    at: startA,
    removed: before.slice(startA, endA),
    added: after.slice(startB, endB),
  }));
}

type PartName = keyof ProgramParts;

/** Which part a line belongs to, by its first word. */
const PART_OF_LINE: Readonly<Record<string, readonly PartName[]>> = {
  program: ["dialect"],
  torch: ["torchVersion"],
  opset: ["opsetVersion"],
  fields: ["namedTupleFields"],
  note: ["graphMetadata"],
  range: ["rangeConstraints"],
  hint: ["symbolHints"],
  unused: ["unusedSymbols"],
  guard: ["guardsCode"],
  parameter: ["stateDict", "parameterNames"],
  buffer: ["stateDict", "parameterNames"],
  constant: ["constants"],
  input: ["graphSignature"],
  output: ["graphSignature"],
  call: ["moduleCallGraph"],
  example: ["exampleInputs"],
  examples: ["exampleInputs"],
};
/**
 * Returns the parts that a change of lines and tensors touches, as they are after it.
 * @throws SconceError `HISTORY_MISMATCH` when the lines that go are not there, `IR_SYNTAX`,
 * `IR_TENSOR`
 */
export function splicedParts(
  program: ExportedProgram,
  splices: readonly LineSplice[],
  tensors: ReadonlyMap<string, Tensor>,
  held: ReadonlyMap<string, Tensor>,
): Partial<ProgramParts> {
  if (splices.length === 0 && tensors.size === 0) return {};
  const text = spliced(programLines(program), splices).join("\n");
  const parsed = parseIr(text, { tensors: new Map([...held, ...tensors]) });
  const touched = new Set<PartName>(tensors.size > 0 ? ["stateDict", "constants"] : []);
  if ([...tensors.keys()].some((key) => isExampleKey(key))) touched.add("exampleInputs");
  for (const { removed, added } of splices) {
    for (const line of [...removed, ...added])
      for (const part of PART_OF_LINE[/^\s*(\w+)/.exec(line)?.[1] ?? ""] ?? []) touched.add(part);
  }
  return Object.fromEntries([...touched].map((part) => [part, parsed[part]]));
}

function spliced(lines: readonly string[], splices: readonly LineSplice[]): string[] {
  const result: string[] = [];
  let position = 0;
  for (const { at, removed, added } of splices) {
    if (at < position || at > lines.length) throw historyMismatch(`the program has no line ${at}`);
    removed.forEach((line, i) => {
      const found = lines[at + i];
      if (found !== line) {
        throw historyMismatch(
          `the program has ${found?.trim() ?? "no line"} where the history has ${line.trim()}`,
        );
      }
    });
    result.push(...lines.slice(position, at), ...added);
    position = at + removed.length;
  }
  return [...result, ...lines.slice(position)];
}
