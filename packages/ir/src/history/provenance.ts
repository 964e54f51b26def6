/**
 * @file The origin of a node: back through the versions to the original program and the user's
 * line.
 */
import type { Graph } from "../graph/graph.js";
import type { Node } from "../graph/node.js";
import { userLine } from "../graph/source-line.js";
import type { ExportedProgram } from "../program/program.js";
import type { NodeOrigin } from "../values/meta.js";
import { programVersions } from "./versions.js";

/** One step of a pass on the way to a node. */
export interface ProvenanceStep {
  /**
   * Index of the step in the history; undefined for a pass outside of it, known from a node's
   * `origin`.
   */
  readonly step: number | undefined;
  /** The pass that made the node. */
  readonly pass: string;
  /** The rule that made it; undefined when the pass did without one. */
  readonly rule: string | undefined;
  /** The node that was made or changed. */
  readonly node: string;
  /** What it calls. */
  readonly target: string;
  /**
   * `made` from the nodes in `from`, or `changed` in place. `from` is empty when the pass did not
   * record it.
   */
  readonly kind: "made" | "changed";
  /** The nodes that it represents, one step back. */
  readonly from: readonly string[];
}

/** A node of the original program. */
export interface ProvenanceSource {
  /** The name of the node in the source program. */
  readonly node: string;
  /** What it calls. */
  readonly target: string;
  /**
   * `File: model.py:3 in forward, code: return x + 1`: the frame of its stack trace that
   * `userFrame` gives.
   */
  readonly line: string | undefined;
}

/** Where a node comes from: the steps back to nodes of the source program. */
export interface Provenance {
  /** The node that was asked for. */
  readonly node: string;
  /** Newest first. */
  readonly steps: readonly ProvenanceStep[];
  /** The nodes of the source program that it comes from. */
  readonly sources: readonly ProvenanceSource[];
}

/**
 * Follows a node back through the history: which passes and rules made or changed it and the nodes
 * that it was made of, down to nodes of the first version. `name` is a node of the graph, or
 * `body.node` for one of a nested graph.
 * @throws SconceError `NODE_NOT_FOUND`, `NO_SUBGRAPH`
 */
export function provenance(program: ExportedProgram, name: string): Provenance {
  const versions = [...programVersions(program)];
  const steps: ProvenanceStep[] = [];
  const start = nodeAt(program.graph, name) ?? program.graph.node(name);
  let current = new Map<string, Node>([[name, start]]);
  const ended: ProvenanceSource[] = [];
  for (let i = 0; i + 1 < versions.length; i++) {
    const earlier = versions[i + 1]!.program.graph;
    const { pass } = versions[i]!.entry!;
    const next = new Map<string, Node>();
    for (const [path, node] of current) {
      const link = linkOf(path, node, earlier, pass);
      if (link.step !== undefined) steps.push({ step: versions.length - 2 - i, ...link.step });
      if (link.before.size === 0) ended.push(sourceOf(path, node));
      for (const [key, value] of link.before) next.set(key, value);
    }
    current = next;
  }
  for (const [path, node] of current) {
    // A program that was written and read again has no history, but its nodes still record their
    // origin.
    const { origin } = node.meta;
    if (origin !== undefined) steps.push({ step: undefined, ...madeStep(path, node, origin) });
  }
  return {
    node: name,
    steps,
    sources: [...ended, ...[...current].map(([path, node]) => sourceOf(path, node))],
  };
}

interface Link {
  readonly step: Omit<ProvenanceStep, "step"> | undefined;
  readonly before: ReadonlyMap<string, Node>;
}

function linkOf(path: string, node: Node, earlier: Graph, pass: string): Link {
  const old = nodeAt(earlier, path);
  if (old === node) return { step: undefined, before: new Map([[path, node]]) };
  const { origin } = node.meta;
  if (origin !== undefined && !sameOrigin(origin, old?.meta.origin)) {
    const before = new Map<string, Node>();
    for (const from of origin.from) {
      const found = located(earlier, besides(path, from)) ?? located(earlier, from) ?? nested(earlier, from);
      if (found !== undefined) before.set(...found);
    }
    return { step: madeStep(path, node, origin), before };
  }
  const step = { pass, rule: undefined, node: path, target: node.target };
  if (old === undefined) return { step: { ...step, kind: "made", from: [] }, before: new Map() };
  const same = old.op === "placeholder" && old.target === node.target;
  return {
    step: same ? undefined : { ...step, kind: "changed", from: [path] },
    before: new Map([[path, old]]),
  };
}

const madeStep = (path: string, node: Node, origin: NodeOrigin): Omit<ProvenanceStep, "step"> => ({
  pass: origin.pass,
  rule: origin.rule,
  node: path,
  target: node.target,
  kind: "made",
  from: origin.from,
});

const sameOrigin = (a: NodeOrigin, b: NodeOrigin | undefined): boolean =>
  a === b ||
  (b !== undefined && a.pass === b.pass && a.rule === b.rule && a.from.join("\0") === b.from.join("\0"));

function located(graph: Graph, path: string): [path: string, node: Node] | undefined {
  const node = nodeAt(graph, path);
  return node === undefined ? undefined : [path, node];
}

/** Returns the first node of this name in a nested graph: regions that a pass inlined were such. */
function nested(graph: Graph, name: string): [path: string, node: Node] | undefined {
  for (const [target, subgraph] of graph.subgraphs) {
    const found = located(subgraph, name) ?? nested(subgraph, name);
    if (found !== undefined) return [`${target}.${found[0]}`, found[1]];
  }
  return undefined;
}

/** Returns the path of a node in the same graph. */
const besides = (path: string, name: string): string => path.slice(0, path.lastIndexOf(".") + 1) + name;

function nodeAt(graph: Graph, path: string): Node | undefined {
  const own = graph.find(path);
  if (own !== undefined) return own;
  const dot = path.indexOf(".");
  const subgraph = dot < 0 ? undefined : graph.subgraphs.get(path.slice(0, dot));
  return subgraph === undefined ? undefined : nodeAt(subgraph, path.slice(dot + 1));
}

const sourceOf = (path: string, node: Node): ProvenanceSource => ({
  node: path,
  target: node.target,
  line: userLine(node),
});
