import type { ExportedProgram } from "@sconce/ir";
import {
  type CheckReport,
  coverageText,
  type PassObserver,
  type PipelineItem,
  parsePipeline,
  passCall,
} from "@sconce/passes";
import type { Sconce } from "@sconce/session";
import cliProgress from "cli-progress";
import type { Command } from "commander";
import { usage } from "../errors.js";
import { type Io, json, type Outcome } from "../io.js";
import { openSession, openWithWeights, repeatable, WEIGHTS_OPTION } from "../open.js";
import { requireWeights, weightsPath, writeSir } from "../sir.js";
import { reportText } from "./bisect.js";

interface LowerOptions {
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

export function lowerCommand(program: Command, io: Io, _outcome: Outcome): void {
  program
    .command("lower")
    .description("Lower a program and write it as IR text, with its tensors beside it as safetensors.")
    .argument("<file>", "A .pt2 or .sir file")
    .requiredOption("-o, --output <file>", "Write to OUT.sir, and OUT.safetensors beside it")
    .option("--keep <operator>", "Keep an operator as it is (repeatable)", repeatable)
    .option("--passes <pipeline>", "Run these passes in place of run_decompositions()")
    .option(...WEIGHTS_OPTION)
    .option("--check", "Compare numbers before and after each pass, on sampled inputs")
    .option("--json", "Print JSON")
    .option("--plugin <module>", "Load a plugin module with operators and passes (repeatable)", repeatable)
    .action((file: string, options: LowerOptions) => lower(file, options, io));
}

async function lower(file: string, options: LowerOptions, io: Io): Promise<void> {
  const { output } = options;
  if (/\.(pt2|safetensors)$/i.test(output))
    throw usage(`${output} cannot be written: the result is IR text`, "name it OUT.sir");
  const session = await openSession(io, options.plugin, undefined, [file]);
  const calls = pipelineOf(options, session);
  const before = await openWithWeights(file, session, options.weights);
  requireWeights(before);
  const reports: CheckReport[] = [];
  const notes: Note[] = [];
  const watch: PassObserver = ({ pass, step, check, notes: found }) => {
    if (check !== undefined) reports.push(check);
    for (const note of found) notes.push({ pass: pass.name, step, note });
  };
  const after = transform(session, before, calls, io, { check: options.check === true, watch });
  await writeSir(output, after);
  const facts = {
    output,
    weights: weightsPath(output),
    dialect: after.dialect,
    nodes: { before: before.graph.size, after: after.graph.size },
    ...(options.check === true && { reports }),
    ...(notes.length > 0 && { notes }),
  };
  io.out(
    options.json
      ? json(facts)
      : `${output}: ${before.graph.size} -> ${after.graph.size} nodes, dialect ${after.dialect}; tensors in ${facts.weights}\n${options.check === true ? checkedText(reports) : ""}`,
  );
}

/** What the checks covered, then each step. */
function checkedText(reports: readonly CheckReport[]): string {
  const compared = reports.some(({ skipped }) => skipped === undefined);
  const verdict = compared ? `no difference in ${coverageText(reports)}` : "nothing was compared";
  return `${verdict}\n${reports.map(reportText).join("")}`;
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
function transform(
  session: Sconce,
  program: ExportedProgram,
  calls: readonly PipelineItem[],
  io: Io,
  { check, watch }: { readonly check: boolean; readonly watch: PassObserver },
): ExportedProgram {
  const options = { record: false, check };
  if (!io.interactive) return session.transform(program, calls, { ...options, observers: [watch] });
  const bar = new cliProgress.SingleBar(
    { stream: process.stderr, clearOnComplete: true, format: "{bar} {value}/{total} {pass}" },
    cliProgress.Presets.shades_classic,
  );
  bar.start(calls.length, 0, { pass: "" });
  try {
    return session.transform(program, calls, {
      ...options,
      observers: [watch, ({ pass, step }) => bar.update(step + 1, { pass: pass.name })],
    });
  } finally {
    bar.stop();
  }
}
