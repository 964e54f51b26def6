/** @file Cycles of a graph, without graphology: the verifier needs them, pages need not load it. */
import type { Graph } from "./graph.js";

/**
 * Positions of nodes that depend on each other, one group for each cycle; empty for every valid
 * graph.
 */
export function cyclesOf(graph: Graph): number[][] {
  const { offsets, positions } = graph.operands;
  const inputs = (at: number): Int32Array => positions.subarray(offsets[at]!, offsets[at + 1]!);
  return stronglyConnected(graph.size, inputs).filter(
    (group) => group.length > 1 || inputs(group[0]!).includes(group[0]!),
  );
}

/**
 * Tarjan's algorithm with its own stack: recursion overflows the call stack on a cycle of 20,000
 * nodes. Negative positions are skipped.
 */
function stronglyConnected(size: number, next: (at: number) => Int32Array): number[][] {
  const order = new Int32Array(size).fill(-1);
  const low = new Int32Array(size);
  const onStack = new Uint8Array(size);
  const stack: number[] = [];
  const groups: number[][] = [];
  let count = 0;
  const open = (at: number): { at: number; edges: Int32Array; edge: number } => {
    order[at] = low[at] = count++;
    stack.push(at);
    onStack[at] = 1;
    return { at, edges: next(at), edge: 0 };
  };
  const close = (at: number): void => {
    if (low[at] !== order[at]) return;
    const from = stack.lastIndexOf(at);
    const group = stack.splice(from);
    for (const member of group) onStack[member] = 0;
    groups.push(group);
  };
  for (let start = 0; start < size; start++) {
    if (order[start] !== -1) continue;
    const frames = [open(start)];
    for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
      const { at } = frame;
      const to = frame.edges[frame.edge++];
      if (to === undefined) {
        frames.pop();
        close(at);
        const parent = frames.at(-1);
        if (parent !== undefined) low[parent.at] = Math.min(low[parent.at]!, low[at]!);
      } else if (to < 0) continue;
      else if (order[to] === -1) frames.push(open(to));
      else if (onStack[to] === 1) low[at] = Math.min(low[at]!, order[to]!);
    }
  }
  return groups;
}
