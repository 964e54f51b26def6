import { countText } from "@sconce/errors";
import { type ExportedProgram, type ProgramVersion, programVersions } from "@sconce/ir";
import { diffPrograms } from "@sconce/ir/diff";
import { type Provenance, type ProvenanceStep, provenance } from "@sconce/ir/history";
import { json, type SafeIo } from "../io.js";
import { openWithWeights } from "../open.js";
import { runPasses } from "../pass-run.js";
import { openSession } from "../session.js";
import type { PassRunOptions } from "../shared-options.js";
import { linesText, oneLine } from "../text.js";

export interface HistoryOptions extends PassRunOptions {
  readonly passes: string;
  readonly node?: string;
  readonly weights?: string;
  readonly json?: boolean;
  readonly plugin?: readonly string[];
}

export async function history(file: string, options: HistoryOptions, io: SafeIo): Promise<void> {
  const session = await openSession(io, options.plugin, undefined, [file]);
  const loaded = await openWithWeights(file, session, options.weights);
  const result = runPasses(loaded, session, options, io);
  const steps = stepsOf(result);
  const origin = options.node === undefined ? undefined : provenance(result, options.node);
  if (options.json) io.out(json({ file, steps, ...(origin === undefined ? {} : { provenance: origin }) }));
  else io.out(origin === undefined ? stepsText(loaded, steps) : provenanceText(origin));
}

/** What one pass of a history did. */
export interface Step {
  readonly pass: string;
  readonly nodes: number;
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
  /** Parts besides the graph that the pass changed. */
  readonly parts: readonly string[];
}

/** Steps of the history, oldest first. */
export function stepsOf(program: ExportedProgram): Step[] {
  const versions = [...programVersions(program)].reverse();
  return versions.slice(1).map((version, i) => stepOf(versions[i]!.program, version));
}

function stepOf(before: ExportedProgram, { entry, program }: ProgramVersion): Step {
  const { nodes } = diffPrograms(before, program);
  const count = (...kinds: string[]): number => nodes.filter((node) => kinds.includes(node.kind)).length;
  return {
    pass: entry!.call ?? entry!.pass,
    nodes: program.graph.size,
    added: count("added"),
    removed: count("removed"),
    changed: count("changed", "moved"),
    parts: Object.keys(entry!.after),
  };
}

function stepsText(loaded: ExportedProgram, steps: readonly Step[]): string {
  const lines = [`0  as read: ${countText(loaded.graph.size, "node")}, dialect ${oneLine(loaded.dialect)}`];
  steps.forEach(({ pass, nodes, added, removed, changed, parts }, i) => {
    const also = parts.length === 0 ? "" : `; also ${parts.join(", ")}`;
    lines.push(`${i + 1}  ${pass}: ${countText(nodes, "node")}, +${added} -${removed} ~${changed}${also}`);
  });
  if (steps.length === 0) lines.push("no pass changed anything");
  return linesText(lines);
}

function provenanceText({ node, steps, sources }: Provenance): string {
  const lines = [
    oneLine(node),
    ...steps.map((step) => `  ${oneLine(stepText(step))}`),
    ...sources.map(({ node: name, target, line }) =>
      oneLine(`  from ${name} = ${target}${line === undefined ? "" : `  # ${line}`}`),
    ),
  ];
  return linesText(lines);
}

function stepText({ step, pass, rule, node, target, kind, from }: ProvenanceStep): string {
  const place = step === undefined ? "earlier" : `step ${step + 1}`;
  const by = rule === undefined ? pass : `${pass} (rule ${rule})`;
  const sources =
    kind === "changed" ? "" : from.length === 0 ? " of nothing that it names" : ` of ${from.join(", ")}`;
  return `${place}, ${by}: ${kind} ${node} = ${target}${sources}`;
}
