import { stat } from "node:fs/promises";
import type { ExportedProgram } from "@sconce/ir";
import { dtypeInfo } from "@sconce/tensor";
import type { Command } from "commander";
import { type Io, json, type Outcome } from "../io.js";
import { openProgram, openSession, repeatable } from "../open.js";

export function infoCommand(program: Command, io: Io, _outcome: Outcome): void {
  program
    .command("info")
    .description("What a file holds: kind, versions, sizes, signature, operators.")
    .argument("<file>", "a .pt2 file")
    .option("--json", "for machines")
    .option("--plugin <module>", "a module with further operators (repeatable)", repeatable, [])
    .action(async (file: string, options: { json?: boolean; plugin: readonly string[] }) => {
      const session = await openSession(options.plugin);
      const exported = await openProgram(file, session, true);
      const facts = factsOf(exported, (await stat(file)).size);
      io.out(options.json ? json({ file, ...facts }) : textOf(file, facts));
    });
}

interface Facts {
  readonly kind: string;
  readonly torch: string | null;
  readonly dialect: string;
  readonly fileBytes: number;
  readonly nodes: number;
  readonly parameters: number;
  readonly parameterElements: number;
  readonly stateBytes: number;
  readonly constants: number;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly ranges: Readonly<Record<string, string>>;
  readonly operators: Readonly<Record<string, number>>;
}

function factsOf(program: ExportedProgram, fileBytes: number): Facts {
  const tensors = [...program.stateDict.values()];
  const parameters = [...program.parameterNames];
  return {
    kind: "exported program (.pt2)",
    torch: program.torchVersion ?? null,
    dialect: program.dialect,
    fileBytes,
    nodes: program.graph.size,
    parameters: parameters.length,
    parameterElements: parameters.reduce((sum, name) => sum + (program.stateDict.get(name)?.numel ?? 0), 0),
    stateBytes: tensors.reduce((sum, tensor) => sum + tensor.numel * dtypeInfo(tensor.dtype).itemSize, 0),
    constants: program.constants.size,
    inputs: program.graphSignature.inputSpecs.map((spec) => `${spec.arg.name}: ${spec.kind}${spec.target === null ? "" : ` ${spec.target}`}`),
    outputs: program.graphSignature.outputSpecs.map((spec) => `${spec.arg.name}: ${spec.kind}${spec.target === null ? "" : ` ${spec.target}`}`),
    ranges: Object.fromEntries([...program.rangeConstraints].map(([name, { min, max }]) => [name, `[${min}, ${max}]`])),
    operators: Object.fromEntries([...program.opHistogram()].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

function textOf(file: string, facts: Facts): string {
  const lines = [
    `${file}: ${facts.kind}, torch ${facts.torch ?? "unknown"}, dialect ${facts.dialect}`,
    `${facts.nodes} nodes, ${facts.parameters} parameters (${facts.parameterElements} elements), ${facts.constants} constants`,
    `${facts.fileBytes} bytes in the file, ${facts.stateBytes} bytes of state`,
    "inputs:", ...facts.inputs.map((line) => `  ${line}`),
    "outputs:", ...facts.outputs.map((line) => `  ${line}`),
  ];
  const ranges = Object.entries(facts.ranges);
  if (ranges.length > 0) lines.push("ranges:", ...ranges.map(([name, range]) => `  ${name} in ${range}`));
  lines.push("operators:", ...Object.entries(facts.operators).map(([name, count]) => `  ${String(count).padStart(5)}  ${name}`));
  return `${lines.join("\n")}\n`;
}
