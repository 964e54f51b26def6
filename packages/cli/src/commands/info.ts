import { stat } from "node:fs/promises";
import { annotation, type ExportedProgram, type InputSpec, missingValues, type OutputSpec } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import { dtypeInfo, type Tensor } from "@sconce/tensor";
import type { Command } from "commander";
import { type Io, json, type Outcome } from "../io.js";
import { isIrFile, openProgram, openSession, repeatable } from "../open.js";
import { oneLine } from "../text.js";
import { type LoopFacts, loopFactsOf, loopLines } from "./info-loops.js";
import { missingLines, withoutValues } from "./without-values.js";

interface InfoOptions {
  readonly json?: boolean;
  readonly loops?: boolean;
  readonly plugin?: readonly string[];
}

export function infoCommand(program: Command, io: Io, _outcome: Outcome): void {
  program
    .command("info")
    .description("Show a summary of a program: kind, versions, sizes, signature, operators.")
    .argument("<file>", "A .pt2 or .sir file")
    .option("--json", "Print JSON")
    .option("--loops", "Add the loop nests of the program: nodes, FLOPs, bytes, planned memory")
    .option("--plugin <module>", "Load a plugin module with operators (repeatable)", repeatable)
    .action(async (file: string, options: InfoOptions) => {
      const session = await openSession(io, options.plugin, undefined, [file]);
      const exported = await openProgram(file, session);
      const kind = (await isIrFile(file)) ? "IR text (.sir)" : "exported program (.pt2)";
      const facts = factsOf(exported, session.operators, kind, (await stat(file)).size);
      const loops = options.loops ? loopFactsOf(exported, session) : undefined;
      const missing = missingValues(exported);
      io.out(
        options.json
          ? json({ file, ...facts, ...withoutValues(missing), ...(loops && { loops }) })
          : textOf(file, facts, missingLines(missing), loops),
      );
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
  /** Operators of the program that nothing here defines: it prints, but does not run. */
  readonly unknownOperators: readonly string[];
}

function factsOf(program: ExportedProgram, operators: OperatorTable, kind: string, fileBytes: number): Facts {
  const { stateDict, graphSignature, rangeConstraints } = program;
  const parameters = [...program.parameterNames].flatMap((name) => stateDict.get(name) ?? []);
  const histogram = [...program.opHistogram()].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    kind,
    torch: program.torchVersion ?? null,
    dialect: program.dialect,
    fileBytes,
    nodes: program.graph.size,
    parameters: parameters.length,
    parameterElements: sum(parameters, (tensor) => tensor.numel),
    stateBytes: sum(stateDict.values(), bytesOf),
    constants: program.constants.size,
    inputs: graphSignature.inputSpecs.map((spec) => specText(spec, program)),
    outputs: graphSignature.outputSpecs.map((spec) => specText(spec, program)),
    ranges: Object.fromEntries(
      [...rangeConstraints].map(([name, { min, max }]) => [name, `[${min}, ${max}]`]),
    ),
    operators: Object.fromEntries(histogram),
    unknownOperators: histogram.map(([target]) => target).filter((target) => isUnknown(target, operators)),
  };
}

const sum = <T>(items: Iterable<T>, amount: (item: T) => number): number =>
  [...items].reduce((total, item) => total + amount(item), 0);

const bytesOf = (tensor: Tensor): number => tensor.numel * dtypeInfo(tensor.dtype).itemSize;

/** `x: USER_INPUT f32[s77, 12]`, `p_w: PARAMETER net.weight f32[3, 2]`. */
function specText({ arg, kind, target }: InputSpec | OutputSpec, { graph }: ExportedProgram): string {
  const type = arg.name === "" ? undefined : annotation(graph.find(arg.name)?.meta.val);
  return [`${arg.name === "" ? "(constant)" : arg.name}:`, kind, target, type]
    .filter((part) => part !== null && part !== undefined)
    .join(" ");
}

/** Python functions and control flow are not in the operator table. */
const isUnknown = (target: string, operators: OperatorTable): boolean =>
  /^\w+\.\w+\.\w+$/.test(target) &&
  !/^(torch|math|operator)\./.test(target) &&
  operators.schemaOf(target) === undefined;

function textOf(
  file: string,
  facts: Facts,
  missing: readonly string[],
  loops: LoopFacts | undefined,
): string {
  const { unknownOperators, ranges, operators } = facts;
  const lines = [
    `${file}: ${facts.kind}, torch ${oneLine(facts.torch ?? "unknown")}, dialect ${oneLine(facts.dialect)}`,
    `${facts.nodes} nodes, ${facts.parameters} parameters (${facts.parameterElements} elements), ${facts.constants} constants`,
    `${facts.fileBytes} bytes in the file, ${facts.stateBytes} bytes of state`,
    ...section("inputs", facts.inputs),
    ...section("outputs", facts.outputs),
    ...section("state without values (give it with --weights to run the program)", missing),
    ...section(
      "ranges",
      Object.entries(ranges).map(([name, range]) => `${name} in ${range}`),
    ),
    ...section(
      "operators",
      Object.entries(operators).map(([name, count]) => `${String(count).padStart(5)}  ${name}`),
    ),
    ...section("operators that only a plugin can define", unknownOperators),
    ...(loops === undefined ? [] : loopLines(loops)),
  ];
  return `${lines.join("\n")}\n`;
}

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `  ${line}`)];
