/** @file The chain of versions behind a program. */
import { applyGraphPatches, diffGraphs } from "./edit.js";
import type { Graph } from "./graph.js";
import type { ExportedProgram, HistoryEntry } from "./program.js";

/** The result of a pass with the step from `before` added to its history; `after` itself when its graph is the same. */
export function recordPass(pass: string, before: ExportedProgram, after: ExportedProgram): ExportedProgram {
  if (before.graph === after.graph) return after;
  const entry: HistoryEntry = Object.freeze({ pass, ...diffGraphs(before.graph, after.graph) });
  return after.with({ history: [...before.history, entry] });
}

/** One version in the history of a program: the graph after a pass, or the first one. */
export interface GraphVersion {
  /** The pass that made it; undefined for the first version. */
  readonly pass: string | undefined;
  readonly graph: Graph;
}

/** All versions of a program's graph, newest first, each made from the next newer one on demand. */
export function* graphVersions(program: ExportedProgram): Generator<GraphVersion> {
  let { graph } = program;
  for (let i = program.history.length - 1; i >= 0; i--) {
    const { pass, inverse } = program.history[i]!;
    yield { pass, graph };
    graph = applyGraphPatches(graph, inverse);
  }
  yield { pass: undefined, graph };
}
