/**
 * @file Regions of a graph that run in another mode (`replace_set_grad_with_hop_pass`, then
 * `replace_autocast_with_hop_pass`): what lies between two changes of the mode becomes a separate
 * graph.
 */

import { Namespace } from "@sconce/ir";
import { ENTER_AUTOCAST, EXIT_AUTOCAST } from "./autocast.js";
import { ambientGradEnabled } from "./grad-mode.js";
import { type Region, RegionCalls, type Segment } from "./region-calls.js";
import { type TraceArgument, TraceNode } from "./trace-node.js";

/** The target of a change of the mode of gradients. */
export const SET_GRAD = "torch._C._set_grad_enabled";

/**
 * Leaves out what TorchDynamo leaves out: changes of the mode of gradients that change nothing, and
 * both ends of a mode in which nothing runs. Returns whether it did.
 */
export function dropsGradMode(nodes: TraceNode[], before: boolean, enabled: boolean): boolean {
  if (before === enabled) return true;
  if (nodes.at(-1)?.target !== SET_GRAD) return false;
  nodes.pop();
  return true;
}

/** A graph whose regions are taken out. */
export interface RegionSource {
  /** Its inputs, whose names are taken. */
  readonly inputs: readonly TraceNode[];
  readonly nodes: readonly TraceNode[];
  readonly results: readonly TraceArgument[];
}

/** A graph with its regions taken out. */
export interface WithRegions {
  readonly nodes: readonly TraceNode[];
  readonly regions: readonly Region[];
}

/** Moves the calls whose mode is not that around the export into separate graphs. */
export function withRegions({ inputs, nodes, results }: RegionSource): WithRegions {
  const grad = split({ inputs, nodes, results, regions: [] }, GRAD);
  const { nodes: kept, regions } = split({ inputs, results, ...grad }, AUTOCAST);
  return { nodes: kept, regions: regions.map(withInner) };
}

/** Returns a region with its own regions of mixed precision taken out. */
function withInner(region: Region): Region {
  const { inputs, nodes, outputs } = region;
  const inner = split({ inputs, nodes, results: outputs, regions: [] }, AUTOCAST);
  const current = outputs.map((output) => output.current);
  return { ...region, nodes: inner.nodes, outputs: current, regions: inner.regions.map(withInner) };
}

interface Level extends RegionSource {
  readonly regions: readonly Region[];
}

/** What makes a part of a graph a region. */
interface Kind {
  /** Whether a node begins such a part. */
  readonly has: (node: TraceNode) => boolean;
  readonly segments: (nodes: readonly TraceNode[]) => Segment[];
  /** The node that makes a segment a region; undefined for one that stays where it is. */
  readonly opener: (segment: Segment) => TraceNode | undefined;
  /** What a segment that stays keeps. */
  readonly kept: (segment: Segment) => readonly TraceNode[];
}

const GRAD: Kind = {
  has: ({ target }) => target === SET_GRAD,
  segments: gradSegments,
  opener({ nodes: [first] }) {
    return first?.target === SET_GRAD && first.args[0] !== ambientGradEnabled() ? first : undefined;
  },
  kept: ({ nodes }) => nodes.filter(({ target }) => target !== SET_GRAD),
};

const AUTOCAST: Kind = {
  has: ({ target }) => target === ENTER_AUTOCAST,
  segments: autocastSegments,
  opener({ nodes: [first] }) {
    return first?.target === ENTER_AUTOCAST ? first : undefined;
  },
  kept: ({ nodes }) => nodes,
};

const readsGraph = ({ op }: TraceNode): boolean => op === "get_attr";

function split(level: Level, kind: Kind): WithRegions {
  const { inputs, nodes, results, regions } = level;
  if (!nodes.some(kind.has)) return { nodes, regions };
  const segments = kind.segments(nodes);
  const names = new Namespace();
  for (const { name } of inputs) names.create(name);
  const calls = new RegionCalls({ segments, results, names, regions });
  segments.forEach((segment, i) => {
    // Parts that call graphs read them first, so that nothing shows their mode.
    const graphs = segment.nodes.filter(readsGraph);
    const opener = graphs.length > 0 ? undefined : kind.opener(segment);
    if (opener !== undefined) calls.take(i, opener);
    else {
      const kept = kind.kept(segment).filter((node) => !readsGraph(node));
      calls.keep(i, [...graphs, ...kept]);
    }
  });
  return calls.finish();
}

/**
 * Returns the parts between changes of the mode of gradients; regions that they cut begin and end
 * in each.
 */
function gradSegments(nodes: readonly TraceNode[]): Segment[] {
  const segments: { id: number; nodes: TraceNode[] }[] = [];
  const active = new Map<TraceNode, { readonly exit: TraceNode; copy: TraceNode }>();
  const exits = new Map(
    nodes.filter(({ target }) => target === EXIT_AUTOCAST).map((exit) => [exit.args[0], exit] as const),
  );
  let count = 0;
  for (const node of nodes) {
    if (node.target === SET_GRAD || segments.length === 0) {
      if (node.target === SET_GRAD) count += 1;
      const before = segments.at(-1);
      for (const { exit, copy } of [...active.values()].reverse()) before?.nodes.push(copyOf(exit, [copy]));
      for (const [enter, state] of active) state.copy = copyOf(enter, enter.args);
      segments.push({ id: count, nodes: [...active.values()].map(({ copy }) => copy) });
    }
    const { nodes: own } = segments.at(-1)!;
    const state = node.target === EXIT_AUTOCAST ? active.get(node.args[0] as TraceNode) : undefined;
    if (state !== undefined) {
      active.delete(node.args[0] as TraceNode);
      own.push(copyOf(node, [state.copy]));
      continue;
    }
    if (node.target === ENTER_AUTOCAST) active.set(node, { exit: exits.get(node)!, copy: node });
    own.push(node);
  }
  return segments;
}

const copyOf = ({ name, op, target, meta, val }: TraceNode, args: readonly TraceArgument[]): TraceNode =>
  new TraceNode({ name, op, target, meta, val, args });

/** Returns the outermost regions of mixed precision, and what lies between them. */
function autocastSegments(nodes: readonly TraceNode[]): Segment[] {
  const segments: { id: number; nodes: TraceNode[] }[] = [];
  let depth = 0;
  let hasEnded = false;
  let id = 0;
  for (const node of nodes) {
    if (hasEnded || (depth === 0 && node.target === ENTER_AUTOCAST)) id += 1;
    hasEnded = false;
    if (node.target === ENTER_AUTOCAST) depth += 1;
    else if (node.target === EXIT_AUTOCAST) {
      depth -= 1;
      hasEnded = depth === 0;
    }
    const last = segments.at(-1);
    if (last?.id === id) last.nodes.push(node);
    else segments.push({ id, nodes: [node] });
  }
  return segments;
}
