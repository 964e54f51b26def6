/**
 * @file Makes changed versions of a graph: `edit` for few changes, `rebuild` for passes that look
 * at every node. `rename-nodes.ts` changes names alone; no other file changes graphs. Reads see the
 * version before; changes are collected and applied at once.
 */
import { checkOptions, type OptionNames } from "@sconce/errors";
import type { Patch } from "immer";
import type { GraphEditor } from "./editor.js";
import { Graph } from "./graph.js";
import { inheritedMeta } from "./inherit.js";
import type { Node } from "./node.js";
import { changePages, type GraphState } from "./node-store.js";
import { PendingEdit } from "./pending-edit.js";
import { applyStatePatches, commit, diffStates, type GraphPatches } from "./state-patches.js";
import { refuseUses } from "./uses.js";

/** A changed graph with the patches that lead to it and back. */
export interface GraphEdit extends GraphPatches {
  /** The next version; the same object when nothing changed. */
  readonly graph: Graph;
}

/**
 * Returns a changed version of the graph; the same object when the recipe changes nothing.
 * @throws SconceError `NODE_NOT_FOUND`, `DUPLICATE_NAME`, `NODE_STILL_USED`, `CYCLIC_REPLACEMENT`
 */
export function edit(graph: Graph, recipe: (editor: GraphEditor) => void): Graph {
  return editWithPatches(graph, recipe).graph;
}

/** As {@link edit}, and what it takes to undo it. */
export function editWithPatches(graph: Graph, recipe: (editor: GraphEditor) => void): GraphEdit {
  const state = Graph.stateOf(graph);
  const editor = new PendingEdit(graph, state);
  recipe(editor);
  const { state: next, patches, inverse } = commit(state, editor.finish());
  return { graph: Graph.version(graph, next), patches, inverse };
}

/** What `rebuild` replaces besides nodes, and what it checks. */
export interface RebuildOptions {
  /** The nested graphs of the new version; those of the graph when left out. */
  readonly subgraphs?: ReadonlyMap<string, Graph>;
  /**
   * Whether new nodes in place of a dropped one take over what they lack of its metadata, as with
   * {@link GraphEditor.replaceAllUses}, and new nodes beside a kept one all but the origin. True
   * when left out.
   */
  readonly inherit?: boolean;
  /**
   * Whether dropped nodes must be shown to be unused. True when left out; false for callers that
   * have established it.
   */
  readonly checkUses?: boolean;
}

const REBUILD: OptionNames<RebuildOptions> = { subgraphs: true, inherit: true, checkUses: true };

/**
 * Returns a version of which every node is chosen: kept (`true` or the same node), dropped
 * (`false`), or replaced by one or several. For passes that look at every node. Pages in which
 * nothing changes are shared; the same graph comes back when nothing changes at all.
 * @throws SconceError `NODE_STILL_USED` when a dropped node is still used
 */
export function rebuild(
  graph: Graph,
  choose: (node: Node, position: number) => boolean | Node | readonly Node[],
  options: RebuildOptions = {},
): Graph {
  checkOptions("rebuild", options, REBUILD);
  const { subgraphs, inherit = true, checkUses = true } = options;
  const state = Graph.stateOf(graph);
  const changes = new Map<number, readonly Node[]>();
  const [dropped, added] = [new Set<string>(), new Set<string>()];
  let position = 0;
  for (let i = 0; i < state.pages.length; i++) {
    const { nodes } = state.pages[i]!;
    let out: Node[] | undefined;
    for (let j = 0; j < nodes.length; j++) {
      const node = nodes[j]!;
      const choice = choose(node, position++);
      if (choice === true || choice === node) {
        out?.push(node);
        continue;
      }
      out ??= nodes.slice(0, j);
      if (choice === false) checkUses && dropped.add(node.name);
      else if (!Array.isArray(choice) && (choice as Node).name === node.name)
        out.push(Object.freeze(choice as Node));
      else {
        const replacement = Array.isArray(choice) ? (choice as readonly Node[]) : [choice as Node];
        const isKept = replacement.some((other) => other.name === node.name);
        if (!isKept && checkUses) dropped.add(node.name);
        for (const other of replacement) {
          if (other.name !== node.name) added.add(other.name);
          out.push(inherit ? completed(other, node, isKept) : Object.freeze(other));
        }
      }
    }
    if (out !== undefined) changes.set(i, out);
  }
  const next: Partial<GraphState<Graph>> = {
    ...(changes.size > 0 && changePages(state, changes)),
    ...(subgraphs !== undefined && changedSubgraphs(state.subgraphs, subgraphs)),
  };
  for (const name of added) dropped.delete(name);
  if (dropped.size > 0) for (const page of next.pages!) refuseUses(page.nodes, dropped);
  return Graph.version(graph, commit(state, next).state);
}

function changedSubgraphs(
  before: GraphState<Graph>["subgraphs"],
  after: ReadonlyMap<string, Graph>,
): Pick<GraphState<Graph>, "subgraphs"> | undefined {
  const entries = [...after];
  const isSame =
    entries.length === before.length &&
    entries.every(([target, graph], i) => before[i]![0] === target && before[i]![1] === graph);
  return isSame ? undefined : { subgraphs: entries };
}

/** Returns a node that is put in place of another, or beside one that is kept. */
function completed(node: Node, source: Node, isKept: boolean): Node {
  if (node.name === source.name) return Object.freeze(node);
  const meta = inheritedMeta(node.meta, source, isKept ? [] : [source.name]);
  return Object.freeze(meta === node.meta ? node : { ...node, meta });
}

/**
 * Returns the version before or after recorded patches: `inverse` to undo, `patches` to redo;
 * `opposite` are the others, to check that they fit.
 * @throws SconceError `HISTORY_MISMATCH`
 */
export function applyGraphPatches(
  graph: Graph,
  patches: readonly unknown[],
  opposite: readonly unknown[] = [],
): Graph {
  const state = applyStatePatches(
    Graph.stateOf(graph),
    patches as readonly Patch[],
    opposite as readonly Patch[],
  );
  return Graph.version(graph, state);
}

/**
 * Patches between two versions of a graph, however the second was made. Pages that they share are
 * not looked into.
 */
export function diffGraphs(before: Graph, after: Graph): GraphPatches {
  return diffStates(Graph.stateOf(before), Graph.stateOf(after));
}
