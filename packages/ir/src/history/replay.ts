/**
 * @file A history without its program: the changes of each step, in a form that applies to every
 * program with the same graph.
 */
import { checkOptions, type OptionNames } from "@sconce/errors";
import type { Tensor } from "@sconce/tensor";
import { historyMismatch, notAHistory } from "../graph/errors.js";
import type { Graph } from "../graph/graph.js";
import { forEachNodeRef } from "../graph/uses.js";
import { tensorsOf } from "../ir-text/print-program.js";
import { ExportedProgram } from "../program/program.js";
import { type LineSplice, lineSplices, programLines, splicedParts } from "./program-lines.js";
import { applySplices, type GraphSplices, reversed, splicesOf } from "./splices.js";
import { programVersions, recordPass } from "./versions.js";

/** The changes of one pass. */
export interface RecordedStep {
  /** The name of the pass. */
  readonly pass: string;
  /** The pass with its options, as the text of a pipeline. */
  readonly call?: string | undefined;
  /** What changed in the graph. */
  readonly graph: GraphSplices;
  /** Lines of the program block. */
  readonly lines: readonly LineSplice[];
  /** Tensors that went or were replaced, and those that came, by the keys of `tensorsOf`. */
  readonly tensorsBefore: ReadonlyMap<string, Tensor>;
  /** Tensors that the step left, by name, where it changed them. */
  readonly tensorsAfter: ReadonlyMap<string, Tensor>;
}

/** The steps of a program's history, oldest first. */
export interface RecordedHistory {
  /** The steps, oldest first. */
  readonly steps: readonly RecordedStep[];
}

/**
 * Returns the history of a program. Its tensors are those of the program's versions, not copies.
 */
export function recordedHistory(program: ExportedProgram): RecordedHistory {
  const steps: RecordedStep[] = [];
  const versions = [...programVersions(program)];
  for (let i = versions.length - 1; i > 0; i--) {
    const { entry, program: after } = versions[i - 1]!;
    const before = versions[i]!.program;
    const parts = Object.keys(entry!.after);
    const tensors = parts.some(
      (part) => part === "stateDict" || part === "constants" || part === "exampleInputs",
    )
      ? changedTensors(before, after)
      : NO_TENSORS;
    steps.push({
      pass: entry!.pass,
      call: entry!.call,
      graph: splicesOf(before.graph, after.graph),
      lines: parts.length === 0 ? [] : lineSplices(programLines(before), programLines(after)),
      ...tensors,
    });
  }
  return { steps };
}

type TensorChange = Pick<RecordedStep, "tensorsBefore" | "tensorsAfter">;
const NO_TENSORS: TensorChange = { tensorsBefore: new Map(), tensorsAfter: new Map() };

function changedTensors(before: ExportedProgram, after: ExportedProgram): TensorChange {
  const [old, now] = [tensorsOf(before), tensorsOf(after)];
  const isNew = ([key, tensor]: [string, Tensor]): boolean => old.get(key) !== tensor;
  return {
    tensorsBefore: new Map([...old].filter(([key, tensor]) => now.get(key) !== tensor)),
    tensorsAfter: new Map([...now].filter(isNew)),
  };
}

const backward = (step: RecordedStep): RecordedStep => ({
  pass: step.pass,
  graph: reversed(step.graph),
  lines: reversedLines(step.lines),
  tensorsBefore: step.tensorsAfter,
  tensorsAfter: step.tensorsBefore,
});

function reversedLines(lines: readonly LineSplice[]): LineSplice[] {
  let shift = 0;
  return lines.map(({ at, removed, added }) => {
    const start = at + shift;
    shift += added.length - removed.length;
    return { at: start, removed: added, added: removed };
  });
}

function applied(program: ExportedProgram, step: RecordedStep): ExportedProgram {
  const graph = applySplices(program.graph, step.graph);
  const needsTensors = step.lines.length > 0 || step.tensorsAfter.size > 0;
  const held = needsTensors ? tensorsOf(program) : new Map<string, Tensor>();
  return program.with({ ...splicedParts(program, step.lines, step.tensorsAfter, held), graph });
}

