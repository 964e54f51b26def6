import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type ExportedProgram, printIr, type Value } from "@sconce/ir";
import {
  type Bisection,
  type CheckOptions,
  type CheckReport,
  type Culprit,
  coverageText,
  parsePipeline,
  regionsText,
} from "@sconce/passes";
import { Tensor, writeSafetensors } from "@sconce/tensor";
import type { Command } from "commander";
import { fileError } from "../errors.js";
import { EXIT, json, type Outcome, type SafeIo } from "../io.js";
import { openProgram, openSession, openTensors, repeatable } from "../open.js";
import { sirFiles } from "../sir.js";
import { writeFiles } from "../write-files.js";
import { readInputs, tolerance } from "./inputs.js";

interface BisectCommandOptions {
  readonly passes: string;
  readonly inputs?: string;
  readonly scalars?: string;
  readonly rtol?: string;
  readonly atol?: string;
  readonly seed?: string;
  readonly output?: string;
  readonly json?: boolean;
  readonly plugin?: readonly string[];
}

export function bisectCommand(program: Command, io: SafeIo, outcome: Outcome): void {
  program
    .command("bisect")
    .description(
      "The first pass that breaks the program, its first wrong rewrite, and a small program that shows it.",
    )
    .argument("<file>", "a .pt2 or .sir file")
    .requiredOption("--passes <pipeline>", "the passes to look into")
    .option("--inputs <file>", "safetensors with i0, i1, ...; inputs are sampled when left out")
    .option("--scalars <json>", "inputs that are not tensors, by position")
    .option("--rtol <number>", "relative tolerance; by dtype when neither is given")
    .option("--atol <number>", "absolute tolerance")
    .option("--seed <number>", "of the sampled inputs", "0")
    .option("-o, --output <folder>", "where to write reproducer.sir, its tensors and its inputs")
    .option("--json", "for machines")
    .option("--plugin <module>", "a module with further passes (repeatable)", repeatable)
    .action(async (file: string, options: BisectCommandOptions) => {
      const session = await openSession(io, options.plugin);
      const passes = parsePipeline(options.passes, session.passes, session);
      const opened = await openProgram(file, session);
      const check = await checkOptions(opened, options);
      const result = session.bisect(opened, passes, { ...check, onProgress: progressOn(io) });
      clear(io);
      if (result.culprit !== undefined) outcome.code = EXIT.differs;
      const files = result.culprit && (await written(result.culprit, options));
      if (options.json) io.out(json(facts(result, files)));
      else io.exact(textOf(result, files));
    });
}

/** How the passes are checked, from the options of the command. */
export async function checkOptions(
  program: ExportedProgram,
  options: Pick<BisectCommandOptions, "inputs" | "scalars" | "rtol" | "atol" | "seed">,
): Promise<CheckOptions> {
  const { inputs, scalars, rtol, atol, seed = "0" } = options;
  const given = inputs === undefined ? undefined : await openTensors(inputs);
  return {
    seed: tolerance(seed, "--seed"),
    ...(rtol !== undefined && { rtol: tolerance(rtol, "--rtol") }),
    ...(atol !== undefined && { atol: tolerance(atol, "--atol") }),
    ...((given !== undefined || scalars !== undefined) && {
      inputs: [readInputs(program, given ?? new Map<string, Tensor>(), scalars)],
    }),
  };
}

const progressOn = (io: SafeIo): ((text: string) => void) | undefined =>
  io.interactive ? (text) => process.stderr.write(`\r\u001b[K${text.replace(/\p{Cc}/gu, "?")}`) : undefined;
const clear = (io: SafeIo): void => void (io.interactive && process.stderr.write("\r\u001b[K"));

/** Files of a reproducer, and the command that shows the failure with them. */
interface Written {
  readonly program: string;
  readonly inputs: string;
  readonly command: string;
}

async function written(culprit: Culprit, options: BisectCommandOptions): Promise<Written | undefined> {
  const { output } = options;
  if (output === undefined) return undefined;
  const { program, inputs } = culprit.reproducer;
  await mkdir(output, { recursive: true }).catch((error: unknown) => {
    throw fileError(output, error);
  });
  const files = { program: join(output, "reproducer.sir"), inputs: join(output, "inputs.safetensors") };
  const given = writeSafetensors(tensorsOf(inputs));
  await writeFiles([...sirFiles(files.program, program), [files.inputs, given]]);
  const words = ["sconce", "bisect", files.program, "--passes", culprit.call, "--inputs", files.inputs];
  const scalars = scalarsOf(inputs);
  if (scalars !== undefined) words.push("--scalars", scalars);
  for (const name of ["rtol", "atol"] as const)
    if (options[name] !== undefined) words.push(`--${name}`, options[name]);
  for (const module of options.plugin ?? []) words.push("--plugin", module);
  return { ...files, command: words.map(quoted).join(" ") };
}

