/** @file Passes as all commands run them: `--lower`, `--passes`, `--print-after`, `--timing`. */
import { countText } from "@sconce/errors";
import type { ExportedProgram } from "@sconce/ir";
import { printIr } from "@sconce/ir/text";
import {
  type PassEvent,
  type PassManagerOptions,
  type PassObserver,
  type PipelineItem,
  parsePipeline,
  passCall,
} from "@sconce/passes";
import type { Sconce } from "@sconce/session";
import type { LineStyle } from "./colors.js";
import { jsonLine, type SafeIo } from "./io.js";
import { type TimedPass, timingText } from "./pass-timing.js";
import type { PassRunOptions } from "./shared-options.js";

interface PassesToRun extends PassRunOptions {
  /** Lower the program with `run_decompositions()` first. */
  readonly lower?: boolean;
  readonly passes?: string;
}

/**
 * Runs what the options ask for: lowering, then the passes.
 * @throws SconceError those of the passes
 */
export function runPasses(
  program: ExportedProgram,
  session: Sconce,
  options: PassesToRun,
  io: SafeIo,
): ExportedProgram {
  const items: PipelineItem[] = options.lower ? [passCall(session.passes.get("decompose")!)] : [];
  if (options.passes !== undefined) items.push(...parsePipeline(options.passes, session.passes, session));
  return items.length === 0
    ? program
    : watched(options, io, (watch) => session.transform(program, items, watch));
}

/** Options of a pass manager that print and time passes. */
export type Watch = Required<Pick<PassManagerOptions, "timeRules" | "observers">> &
  Pick<PassManagerOptions, "onStart">;

/**
 * Runs passes with the observers that the options ask for. The table of times is printed at the
 * end, also where a pass failed.
 */
export function watched<T>({ printAfter, timing }: PassRunOptions, io: SafeIo, run: (watch: Watch) => T): T {
  const timed: TimedPass[] = [];
  const observers: PassObserver[] = [];
  if (printAfter !== undefined)
    observers.push((event) => {
      if (printAfter === "all" || event.after !== event.before) printEvent(event, io);
    });
  if (timing === true) observers.push((event) => void timed.push(timedPass(event)));
  try {
    return run({ observers, timeRules: timing === true, onStart: io.onPass });
  } finally {
    if (timing === true) {
      if (io.settings.json) io.err(jsonLine({ timing: timed }));
      else io.styledError(timingText(timed), tableStyle);
    }
  }
}

/** A heading that is a comment of the IR text, and the text. */
function printEvent({ pass, step, before, after }: PassEvent, io: SafeIo): void {
  const isChanged = after !== before;
  const text = printIr(after, { metadata: false });
  const facts = { step: step + 1, pass: pass.name, changed: isChanged };
  if (io.settings.json) {
    io.err(jsonLine({ printAfter: { ...facts, text } }));
    return;
  }
  const what = isChanged ? `${before.graph.size} -> ${countText(after.graph.size, "node")}` : "unchanged";
  io.styledError(`// after step ${step + 1}, ${pass.name}: ${what}\n${text}\n`, headingStyle);
}

const timedPass = ({
  pass,
  step,
  before,
  after,
  milliseconds,
  fired,
  ruleMilliseconds,
}: PassEvent): TimedPass => ({
  step: step + 1,
  pass: pass.name,
  milliseconds,
  rewrites: [...fired.values()].reduce((sum, count) => sum + count, 0),
  nodes: { before: before.graph.size, after: after.graph.size },
  rules: [...new Set([...ruleMilliseconds.keys(), ...fired.keys()])].map((rule) => ({
    rule,
    milliseconds: ruleMilliseconds.get(rule) ?? null,
    rewrites: fired.get(rule) ?? 0,
  })),
});

const headingStyle: LineStyle = (line, { bold }) => (line.startsWith("// after step ") ? bold(line) : line);
const tableStyle: LineStyle = (line, { bold, dim }) =>
  line.startsWith("step ") ? bold(line) : /^ +rule /.test(line) ? dim(line) : line;
