/**
 * @file The chain of versions behind a program: recording, walking, undoing, going on from an
 * earlier one.
 */
import { applyGraphPatches, diffGraphs } from "../graph/edit.js";
import { historyMismatch } from "../graph/errors.js";
import type { Graph } from "../graph/graph.js";
import type { ExportedProgram } from "../program/program.js";
import type { HistoryEntry, ProgramParts } from "../program/program-parts.js";

/** A part counts as changed when it is another object: passes keep what they leave alone. */
const PARTS = [
  "graphSignature",
  "stateDict",
  "parameterNames",
  "constants",
  "rangeConstraints",
  "symbolHints",
  "unusedSymbols",
  "moduleCallGraph",
  "guardsCode",
  "exampleInputs",
  "dialect",
  "torchVersion",
  "opsetVersion",
  "namedTupleFields",
  "graphMetadata",
] as const satisfies readonly (keyof ProgramParts)[];

/**
 * Graphs of steps while something else still holds them: going back to one gives the same object.
 */
const GRAPHS = new WeakMap<
  HistoryEntry,
  { readonly before: WeakRef<Graph>; readonly after: WeakRef<Graph> }
>();

/**
 * Returns the result of a pass with the step from `before` added to its history; `before` itself
 * when nothing changed. Steps that were undone before it are no longer ahead of the result;
 * `before` still has them.
 */
export function recordPass(
  pass: string,
  before: ExportedProgram,
  after: ExportedProgram,
  call?: string,
): ExportedProgram {
  const changed = PARTS.filter((part) => before[part] !== after[part]);
  const { graph } = after;
  if (changed.length === 0 && graph === before.graph) return before;
  const entry: HistoryEntry = Object.freeze({
    pass,
    ...(call === undefined ? {} : { call }),
    ...diffGraphs(before.graph, graph),
    before: partsOf(before, changed),
    after: partsOf(after, changed),
  });
  GRAPHS.set(entry, { before: new WeakRef(before.graph), after: new WeakRef(graph) });
  return after.with({ history: [...before.history, entry], undone: [] });
}

const partsOf = (program: ExportedProgram, parts: readonly (typeof PARTS)[number][]): Partial<ProgramParts> =>
  Object.freeze(Object.fromEntries(parts.map((part) => [part, program[part]])));

/**
 * Returns the program before its last steps. Everything that a pass changed comes back, the same
 * objects where they are still there; {@link redo} leads forward again.
 * @throws SconceError `HISTORY_MISMATCH` when there are not that many steps
 */
export function undo(program: ExportedProgram, steps = 1): ExportedProgram {
  let current = program;
  for (const entry of lastOf(program.history, steps, "undo").reverse())
    current = moved(current, entry, "before", {
      history: current.history.slice(0, -1),
      undone: [...current.undone, entry],
    });
  return current;
}

/**
 * Returns the program after steps that were undone.
 * @throws SconceError `HISTORY_MISMATCH` when there are not that many
 */
export function redo(program: ExportedProgram, steps = 1): ExportedProgram {
  let current = program;
  for (const entry of lastOf(program.undone, steps, "redo").reverse())
    current = moved(current, entry, "after", {
      history: [...current.history, entry],
      undone: current.undone.slice(0, -1),
    });
  return current;
}

/**
 * Returns the program as it was after its first `version` steps, 0 as it came, with nothing to
 * redo: where another line of passes begins. The line that was left stays with the program given,
 * which is a value like every version.
 * @throws SconceError `HISTORY_MISMATCH`
 */
export function branch(program: ExportedProgram, version: number): ExportedProgram {
  const back = program.history.length - version;
  const there = back >= 0 ? undo(program, back) : redo(program, -back);
  return there.undone.length === 0 ? there : there.with({ history: there.history, undone: [] });
}

function lastOf(entries: readonly HistoryEntry[], steps: number, what: string): HistoryEntry[] {
  if (Number.isInteger(steps) && steps >= 0 && steps <= entries.length)
    return entries.slice(entries.length - steps);
  throw historyMismatch(`there are ${entries.length} steps to ${what}, not ${steps}`);
}

function moved(
  program: ExportedProgram,
  entry: HistoryEntry,
  side: "before" | "after",
  line: Pick<ExportedProgram, "history" | "undone">,
): ExportedProgram {
  const [patches, opposite] =
    side === "before" ? [entry.inverse, entry.patches] : [entry.patches, entry.inverse];
  const parts = entry[side === "before" ? "after" : "before"];
  for (const part of PARTS) {
    if (part in parts && parts[part] !== program[part])
      throw historyMismatch(`the program's ${part} is not what the pass "${entry.pass}" is recorded with`);
  }
  const graph = applyGraphPatches(program.graph, patches, opposite);
  const kept = patches.length === 0 ? undefined : GRAPHS.get(entry)?.[side].deref();
  return program.with({ ...entry[side], graph: kept ?? graph, ...line });
}

/** One version in the history of a program: the graph after a pass, or the first one. */
export interface GraphVersion {
  /** The pass that made it; undefined for the first version. */
  readonly pass: string | undefined;
  /** The graph of this version. */
  readonly graph: Graph;
}

/**
 * Yields all versions of a program's graph, newest first, each made from the next newer one on
 * demand.
 */
export function* graphVersions(program: ExportedProgram): Generator<GraphVersion> {
  for (const { entry, program: version } of programVersions(program))
    yield { pass: entry?.pass, graph: version.graph };
}

/** A program as a pass left it, with the step that led to it; none for the first version. */
export interface ProgramVersion {
  /** The step that led to this version; undefined for the first. */
  readonly entry: HistoryEntry | undefined;
  /** The program of this version. */
  readonly program: ExportedProgram;
}

/** Yields all versions of a program, newest first, each made from the next newer one on demand. */
export function* programVersions(program: ExportedProgram): Generator<ProgramVersion> {
  let current = program;
  for (let entry = current.history.at(-1); entry !== undefined; entry = current.history.at(-1)) {
    yield { entry, program: current };
    current = undo(current);
  }
  yield { entry: undefined, program: current };
}
