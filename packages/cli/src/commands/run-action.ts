import type { Progress } from "@sconce/errors";
import { requireFolder, writeBytes } from "@sconce/formats/files";
import type { ExportedProgram, Value } from "@sconce/ir";
import type { Sconce } from "@sconce/session";
import { Tensor, writeSafetensors } from "@sconce/tensor";
import type { Closeness, UlpMeasure } from "@sconce/tensor/compare";
import cliProgress from "cli-progress";
import { usage } from "../errors.js";
import { EXIT, json, type Outcome, type SafeIo } from "../io.js";
import { kernelCache } from "../kernel-cache.js";
import { openTensors, openWithWeights } from "../open.js";
import { runPasses } from "../pass-run.js";
import { openReproducer } from "../reproducer.js";
import { openSession } from "../session.js";
import { DEFAULT_BACKEND, type PassRunOptions } from "../shared-options.js";
import { linesText } from "../text.js";
import { compareRun, type Difference, type FinishedRun, ulpDistances } from "./expectation.js";
import { givesInputs, type InputOptions, readInputs, tolerance } from "./inputs.js";
import { kernelsText } from "./kernels.js";
import { nonfiniteJson, nonfiniteText } from "./nonfinite.js";
import { placementText } from "./placement.js";
import { profileText } from "./profile.js";
import { comparedBackends, comparisonJson, comparisonText } from "./run-compare.js";
import { type OutputOptions, OutputReport, shownOf } from "./run-outputs.js";
import { ulpLines } from "./ulp.js";

export interface RunOptions extends InputOptions, OutputOptions, PassRunOptions {
  readonly weights?: string;
  readonly rtol?: string;
  readonly atol?: string;
  readonly compare?: string;
  readonly backend: string;
  readonly cache?: string;
  readonly placement?: boolean;
  readonly kernels?: boolean;
  readonly profile?: boolean;
  readonly lower?: boolean;
  readonly firstNonfinite?: string | true;
  readonly json?: boolean;
  readonly plugin?: readonly string[];
}

export async function run(file: string, options: RunOptions, io: SafeIo, outcome: Outcome): Promise<void> {
  if (options.firstNonfinite !== undefined) return findNonfinite(file, options, io, outcome);
  if (options.compare !== undefined) return compare(file, options, options.compare, io, outcome);
  const closeness = { ...CLOSENESS, ...tolerances(options) };
  const shown = shownOf(options);
  if (options.outputs !== undefined) await requireFolder(options.outputs);
  const { session, program, inputs } = await opened(file, options, io);
  const executable = await session.compile(program, options.backend);
  const outputs = await withProgress(io, (onProgress) =>
    executable.run(inputs, { profile: options.profile === true, ...(onProgress && { onProgress }) }),
  );
  const results = new OutputReport(program, outputs, shown);
  if (options.outputs !== undefined)
    await writeBytes(options.outputs, writeSafetensors(namedOutputs(outputs)));
  const isDetailed = options.json === true || shown.stats;
  const compared = await expectation({ executable, inputs, outputs }, options.expect, closeness, isDetailed);
  if ((compared?.differences.length ?? 0) > 0) outcome.code = EXIT.differs;
  const placement = options.placement ? executable.placement?.() : undefined;
  const kernels = options.kernels ? executable.executionPlan?.() : undefined;
  const profile = options.profile ? (executable.profile?.() ?? []) : undefined;
  executable.dispose();
  const report = options.json
    ? results.json({
        ...compared,
        ...(placement && { placement }),
        ...(kernels && { kernels }),
        ...(profile && { profile }),
      })
    : results.text() +
      expectationText(compared) +
      (options.placement ? placementText(options.backend, placement) : "") +
      (options.kernels ? kernelsText(options.backend, kernels) : "") +
      (profile === undefined ? "" : profileText(profile));
  io.out(report);
}

/** How close values have to be to those of `--expect`. */
const CLOSENESS: Closeness = { rtol: 1e-4, atol: 1e-5 };

/** Returns the tolerances that are given. */
const tolerances = ({ rtol, atol }: RunOptions): Partial<Closeness> => ({
  ...(rtol !== undefined && { rtol: tolerance(rtol, "--rtol") }),
  ...(atol !== undefined && { atol: tolerance(atol, "--atol") }),
});

