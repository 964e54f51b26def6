import { type ExportedProgram, edit, type Graph } from "@sconce/ir";
import { programOfGraph } from "../regions/region-program.js";
import { noNestedGraph } from "./errors.js";

/**
 * A nested graph by the targets that lead to it, outermost first; empty for the program's own
 * graph.
 */
export type GraphPath = readonly string[];

/** A nested graph and where it is. */
export interface NestedGraph {
  /** Targets of the nested graphs that lead to it; empty for the program's own graph. */
  readonly path: GraphPath;
  /** The graph. */
  readonly graph: Graph;
}

/** Returns every nested graph of a graph at any depth, outer graphs before inner ones. */
export function nestedGraphs(graph: Graph, path: GraphPath = []): NestedGraph[] {
  return [...graph.subgraphs].flatMap(([target, nested]) => {
    const inner = [...path, target];
    return [{ path: inner, graph: nested }, ...nestedGraphs(nested, inner)];
  });
}

/** Returns the text of a path, as reports show it: `true_graph_0/body_graph_0`. */
export const pathText = (path: GraphPath): string => path.join("/");

/** @throws SconceError `NO_SUBGRAPH` */
export function graphAt(graph: Graph, path: GraphPath): Graph {
  return path.reduce((outer, target) => outer.subgraphs.get(target) ?? missing(path), graph);
}

/**
 * One nested graph as a program. Its operands become user inputs, its results user outputs; it has
 * no state.
 *
 * @throws SconceError `NO_SUBGRAPH`
 */
export function nestedProgram(program: ExportedProgram, path: GraphPath): ExportedProgram {
  const graph = graphAt(program.graph, path);
  return path.length === 0 ? program : programOfGraph(program, graph);
}

/**
 * Returns the program with another graph in the place of a nested one. The new graph has the
 * operands and results of the old one.
 *
 * @throws SconceError `NO_SUBGRAPH`
 */
export function withNestedGraph(program: ExportedProgram, path: GraphPath, nested: Graph): ExportedProgram {
  return program.with({ graph: replaced(program.graph, path, nested) });
}

function replaced(graph: Graph, path: GraphPath, nested: Graph): Graph {
  const [target, ...rest] = path;
  if (target === undefined) return nested;
  const inner = graph.subgraphs.get(target) ?? missing(path);
  return edit(graph, (editor) => editor.setSubgraph(target, replaced(inner, rest, nested)));
}

function missing(path: GraphPath): never {
  throw noNestedGraph(pathText(path));
}
