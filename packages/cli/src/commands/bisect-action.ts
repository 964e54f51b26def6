import { dirname, relative, resolve, sep } from "node:path";
import { type Progress, shellPath, visibleText } from "@sconce/errors";
import { requireFolder, writeFiles } from "@sconce/formats/files";
import type { ExportedProgram } from "@sconce/ir";
import { printIr } from "@sconce/ir/text";
import {
  type Bisection,
  type BisectOptions,
  type CheckOptions,
  type Culprit,
  type PipelineItem,
  parsePipeline,
  type RefusedInStep,
} from "@sconce/passes";
import type { Sconce } from "@sconce/session";
import { usage } from "../errors.js";
import { STANDARD } from "../input-file.js";
import { EXIT, json, jsonLine, type Outcome, type SafeIo } from "../io.js";
import { openWithWeights } from "../open.js";
import { watched } from "../pass-run.js";
import { pluginPath } from "../plugin-module.js";
import {
  type OpenedReproducer,
  openReproducer,
  type RecordedFailure,
  reproducerText,
} from "../reproducer.js";
import { openSession } from "../session.js";
import type { PassRunOptions } from "../shared-options.js";
import { checkedText } from "./check-report.js";
import { readInputs, tolerance } from "./inputs.js";

export interface BisectCommandOptions extends PassRunOptions {
  readonly passes?: string;
  readonly inputs?: string;
  readonly weights?: string;
  readonly scalars?: string;
  readonly rtol?: string;
  readonly atol?: string;
  readonly seed?: string;
  readonly output?: string;
  readonly json?: boolean;
  readonly plugin?: readonly string[];
}

export async function bisect(
  file: string,
  options: BisectCommandOptions,
  io: SafeIo,
  outcome: Outcome,
): Promise<void> {
  const reproducer = await openReproducer(file);
  const text = options.passes ?? reproducer?.passes;
  if (text === undefined)
    throw usage("required option '--passes <pipeline>' not specified", "only a reproducer has its passes");
  const modules = [...(reproducer?.modules ?? []), ...(options.plugin ?? [])];
  const session = await openSession(io, modules, undefined, [file]);
  const passes = parsePipeline(text, session.passes, session);
  const check = await checkOf(file, reproducer, session, options);
  if (options.output !== undefined && options.output !== STANDARD) await requireFolder(options.output);
  const result = watched(options, io, ({ onStart: _, ...watch }) =>
    bisected(check.program, passes, { ...check.options, ...watch }, session, io),
  );
  if (result.culprit !== undefined) outcome.code = EXIT.differs;
  if (result.culprit !== undefined && options.output !== undefined)
    await writeReproducer(options.output, result.culprit, check.options, { modules, io });
  const found = { result, file: result.culprit && options.output, recorded: reproducer?.failure };
  // Standard output has the reproducer then.
  const isPiped = found.file === STANDARD;
  if (options.json) isPiped ? io.err(jsonLine(facts(found))) : io.out(json(facts(found)));
  else isPiped ? io.err(textOf(found)) : io.exact(textOf(found));
}

/**
 * Returns the program, and how its passes are checked; options go before what a reproducer says.
 */
async function checkOf(
  file: string,
  reproducer: OpenedReproducer | undefined,
  session: Sconce,
  options: BisectCommandOptions,
): Promise<{ readonly program: ExportedProgram; readonly options: CheckOptions }> {
  const program = reproducer?.program ?? (await openWithWeights(file, session, options.weights));
  const given = await checkOptions(program, options);
  if (reproducer === undefined) return { program, options: given };
  const inputs = given.inputs ?? [reproducer.inputs];
  const { seed, ...more } = given;
  const own = options.seed === undefined ? {} : { seed };
  return { program, options: { ...reproducer.check, ...more, ...own, inputs } };
}

function bisected(
  program: ExportedProgram,
  passes: readonly PipelineItem[],
  check: BisectOptions,
  session: Sconce,
  io: SafeIo,
): Bisection {
  const result = session.bisect(program, passes, { ...check, onProgress: progressOn(io) });
  clear(io);
  return result;
}

/** Returns how the passes are checked, from the options of the command. */
async function checkOptions(
  program: ExportedProgram,
  options: Pick<BisectCommandOptions, "inputs" | "scalars" | "rtol" | "atol" | "seed">,
): Promise<CheckOptions> {
  const { inputs, scalars, rtol, atol, seed = "0" } = options;
  const isGiven = inputs !== undefined || scalars !== undefined;
  return {
    seed: tolerance(seed, "--seed"),
    ...(rtol !== undefined && { rtol: tolerance(rtol, "--rtol") }),
    ...(atol !== undefined && { atol: tolerance(atol, "--atol") }),
    ...(isGiven && { inputs: [await readInputs(program, { inputs, scalars })] }),
  };
}

const progressOn = (io: SafeIo): ((progress: Progress) => void) | undefined =>
  io.interactive
    ? ({ item }) => process.stderr.write(`\r\u001b[K${visibleText(item).replaceAll("\n", " ")}`)
    : undefined;
const clear = (io: SafeIo): void => void (io.interactive && process.stderr.write("\r\u001b[K"));