/** Options of {@link replay}. */
export interface ReplayOptions {
  /**
   * Set it when the program has the weights that the history was recorded with. Tensors that a step
   * computed from them (folded constants) are only right then. Not needed for programs that share
   * their tensors.
   */
  readonly sameWeights?: boolean;
}

const REPLAY: OptionNames<ReplayOptions> = { sameWeights: true };

/** Refuses `program.history`, whose patches apply to the parts of that program only. */
function recordedOf(history: RecordedHistory | ExportedProgram): RecordedHistory {
  if (history instanceof ExportedProgram) return recordedHistory(history);
  if (Array.isArray((history as Partial<RecordedHistory> | null)?.steps)) return history;
  throw notAHistory(
    Array.isArray(history) ? "program.history, whose patches fit no other program" : typeof history,
  );
}

/**
 * Applies the recorded changes to another program with the same graph, without running a pass. Adds
 * the steps to its history.
 * @throws SconceError `HISTORY_FORMAT` when `history` is not a history; `HISTORY_MISMATCH` when the
 * program lacks what a step changes, when the result is not a graph, or when a step computed
 * tensors from other weights
 */
export function replay(
  history: RecordedHistory | ExportedProgram,
  onto: ExportedProgram,
  options: ReplayOptions = {},
): ExportedProgram {
  checkOptions("replay", options, REPLAY);
  const recorded = recordedOf(history);
  if (options.sameWeights !== true) refuseOtherWeights(recorded, history, onto);
  let current = onto;
  for (const step of recorded.steps)
    current = recordPass(step.pass, current, applied(current, step), step.call);
  refuseDangling(current.graph, "");
  return current;
}

function refuseOtherWeights(
  { steps }: RecordedHistory,
  history: RecordedHistory | ExportedProgram,
  onto: ExportedProgram,
): void {
  const computing = steps.find((step) => step.tensorsAfter.size > 0);
  if (computing === undefined) return;
  if (!("steps" in history)) {
    const first = [...programVersions(history)].at(-1)!.program;
    const tensors = tensorsOf(onto);
    if ([...tensorsOf(first)].every(([key, tensor]) => tensors.get(key) === tensor)) return;
  }
  throw historyMismatch(
    `the pass "${computing.pass}" computed ${[...computing.tensorsAfter.keys()].slice(0, 3).join(", ")} from weights that may be others than this program's: say sameWeights if they are not`,
  );
}

/** Splices that fit one by one may still leave uses of nodes that are not there. */
function refuseDangling(graph: Graph, path: string): void {
  const seen = new Set<string>();
  for (const node of graph.nodes()) {
    forEachNodeRef(node, (name) => {
      if (!seen.has(name))
        throw historyMismatch(`node "${node.name}" would use "${name}", which is not before it`, path);
    });
    if (seen.has(node.name)) throw historyMismatch(`there would be two nodes "${node.name}"`, path);
    seen.add(node.name);
    if (node.op === "get_attr" && !graph.subgraphs.has(node.target))
      throw historyMismatch(`node "${node.name}" would read a nested graph that is not there`, path);
  }
  for (const [target, nested] of graph.subgraphs)
    refuseDangling(nested, path === "" ? target : `${path}.${target}`);
}

/**
 * Returns the program with a history that was recorded on it and kept elsewhere: `undo` works on it
 * again. The program is the last version.
 * @throws SconceError `HISTORY_MISMATCH` when it is not
 */
export function restoreHistory(program: ExportedProgram, history: RecordedHistory): ExportedProgram {
  const versions = [program];
  for (const step of [...history.steps].reverse()) versions.unshift(applied(versions[0]!, backward(step)));
  refuseDangling(versions[0]!.graph, "");
  let current = versions[0]!;
  history.steps.forEach(({ pass, call }, i) => {
    current = recordPass(pass, current, versions[i + 1]!, call);
  });
  return current;
}
