/** @file Which nodes of a program a backend does not run. */
import { finish, type SconceError, type Work } from "@sconce/errors";
import { type ExportedProgram, type Graph, sourceLine, withLine } from "@sconce/ir";
import { type AskedBackend, askBackend } from "./ask-backend.js";
import { unsupportedNodesOf } from "./errors.js";

/** A node that a backend does not run. */
export interface UnsupportedNode {
  /** The name of the node. */
  readonly node: string;
  /** What it calls. */
  readonly target: string;
  /** Why the backend does not support it. */
  readonly reason: string;
  /** Names of the nested graphs around it, outermost first; empty in the program's own graph. */
  readonly path: readonly string[];
  /** The user's line that the node comes from, `model.py:12`. */
  readonly line?: string;
}

/**
 * Returns every call, nested graphs included, that the backend says it cannot run.
 *
 * @param owner the plugin that the backend is of, for errors
 * @throws SconceError `PLUGIN_FAILED` when `supports` throws, or returns neither true nor a reason
 */
export const unsupportedNodes = (
  backend: AskedBackend,
  program: ExportedProgram,
  owner?: string,
): UnsupportedNode[] => finish(unsupportedNodesSteps(backend, program, owner));

/** Nodes that make one piece: a backend may take long for each. */
const NODES_A_PIECE = 32;

/** As {@link unsupportedNodes}, in pieces. */
export function* unsupportedNodesSteps(
  backend: AskedBackend,
  program: ExportedProgram,
  owner?: string,
): Work<UnsupportedNode[]> {
  const found: UnsupportedNode[] = [];
  let asked = 0;
  function* visit(graph: Graph, path: readonly string[]): Work<void> {
    for (const node of graph.nodes()) {
      if (asked++ % NODES_A_PIECE === 0) yield;
      const answer = node.op === "call_function" ? askBackend(backend, node, graph, owner) : true;
      if (answer === true) continue;
      const line = sourceLine(node);
      const place = { node: node.name, target: node.target, reason: answer.reason, path };
      found.push(line === undefined ? place : { ...place, line });
    }
    for (const [name, nested] of graph.subgraphs) yield* visit(nested, [...path, name]);
  }
  yield* visit(program.graph, []);
  return found;
}

/** Up to this many nodes are listed one by one; more are grouped by operator and reason. */
const LISTED = 8;

/** Returns the error for nodes that a backend does not run; `cause` holds the whole list. */
export function unsupportedNodesError(
  label: string,
  nodes: readonly UnsupportedNode[],
  fix: string,
): SconceError {
  const where = withLine(placeOf(nodes[0]!), nodes[0]!.line);
  return unsupportedNodesOf(label, { nodes, listed: listOf(nodes), where, fix });
}

const placeOf = ({ path, node }: UnsupportedNode): string => [...path, `%${node}`].join("/");

function listOf(nodes: readonly UnsupportedNode[]): string[] {
  if (nodes.length <= LISTED) return nodes.map((one) => `${placeOf(one)} (${one.target}): ${one.reason}`);
  const groups = new Map<string, UnsupportedNode[]>();
  for (const one of nodes) {
    const key = `${one.target}: ${one.reason}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return [...groups.values()].map((group) => {
    const { target, reason } = group[0]!;
    const names = group.slice(0, LISTED).map(placeOf).join(", ");
    const more = group.length > LISTED ? `, and ${group.length - LISTED} more` : "";
    return `${target} in ${names}${more}: ${reason}`;
  });
}