const tensorsOf = (inputs: readonly Value[]): Map<string, Tensor> =>
  new Map(inputs.flatMap((value, i) => (value instanceof Tensor ? [[`i${i}`, value] as const] : [])));

/** Inputs that are no tensors, as `--scalars` takes them. */
function scalarsOf(inputs: readonly Value[]): string | undefined {
  const scalars = inputs.flatMap((value, i) =>
    value instanceof Tensor ? [] : [[i, scalarOf(value)] as const],
  );
  return scalars.length === 0 ? undefined : JSON.stringify(Object.fromEntries(scalars));
}

function scalarOf(value: Exclude<Value, Tensor>): unknown {
  if (typeof value === "bigint") return { int: String(value) };
  if (typeof value !== "number" || Number.isFinite(value)) return value;
  return { float: Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf" };
}

const quoted = (word: string): string =>
  /^[\w./,:=@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

function facts({ culprit, reports }: Bisection, files: Written | undefined): object {
  if (culprit === undefined) return { culprit: null, reports };
  const { pass, call, step, kind, error, rewrite, reproducer, tries } = culprit;
  const told = { code: error.code, message: error.message, where: error.where };
  const found = { pass, call, step, kind, error: told, rewrite, tries };
  return { culprit: { ...found, reproducer: printIr(reproducer.program), files }, reports };
}

function textOf({ culprit, reports }: Bisection, files: Written | undefined): string {
  if (culprit === undefined) {
    const compared = reports.some(({ skipped }) => skipped === undefined);
    const verdict = compared ? `no difference in ${coverageText(reports)}` : "nothing was compared";
    return `${verdict}\n${reports.map(reportText).join("")}`;
  }
  const { call, step, error, rewrite, reproducer } = culprit;
  const lines = [`step ${step + 1}, ${call}, is the first that breaks the program`, `  ${error.message}`];
  if (rewrite !== undefined)
    lines.push(`  rewrite ${rewrite.number} of ${rewrite.total}: rule "${rewrite.rule}" at %${rewrite.node}`);
  const calls = reproducer.program.graph.nodes().filter(({ op }) => op === "call_function").length;
  lines.push(`  it still fails with ${calls} ${calls === 1 ? "call" : "calls"}:`, "");
  if (files === undefined) lines.push(printIr(reproducer.program.graph).trimEnd());
  else lines.push(`${files.program}, with inputs in ${files.inputs}; to see it:`, `  ${files.command}`);
  return `${lines.join("\n")}\n`;
}

/** What was compared after a step, with what was not below it. */
export function reportText(report: CheckReport): string {
  const { pass, step, skipped, tolerance, runs, outputs, inputs, state, elements, refused, coverage } =
    report;
  const place = `  step ${step + 1}, ${pass}: `;
  if (skipped !== undefined) return `${place}not compared, ${skipped}\n`;
  const parts = [
    `${outputs} outputs`,
    inputs > 0 && `${inputs} inputs`,
    state > 0 && `${state} buffers`,
  ].filter(Boolean);
  const left = refused > 0 ? `, ${refused} refused` : "";
  const within = tolerance?.precision === undefined ? "" : `, computed in ${tolerance.precision},`;
  const regions =
    coverage === undefined ? "; changed calls were not checked by themselves" : `; ${regionsText([report])}`;
  const whole = `${place}equal${within} in ${parts.join(", ")}, ${elements} numbers, ${runs} runs${left}${regions}\n`;
  return whole + (coverage === undefined ? "" : detailsText(coverage));
}

/** The nested graphs that changed, what was not checked by itself, and differences that do not count. */
function detailsText({ graphs, unchecked, notes }: NonNullable<CheckReport["coverage"]>): string {
  const nested = graphs.filter(({ graph, changedCalls }) => graph !== "" && changedCalls > 0);
  const lines = [
    ...nested.map(
      ({ graph, changedCalls, checkedCalls }) =>
        `${graph}: ${checkedCalls} of ${changedCalls} changed calls checked by themselves`,
    ),
    ...unchecked.map(
      ({ graph, node, reason }) =>
        `%${node}${graph === "" ? "" : ` in ${graph}`} only in whole runs: ${reason}`,
    ),
    ...notes,
  ];
  return lines.map((line) => `    ${line}\n`).join("");
}