/** One file, with paths of plugins from its folder on: the two can be moved together. */
async function writeReproducer(
  path: string,
  culprit: Culprit,
  { seed, rtol, atol }: CheckOptions,
  { modules, io }: { readonly modules: readonly string[]; readonly io: SafeIo },
): Promise<void> {
  const folder = dirname(resolve(path));
  const text = reproducerText({
    passes: culprit.call,
    plugins: modules.map((module) => relative(folder, pluginPath(module)).split(sep).join("/")),
    check: {
      ...(seed !== undefined && { seed }),
      ...(rtol !== undefined && { rtol }),
      ...(atol !== undefined && { atol }),
    },
    failure: recordOf(culprit),
    ...culprit.reproducer,
  });
  if (path === STANDARD) io.exact(text);
  else await writeFiles([[path, text]]);
}

const recordOf = ({ kind, error, pass, plugin, rewrite }: Culprit): RecordedFailure => ({
  kind,
  code: error.code,
  pass,
  ...(plugin !== undefined && { plugin }),
  ...(rewrite !== undefined && { rule: rewrite.rule }),
  message: error.message,
});

/**
 * What a bisection found, where the reproducer was written, and what the one that was given says.
 */
interface Found {
  readonly result: Bisection;
  readonly file: string | undefined;
  readonly recorded: RecordedFailure | undefined;
}

/** Returns whether a reproducer fails as it did; undefined without a record. */
function asRecorded({ result: { culprit }, recorded }: Found): boolean | undefined {
  if (recorded === undefined) return undefined;
  if (culprit === undefined) return false;
  const now = recordOf(culprit);
  return (["kind", "code", "pass", "rule"] as const).every((key) => now[key] === recorded[key]);
}

function facts(found: Found): object {
  const { culprit, reports, refused } = found.result;
  const more = {
    reports,
    refused,
    ...(found.recorded && { recorded: found.recorded, asRecorded: asRecorded(found) }),
  };
  if (culprit === undefined) return { culprit: null, ...more };
  const { pass, plugin, call, step, kind, error, rewrite, graph, reproducer, tries } = culprit;
  const failure = { code: error.code, message: error.message, where: error.where };
  const what = { pass, plugin, call, step, kind, error: failure, rewrite, graph, tries };
  return { culprit: { ...what, reproducer: printIr(reproducer.program), file: found.file }, ...more };
}

function textOf(found: Found): string {
  const { culprit, reports, refused } = found.result;
  const lines: string[] = [];
  if (culprit === undefined) lines.push(checkedText(reports).trimEnd());
  else lines.push(...culpritLines(culprit, found.file));
  const same = asRecorded(found);
  if (same !== undefined)
    lines.push(
      same ? "this is the recorded failure" : `not the recorded failure: ${recordText(found.recorded!)}`,
    );
  lines.push(...refusedLines(refused));
  return `${lines.join("\n")}\n`;
}

const recordText = ({ kind, code, pass, rule }: RecordedFailure): string =>
  `${kind} (${code}) of pass "${pass}"${rule === undefined ? "" : `, rule "${rule}"`}`;

const ofPlugin = (plugin: string | undefined): string =>
  plugin === undefined ? "" : ` of plugin "${plugin}"`;

const fromLine = (line: string | undefined): string => (line === undefined ? "" : `, ${line}`);

/** A message about numbers is long: the node that differs is on a separate line. */
const messageLines = (message: string): string[] =>
  message.split(/; (?=the first node that differs is )/).map((part) => `  ${part}`);

function culpritLines(culprit: Culprit, file: string | undefined): string[] {
  const { call, plugin, step, kind, error, rewrite, graph, reproducer } = culprit;
  const what = kind === "diverges" ? "never converges" : "is the first that breaks the program";
  const lines = [`step ${step + 1}, ${call}${ofPlugin(plugin)}, ${what}`, ...messageLines(error.message)];
  if (error.where !== undefined) lines.push(`  in ${error.where}`);
  if (rewrite !== undefined) {
    const place = rewrite.graph === "" ? "" : ` of ${rewrite.graph}`;
    const { number, total, rule, node } = rewrite;
    lines.push(
      `  rewrite ${number} of ${total}: rule "${rule}"${ofPlugin(rewrite.plugin)} at %${node}${place}${fromLine(rewrite.line)}`,
    );
  }
  const calls = reproducer.program.graph.calls().length;
  const part = graph === "" ? "it" : `the nested graph ${graph}, as a program,`;
  lines.push(`  ${part} still fails with ${calls} ${calls === 1 ? "call" : "calls"}:`, "");
  lines.push(printIr(reproducer.program.graph).trimEnd());
  if (file !== undefined && file !== STANDARD)
    lines.push(
      "",
      `${file} has it, with its inputs; to see the failure again:`,
      `  sconce bisect ${shellPath(file)}`,
    );
  return lines;
}

/**
 * Most refused rewrites that are listed; `--json` has all of them, those of inner calls with other
 * users among them.
 */
const LISTED = 10;

function refusedLines(refused: readonly RefusedInStep[]): string[] {
  const listed = refused.filter(({ kind }) => kind !== "users");
  if (listed.length === 0) return [];
  const lines = listed
    .slice(0, LISTED)
    .map(({ step, pass, rule, plugin, node, graph, line, kind, reason }) => {
      const place = graph === "" ? `%${node}` : `%${node} of ${graph}`;
      return `  step ${step + 1}, ${pass}: rule "${rule}"${ofPlugin(plugin)} at ${place}${fromLine(line)}: ${reason} (${kind})`;
    });
  if (listed.length > LISTED) lines.push(`  and ${listed.length - LISTED} more (--json lists them)`);
  return ["rewrites that were refused:", ...lines];
}
