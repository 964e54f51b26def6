/** @file One page about a program, for the results of a CI job. */
import { svgText } from "@sconce/drawing";
import { isSconceError, VERSION } from "@sconce/errors";
import { writeFiles } from "@sconce/formats/files";
import { type ExportedProgram, problemText, type Value } from "@sconce/ir";
import { exampleInputs, randomInputs, type Sconce } from "@sconce/session";
import { usage } from "../errors.js";
import { STANDARD } from "../input-file.js";
import { EXIT, type Outcome, type SafeIo } from "../io.js";
import { openWithWeights } from "../open.js";
import { runPasses } from "../pass-run.js";
import { openSession } from "../session.js";
import type { PassRunOptions } from "../shared-options.js";
import { stepsOf } from "./history-action.js";
import { givesInputs, type InputOptions, readInputs } from "./inputs.js";
import { type BackendReport, type ProgramReport, reportHtml } from "./report-html.js";

export interface ReportOptions extends PassRunOptions, InputOptions {
  readonly output: string;
  readonly weights?: string;
  readonly passes?: string;
  readonly backend: string;
  readonly fold: string;
  readonly plugin?: readonly string[];
}

/**
 * Writes the page. A backend that fails has its error in the page: the rest is of use without it.
 * The command fails when no backend could run.
 */
export async function report(
  file: string,
  options: ReportOptions,
  io: SafeIo,
  outcome: Outcome,
): Promise<void> {
  if (!/^[1-9]\d{0,3}$/.test(options.fold))
    throw usage(
      `--fold: ${JSON.stringify(options.fold)} is not a depth`,
      "give 1 for the children of the model",
    );
  const names = backendsOf(options.backend);
  const session = await openSession(io, options.plugin ?? [], names, [file]);
  const loaded = await openWithWeights(file, session, options.weights);
  const program = runPasses(loaded, session, options, io);
  const inputs = givesInputs(options)
    ? await readInputs(program, options)
    : (exampleInputs(program) ?? randomInputs(program, { seed: 0 }));
  const backends: BackendReport[] = [];
  for (const name of names) backends.push(await backendReport(session, program, name, names[0]!, inputs));
  const html = reportHtml({
    file,
    version: VERSION,
    ...(options.passes !== undefined && { passes: options.passes }),
    facts: factsOf(program),
    steps: stepsOf(program),
    problems: session.verify(program).map(problemText),
    backends,
    drawing: svgText(program, { depth: Number(options.fold) - 1 }),
  });
  if (options.output === STANDARD) io.exact(html);
  else {
    await writeFiles([[options.output, html]]);
    io.summary(`${options.output}: report of ${file}\n`);
  }
  for (const { name, error } of backends) if (error !== undefined) io.warn(`${name} did not run: ${error}`);
  if (backends.every(({ error }) => error !== undefined)) outcome.code = EXIT.differs;
}

/** @throws SconceError `USAGE` */
function backendsOf(text: string): readonly string[] {
  const names = text.split(",").map((name) => name.trim());
  if (names.every((name) => name !== "")) return names;
  throw usage(
    `--backend: ${JSON.stringify(text)} has an empty name`,
    "separate names by one comma: cpu,wasm",
  );
}

function factsOf(program: ExportedProgram): ProgramReport["facts"] {
  const { dialect, torchVersion, graph, stateDict, parameterNames } = program;
  const bytes = [...stateDict.values()].reduce((sum, { storage }) => sum + storage.byteLength, 0);
  return [
    ["dialect", dialect],
    ["torch", torchVersion ?? "unknown"],
    ["nodes", String(graph.size)],
    ["operators", String(program.opHistogram().size)],
    ["parameters", String(parameterNames.size)],
    ["state", `${(bytes / 1e6).toFixed(2)} MB`],
  ];
}

/** Returns the code, the place and the text of an error, as the commands print them. */
function failureText(error: unknown): string {
  if (!isSconceError(error)) return error instanceof Error ? error.message : String(error);
  const { code, where, message } = error;
  const place = where === undefined || message.includes(where) ? "" : ` (in ${where})`;
  return `${code}: ${message}${place}`;
}

/** Where a backend runs the calls, what differs from the first backend, and its times. */
async function backendReport(
  session: Sconce,
  program: ExportedProgram,
  name: string,
  expected: string,
  inputs: readonly Value[],
): Promise<BackendReport> {
  try {
    const start = performance.now();
    using executable = await session.compile(program, name);
    const compiled = performance.now();
    // The first run starts what the engine of JavaScript compiles later.
    await executable.run(inputs);
    const warm = performance.now();
    await executable.run(inputs, { profile: true });
    const placement = executable.placement?.();
    return {
      name,
      compileMilliseconds: compiled - start,
      runMilliseconds: performance.now() - warm,
      device: placement?.device,
      calls: placement?.nodes.length,
      host: (placement?.nodes ?? []).filter(({ place }) => place === "host"),
      profile: executable.profile?.() ?? [],
      ...(name !== expected && {
        comparison: await session.compareBackends(program, inputs, [expected, name]),
      }),
    };
  } catch (error) {
    return { name, error: failureText(error) };
  }
}
