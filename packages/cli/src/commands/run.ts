import { SconceError } from "@sconce/errors";
import { float, type Executable, type ExportedProgram, isFloat, toNumber, type Value } from "@sconce/ir";
import { compareTensors, readSafetensors, Tensor, writeSafetensors } from "@sconce/tensor";
import cliProgress from "cli-progress";
import type { Command } from "commander";
import { EXIT, type Io, json, type Outcome, readBytes, writeBytes } from "../io.js";
import { openProgram, openSession, repeatable } from "../open.js";

interface RunOptions {
  readonly inputs?: string;
  readonly outputs?: string;
  readonly expect?: string;
  readonly rtol: string;
  readonly atol: string;
  readonly scalars?: string;
  readonly backend: string;
  readonly lower?: boolean;
  readonly plugin: readonly string[];
}

export function runCommand(program: Command, io: Io, outcome: Outcome): void {
  program
    .command("run")
    .description("Runs the program on tensors i0, i1, ... of a safetensors file (positions among the flattened user inputs).")
    .argument("<file>", "a .pt2 file")
    .option("--inputs <file>", "safetensors with i0, i1, ...")
    .option("--scalars <json>", 'inputs that are not tensors, by position: {"1": 3, "2": {"float": 2}, "3": null}')
    .option("--outputs <file>", "where to write o0, o1, ... as safetensors")
    .option("--expect <file>", "safetensors with o0, o1, ... to compare with; exit code 1 when they differ")
    .option("--rtol <number>", "relative tolerance", "1e-4")
    .option("--atol <number>", "absolute tolerance", "1e-5")
    .option("--backend <name>", "where to run", "cpu")
    .option("--lower", "run what run_decompositions() gives")
    .option("--plugin <module>", "a module with further operators (repeatable)", repeatable, [])
    .action(async (file: string, options: RunOptions) => {
      const session = await openSession(options.plugin);
      const loaded = await openProgram(file, session);
      const exported = options.lower ? session.runDecompositions(loaded) : loaded;
      const inputs = await readInputs(exported, options);
      const executable = await session.compile(exported, options.backend);
      const outputs = await runWithProgress(executable, inputs, io);
      await report(outputs, options, io, outcome);
      executable.dispose();
    });
}

async function readInputs(program: ExportedProgram, options: RunOptions): Promise<Value[]> {
  const stored = options.inputs === undefined ? new Map<string, Tensor>() : readSafetensors(await readBytes(options.inputs)).tensors;
  const scalars = parseScalars(options.scalars);
  return program.graphSignature.inputSpecs
    .filter((spec) => spec.kind === "USER_INPUT")
    .map((spec, i) => {
      if (scalars.has(i)) return scalars.get(i)!;
      const tensor = stored.get(`i${i}`);
      if (tensor !== undefined) return tensor;
      if (spec.arg.kind === "constant") return spec.arg.value as Value;
      throw new SconceError({
        code: "MISSING_INPUT",
        message: `no value for input ${i} (${spec.arg.name})`,
        fix: `put a tensor i${i} into the --inputs file, or give --scalars '{"${i}": ...}'`,
      });
    });
}

function parseScalars(text: string | undefined): Map<number, Value> {
  if (text === undefined) return new Map();
  let values: Record<string, unknown>;
  try {
    values = JSON.parse(text) as Record<string, unknown>;
  } catch (error) {
    throw new SconceError({ code: "USAGE", message: `--scalars is not JSON: ${(error as Error).message}`, cause: error });
  }
  return new Map(Object.entries(values).map(([position, value]) => [Number(position), scalarOf(value)]));
}

function scalarOf(value: unknown): Value {
  if (typeof value !== "object" || value === null) return value as Value;
  const given = (value as { float?: unknown }).float;
  const names: Readonly<Record<string, number>> = { nan: Number.NaN, inf: Number.POSITIVE_INFINITY, "-inf": Number.NEGATIVE_INFINITY };
  if (typeof given === "number") return float(given) as Value;
  if (typeof given === "string" && Object.hasOwn(names, given)) return names[given]!;
  throw new SconceError({ code: "USAGE", message: `--scalars: cannot read ${JSON.stringify(value)}` });
}

async function runWithProgress(executable: Executable, inputs: readonly Value[], io: Io): Promise<readonly Value[]> {
  if (!io.interactive) return executable.run(inputs);
  const bar = new cliProgress.SingleBar({ stream: process.stderr, clearOnComplete: true }, cliProgress.Presets.shades_classic);
  let started = false;
  try {
    return await executable.run(inputs, {
      onProgress: (done, total) => {
        if (!started) bar.start(total, done);
        started = true;
        bar.update(done);
      },
    });
  } finally {
    if (started) bar.stop();
  }
}

async function report(outputs: readonly Value[], options: RunOptions, io: Io, outcome: Outcome): Promise<void> {
  const named = new Map<string, Tensor>();
  outputs.forEach((value, i) => value instanceof Tensor && named.set(`o${i}`, value));
  if (options.outputs !== undefined) await writeBytes(options.outputs, writeSafetensors(named));
  outputs.forEach((value, i) => io.out(`o${i}: ${describe(value)}\n`));
  if (options.expect === undefined) return;
  const closeness = { rtol: number(options.rtol, "--rtol"), atol: number(options.atol, "--atol") };
  for (const [name, want] of readSafetensors(await readBytes(options.expect)).tensors) {
    if (!/^o\d+$/.test(name)) continue;
    const got = named.get(name);
    const problem = got === undefined ? "is not among the outputs" : compareTensors(got, want, closeness);
    if (problem === undefined) continue;
    io.out(`${name} differs: ${problem}\n`);
    outcome.code = EXIT.differs;
  }
  if (outcome.code === EXIT.done) io.out("outputs are as expected\n");
}

function number(text: string, option: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value >= 0) return value;
  throw new SconceError({ code: "USAGE", message: `${option} must be a number of at least 0, got "${text}"` });
}

function describe(value: Value): string {
  if (value instanceof Tensor) return `${value.dtype}[${value.shape.join(", ")}]`;
  if (isFloat(value)) return String(toNumber(value));
  return json(value).trim();
}
