import type { ExportedProgram, Value } from "@sconce/ir";
import { backendNamesText, type Sconce } from "@sconce/session";
import { type Closeness, Tensor, writeSafetensors } from "@sconce/tensor";
import cliProgress from "cli-progress";
import type { Command } from "commander";
import { usage } from "../errors.js";
import { EXIT, type Io, json, type Outcome } from "../io.js";
import { openSession, openTensors, openWithWeights, repeatable, WEIGHTS_OPTION } from "../open.js";
import { openReproducer } from "../reproducer.js";
import { writeBytes } from "../write-files.js";
import { compareRun, type Difference, type FinishedRun } from "./expectation.js";
import { givesInputs, type InputOptions, readInputs, tolerance } from "./inputs.js";
import { nonfiniteJson, nonfiniteText } from "./nonfinite.js";
import { placementText } from "./placement.js";
import { profileText } from "./profile.js";
import { comparedBackends, comparisonJson, comparisonText } from "./run-compare.js";
import { type OutputOptions, OutputReport, shownOf } from "./run-outputs.js";

interface RunOptions extends InputOptions, OutputOptions {
  readonly weights?: string;
  readonly rtol?: string;
  readonly atol?: string;
  readonly compare?: string;
  readonly backend: string;
  readonly placement?: boolean;
  readonly profile?: boolean;
  readonly lower?: boolean;
  readonly firstNonfinite?: string | true;
  readonly json?: boolean;
  readonly plugin?: readonly string[];
}

export function runCommand(program: Command, io: Io, outcome: Outcome): void {
  program
    .command("run")
    .description("Run a program and print its results. Inputs are named x or i0 (the position).")
    .argument("<file>", "A .pt2 or .sir file, or a reproducer of `sconce bisect`, which has its inputs")
    .option("--inputs <file>", "Read inputs from a safetensors file, by name (x) or position (i0)")
    .option(
      "--input <name=value>",
      "Give one input: x=FILE.safetensors, x=FILE.npy, or JSON such as 'x=[[1, 2.5]]' (repeatable)",
      repeatable,
    )
    .option("--samples", "Run on the inputs that the program was exported with")
    .option("--random <seed>", "Draw the inputs that are not given; the same seed gives the same inputs")
    .option("--size <symbol=size>", "Set a symbolic size for --random: s0=4 (repeatable)", repeatable)
    .option(
      "--scalars <json>",
      'Give inputs that are not tensors, by position: {"1": 3, "2": {"float": "inf"}}',
    )
    .option(...WEIGHTS_OPTION)
    .option("--outputs <file>", "Write the results o0, o1, ... to a safetensors file")
    .option(
      "--expect <file>",
      "Compare with the tensors o0, o1, ... of a safetensors file (exit code 1 when they differ)",
    )
    .option(
      "--compare <backends>",
      "Run two backends, the expected one first (cpu,gpujs), and find the first node whose values differ (exit code 1)",
    )
    .option("--rtol <number>", "Set the relative tolerance of --expect and --compare (default: 1e-4)")
    .option("--atol <number>", "Set the absolute tolerance of --expect and --compare (default: 1e-5)")
    .option("--backend <name>", `Select the backend: ${backendNamesText}, or a backend of a plugin`, "cpu")
    .option("--placement", "Show which calls ran on the backend's device, and why the others did not")
    .option("--profile", "Show what took longest, by nodes or by kernels")
    .option("--lower", "Lower the program with run_decompositions() first")
    .option(
      "--first-nonfinite [what]",
      "Find the first result with NaN or infinity (any), or with NaN only (nan); exit code 1 when there is one",
    )
    .option("--head <count>", "Print only the first elements of each result")
    .option("--stats", "Print range, mean, deviation and counts of NaN and infinity instead of the values")
    .option("--json", "Print JSON, with values as nested lists")
    .option("--plugin <module>", "Load a plugin module with operators (repeatable)", repeatable)
    .action((file: string, options: RunOptions) => execute(file, options, io, outcome));
}

async function execute(file: string, options: RunOptions, io: Io, outcome: Outcome): Promise<void> {
  if (options.firstNonfinite !== undefined) return findNonfinite(file, options, io, outcome);
  if (options.compare !== undefined) return compare(file, options, options.compare, io, outcome);
  const closeness = { ...CLOSENESS, ...tolerances(options) };
  const shown = shownOf(options);
  const { session, program, inputs } = await opened(file, options, io);
  const executable = await session.compile(program, options.backend);
  const outputs = await withProgress(io, (onProgress) =>
    executable.run(inputs, { profile: options.profile === true, ...(onProgress && { onProgress }) }),
  );
  const results = new OutputReport(program, outputs, shown);
  if (options.outputs !== undefined)
    await writeBytes(options.outputs, writeSafetensors(namedOutputs(outputs)));
  const differences = await compared({ executable, inputs, outputs }, options.expect, closeness);
  if ((differences?.length ?? 0) > 0) outcome.code = EXIT.differs;
  const placement = options.placement ? executable.placement?.() : undefined;
  const profile = options.profile ? (executable.profile?.() ?? []) : undefined;
  executable.dispose();
  const report = options.json
    ? results.json({
        ...(differences && { differences }),
        ...(placement && { placement }),
        ...(profile && { profile }),
      })
    : results.text() +
      differencesText(differences) +
      (options.placement ? placementText(options.backend, placement) : "") +
      (profile === undefined ? "" : profileText(profile));
  io.out(report);
}

