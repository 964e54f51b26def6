import { type ExportedProgram, printIr } from "@sconce/ir";
import {
  alignNames,
  type DiffOptions,
  diffPrograms,
  type NodeDifference,
  type ProgramDifference,
  unifiedDiff,
} from "@sconce/ir/diff";
import type { Command } from "commander";
import { EXIT, json, type Outcome, type SafeIo } from "../io.js";
import { openProgram, openSession, repeatable } from "../open.js";
import { oneLine } from "../text.js";

interface DiffCommandOptions extends DiffOptions {
  readonly json?: boolean;
  readonly plugin?: readonly string[];
}

export function diffCommand(program: Command, io: SafeIo, outcome: Outcome): void {
  program
    .command("diff")
    .description(
      "Show the differences of two programs: nodes, types, metadata, signature, state (exit code 1).",
    )
    .argument("<a>", "A .pt2 or .sir file")
    .argument("<b>", "A .pt2 or .sir file")
    .option("--ignore-names", "Ignore the names of nodes and nested graphs")
    .option("--ignore-metadata", "Ignore stack traces, module stacks and origins")
    .option("--json", "Print JSON")
    .option("--plugin <module>", "Load a plugin module with operators (repeatable)", repeatable)
    .action(async (a: string, b: string, options: DiffCommandOptions) => {
      const session = await openSession(io, options.plugin, undefined, [a, b]);
      const before = await openProgram(a, session);
      const after = await openProgram(b, session);
      const { ignoreNames = false, ignoreMetadata = false } = options;
      const difference = diffPrograms(before, after, { ignoreNames, ignoreMetadata });
      if (!difference.equal) outcome.code = EXIT.differs;
      if (options.json) io.out(json({ a, b, ...difference }));
      else if (!difference.equal) {
        const named = options.ignoreNames ? alignNames(before, after) : after;
        io.exact(differenceText([a, before], [b, named], difference));
      }
    });
}

type Named = readonly [name: string, program: ExportedProgram];

/**
 * What `diff -u` would show of the texts, and below it the differences that the texts do not show.
 */
function differenceText([a, before]: Named, [b, after]: Named, difference: ProgramDifference): string {
  const lines = unifiedDiff(irLines(before), irLines(after));
  const head = lines.length === 0 ? [] : [`--- ${oneLine(a)}`, `+++ ${oneLine(b)}`];
  const rest = [
    ...difference.nodes.flatMap(metadataLine),
    ...difference.values.map((key) => `values differ: ${JSON.stringify(key)}`),
  ];
  return [...head, ...lines, ...rest].map((line) => `${line}\n`).join("");
}

const irLines = (program: ExportedProgram): string[] =>
  printIr(program, { metadata: false }).trimEnd().split("\n");

const IN_TEXT: ReadonlySet<string> = new Set(["op", "target", "args", "kwargs", "type"]);

function metadataLine({ graph, node, fields }: NodeDifference): string[] {
  const keys = fields.filter((field) => !IN_TEXT.has(field));
  const path = graph === "" ? node : `${graph}.${node}`;
  return keys.length === 0 ? [] : [`metadata differs: ${oneLine(path)}: ${keys.join(", ")}`];
}