/** Returns the session, the program and its inputs, as the options say. */
async function opened(
  file: string,
  options: RunOptions,
  io: SafeIo,
  backends: readonly string[] = [options.backend],
): Promise<{
  readonly session: Sconce;
  readonly program: ExportedProgram;
  readonly inputs: readonly Value[];
}> {
  const reproducer = await openReproducer(file);
  const modules = [...(reproducer?.modules ?? []), ...(options.plugin ?? [])];
  const session = await openSession(
    io,
    modules,
    backends,
    [file],
    await kernelCache(options.cache, backends),
  );
  const loaded = reproducer?.program ?? (await openWithWeights(file, session, options.weights));
  const program = runPasses(loaded, session, options, io);
  if (reproducer !== undefined && !givesInputs(options))
    return { session, program, inputs: reproducer.inputs };
  return { session, program, inputs: await readInputs(program, options) };
}

/** Options of a whole run, which a search for the first bad or other result is not. */
const WHOLE_RUN = ["outputs", "expect", "placement", "kernels", "profile", "head", "stats"] as const;

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
  io: SafeIo,
  outcome: Outcome,
): Promise<void> {
  const backends = comparedBackends(text);
  requireSearch("--compare reports how nodes differ", options, WHOLE_RUN);
  if (options.backend !== DEFAULT_BACKEND)
    throw usage("--compare names the backends, so --backend has no effect", "leave --backend out");
  const { session, program, inputs } = await opened(file, options, io, backends);
  const report = await withProgress(io, (onProgress) =>
    session.compareBackends(program, inputs, backends, { ...tolerances(options), onProgress }),
  );
  if (report.differs) outcome.code = EXIT.differs;
  io.out(options.json ? json(comparisonJson(report)) : comparisonText(report));
}

async function findNonfinite(file: string, options: RunOptions, io: SafeIo, outcome: Outcome): Promise<void> {
  const kind = options.firstNonfinite === true ? "any" : options.firstNonfinite;
  if (kind !== "any" && kind !== "nan")
    throw usage(`--first-nonfinite: unknown value ${JSON.stringify(kind)}`, "give any, nan, or nothing");
  requireSearch("--first-nonfinite stops at the first such result", options, [...WHOLE_RUN, "compare"]);
  if (options.backend !== DEFAULT_BACKEND)
    throw usage("--first-nonfinite runs on the interpreter", "leave --backend out");
  const { session, program, inputs } = await opened(file, options, io);
  const report = await session.firstNonfinite(program, inputs, { kind });
  if (report.first !== undefined || report.sources.length > 0) outcome.code = EXIT.differs;
  io.out(options.json ? json(nonfiniteJson(report)) : nonfiniteText(report, kind));
}

/** What `--expect` reports. */
interface Expectation {
  readonly differences: readonly Difference[];
  /** Distances, where they were asked for or something differs. */
  readonly ulp: Readonly<Record<string, UlpMeasure>>;
}

async function expectation(
  run: FinishedRun,
  file: string | undefined,
  closeness: Closeness,
  isDetailed: boolean,
): Promise<Expectation | undefined> {
  if (file === undefined) return undefined;
  const wanted = await openTensors(file);
  const differences = compareRun(run, wanted, closeness);
  return { differences, ulp: isDetailed || differences.length > 0 ? ulpDistances(run, wanted) : {} };
}

type OnProgress = (progress: Progress) => void;

/** Shows a progress bar while something long runs, on a terminal. */
async function withProgress<T>(io: SafeIo, run: (onProgress?: OnProgress) => Promise<T>): Promise<T> {
  if (!io.interactive) return run();
  const bar = new cliProgress.SingleBar(
    { stream: process.stderr, clearOnComplete: true },
    cliProgress.Presets.shades_classic,
  );
  let started = false;
  try {
    return await run(({ done, total }) => {
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

function expectationText(compared: Expectation | undefined): string {
  if (compared === undefined) return "";
  const { differences, ulp } = compared;
  return linesText([
    ...differences.map(({ name, problem }) => `${name} differs: ${problem}`),
    ...Object.entries(ulp).flatMap(([name, measure]) => ulpLines(name, measure)),
    ...(differences.length === 0 ? ["outputs are as expected"] : []),
  ]);
}