/** How close values have to be to those of `--expect`. */
const CLOSENESS: Closeness = { rtol: 1e-4, atol: 1e-5 };

/** The tolerances that are given. */
const tolerances = ({ rtol, atol }: RunOptions): Partial<Closeness> => ({
  ...(rtol !== undefined && { rtol: tolerance(rtol, "--rtol") }),
  ...(atol !== undefined && { atol: tolerance(atol, "--atol") }),
});

/** The session, the program and its inputs, as the options say. */
async function opened(
  file: string,
  options: RunOptions,
  io: Io,
  backends: readonly string[] = [options.backend],
): Promise<{
  readonly session: Sconce;
  readonly program: ExportedProgram;
  readonly inputs: readonly Value[];
}> {
  const reproducer = await openReproducer(file);
  const modules = [...(reproducer?.modules ?? []), ...(options.plugin ?? [])];
  const session = await openSession(io, modules, backends, [file]);
  const loaded = reproducer?.program ?? (await openWithWeights(file, session, options.weights));
  const program = options.lower ? session.runDecompositions(loaded) : loaded;
  if (reproducer !== undefined && !givesInputs(options))
    return { session, program, inputs: reproducer.inputs };
  return { session, program, inputs: await readInputs(program, options) };
}

/** Options of a whole run, which a search for the first bad or other result is not. */
const WHOLE_RUN = ["outputs", "expect", "placement", "profile", "head", "stats"] as const;

/** Refuses options that have no effect in a search. @throws SconceError `USAGE` */
function requireSearch(search: string, options: RunOptions, others: readonly (keyof RunOptions)[]): void {
  const other = others.find((name) => options[name] !== undefined);
  if (other === undefined) return;
  const name = other.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  throw usage(`${search}, so --${name} has no effect`, `leave --${name} out`);
}

async function compare(
  file: string,
  options: RunOptions,
  text: string,
  io: Io,
  outcome: Outcome,
): Promise<void> {
  const backends = comparedBackends(text);
  requireSearch("--compare reports how nodes differ", options, WHOLE_RUN);
  if (options.backend !== "cpu")
    throw usage("--compare names the backends, so --backend has no effect", "leave --backend out");
  const { session, program, inputs } = await opened(file, options, io, backends);
  const report = await withProgress(io, (onProgress) =>
    session.compareBackends(program, inputs, backends, { ...tolerances(options), onProgress }),
  );
  if (report.differs) outcome.code = EXIT.differs;
  io.out(options.json ? json(comparisonJson(report)) : comparisonText(report));
}

async function findNonfinite(file: string, options: RunOptions, io: Io, outcome: Outcome): Promise<void> {
  const kind = options.firstNonfinite === true ? "any" : options.firstNonfinite;
  if (kind !== "any" && kind !== "nan")
    throw usage(`--first-nonfinite: unknown value ${JSON.stringify(kind)}`, "give any, nan, or nothing");
  requireSearch("--first-nonfinite stops at the first such result", options, [...WHOLE_RUN, "compare"]);
  if (options.backend !== "cpu")
    throw usage("--first-nonfinite runs on the interpreter", "leave --backend out");
  const { session, program, inputs } = await opened(file, options, io);
  const report = await session.firstNonfinite(program, inputs, { kind });
  if (report.first !== undefined || report.sources.length > 0) outcome.code = EXIT.differs;
  io.out(options.json ? json(nonfiniteJson(report)) : nonfiniteText(report, kind));
}

async function compared(
  run: FinishedRun,
  file: string | undefined,
  closeness: Closeness,
): Promise<Difference[] | undefined> {
  return file === undefined ? undefined : compareRun(run, await openTensors(file), closeness);
}

type OnProgress = (done: number, total: number) => void;

/** Shows a progress bar while something long runs, on a terminal. */
async function withProgress<T>(io: Io, run: (onProgress?: OnProgress) => Promise<T>): Promise<T> {
  if (!io.interactive) return run();
  const bar = new cliProgress.SingleBar(
    { stream: process.stderr, clearOnComplete: true },
    cliProgress.Presets.shades_classic,
  );
  let started = false;
  try {
    return await run((done, total) => {
      if (!started) bar.start(total, done);
      started = true;
      bar.update(done);
    });
  } finally {
    if (started) bar.stop();
  }
}

function namedOutputs(outputs: readonly Value[]): Map<string, Tensor> {
  const named = new Map<string, Tensor>();
  outputs.forEach((value, i) => {
    if (value instanceof Tensor) named.set(`o${i}`, value);
  });
  return named;
}

function differencesText(differences: readonly Difference[] | undefined): string {
  const lines = (differences ?? []).map(({ name, problem }) => `${name} differs: ${problem}`);
  if (differences?.length === 0) lines.push("outputs are as expected");
  return lines.map((line) => `${line}\n`).join("");
}
