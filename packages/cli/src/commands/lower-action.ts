import { countText } from "@sconce/errors";
import type { ExportedProgram } from "@sconce/ir";
import {
  type CheckReport,
  type PassObserver,
  type PipelineItem,
  parsePipeline,
  passCall,
} from "@sconce/passes";
import type { Sconce } from "@sconce/session";
import cliProgress from "cli-progress";
import { usage } from "../errors.js";
import { STANDARD } from "../input-file.js";
import type { SafeIo } from "../io.js";
import { openWithWeights } from "../open.js";
import { watched } from "../pass-run.js";
import {
  isPt2,
  reportWritten,
  requireOutput,
  tensorsText,
  weightsBeside,
  writeProgram,
} from "../program-file.js";
import { openSession } from "../session.js";
import type { PassRunOptions } from "../shared-options.js";
import { requireWeights } from "../sir.js";
import { checkedText } from "./check-report.js";

export interface LowerOptions extends PassRunOptions {
  readonly output: string;
  readonly keep?: readonly string[];
  readonly passes?: string;
  readonly weights?: string;
  readonly json?: boolean;
  readonly plugin?: readonly string[];
  readonly check?: boolean;
}

/** What a pass did not do though it was asked to. */
interface Note {
  readonly pass: string;
  readonly step: number;
  readonly note: string;
}

/** What observers of a run collect. */
interface Seen {
  readonly reports: CheckReport[];
  readonly notes: Note[];
}

export async function lower(file: string, options: LowerOptions, io: SafeIo): Promise<void> {
  const { output } = options;
  await requireOutput(output);
  const session = await openSession(io, options.plugin, undefined, [file]);
  const calls = pipelineOf(options, session);
  const before = await openWithWeights(file, session, options.weights);
  if (!isPt2(output)) requireWeights(before);
  const seen: Seen = { reports: [], notes: [] };
  const after = transformed(session, before, calls, { options, seen, io });
  await writeProgram(output, after, io, session.operators);
  report(before, after, seen, options, io);
}

/** Behind a program on standard output, it goes to standard error. */
function report(
  before: ExportedProgram,
  after: ExportedProgram,
  { reports, notes }: Seen,
  { output, check = false, json: isJson }: LowerOptions,
  io: SafeIo,
): void {
  const { dialect } = after;
  const nodes = { before: before.graph.size, after: after.graph.size };
  const weights = weightsBeside(output);
  const facts = {
    output,
    weights,
    dialect,
    nodes,
    ...(check && { reports }),
    ...(notes.length > 0 && { notes }),
  };
  const text = `${output === STANDARD ? "standard output" : output}: ${nodes.before} -> ${countText(nodes.after, "node")}, dialect ${dialect}; ${tensorsText(output)}\n${check ? checkedText(reports) : ""}`;
  if (output !== STANDARD || isJson) reportWritten(facts, text, isJson, io);
  else if (!io.settings.quiet) io.err(text);
}

function pipelineOf({ keep, passes }: LowerOptions, session: Sconce): PipelineItem[] {
  if (passes === undefined) {
    const decompose = session.passes.get("decompose")!;
    return [passCall(decompose, keep === undefined ? {} : { keep }, session)];
  }
  if (keep === undefined) return parsePipeline(passes, session.passes, session);
  throw usage(
    "--keep says what the default pipeline keeps, and --passes replaces it",
    `write --passes "decompose{keep=[${keep.join(",")}]},..."`,
  );
}

/** Nothing but the result is kept: going back is for programs in memory. */
function transformed(
  session: Sconce,
  program: ExportedProgram,
  calls: readonly PipelineItem[],
  { options, seen, io }: { readonly options: LowerOptions; readonly seen: Seen; readonly io: SafeIo },
): ExportedProgram {
  const collect: PassObserver = ({ pass, step, check, notes }) => {
    if (check !== undefined) seen.reports.push(check);
    for (const note of notes) seen.notes.push({ pass: pass.name, step, note });
  };
  return watched(options, io, ({ observers, ...watch }) => {
    const manager = { record: false, check: options.check === true, ...watch };
    // Texts on standard error and a bar there would run into each other.
    if (!io.interactive || options.printAfter !== undefined)
      return session.transform(program, calls, { ...manager, observers: [collect, ...observers] });
    const bar = new cliProgress.SingleBar(
      { stream: process.stderr, clearOnComplete: true, format: "{bar} {value}/{total} {pass}" },
      cliProgress.Presets.shades_classic,
    );
    bar.start(calls.length, 0, { pass: "" });
    const draw: PassObserver = ({ pass, step }) => bar.update(step + 1, { pass: pass.name });
    try {
      return session.transform(program, calls, { ...manager, observers: [collect, ...observers, draw] });
    } finally {
      bar.stop();
    }
  });
}
