/** @file The dimension of an associative scan: a program moves it to the front, and back. */
import { type Argument, type Graph, isRef, itemsOf, type Node } from "@sconce/ir";

/** How a scan is written as one call. */
export interface ScannedAxis {
  readonly dim: number;
  readonly reverse: boolean;
  /** The tensors that are scanned. */
  readonly inputs: readonly Argument[];
  /** The nodes with the results, in order; undefined for one that nothing reads. */
  readonly results: readonly (Node | undefined)[];
  /** Nodes that the call makes. */
  readonly made: readonly string[];
}

const MOVE = "aten.movedim.int";
const FLIP = "aten.flip.default";

/** An operand with its dimension in front. */
interface Front {
  readonly dim: number;
  readonly reverse: boolean;
  readonly input: Argument;
  readonly made: readonly string[];
}

/** Reads what a program does around a scan; undefined where that is not what an export makes. */
export function scannedAxis(graph: Graph, scan: Node): ScannedAxis | undefined {
  const fronts = (itemsOf(scan.args[1] ?? null) ?? []).map((item) => frontOf(graph, scan, item));
  const [first] = fronts;
  if (first === undefined) return undefined;
  const { dim, reverse } = first;
  const results = new Array<Node | undefined>(fronts.length);
  const made: string[] = [];
  for (const front of fronts) {
    if (front?.dim !== dim || front.reverse !== reverse) return undefined;
    made.push(...front.made);
  }
  for (const item of graph.users(scan.name)) {
    const at = item.args[1];
    const chain = backOf(graph, item, dim, reverse);
    if (typeof at !== "number" || chain === undefined) return undefined;
    results[at] = chain.at(-1);
    made.push(...chain.map((node) => node.name));
  }
  return { dim, reverse, inputs: fronts.map((front) => front!.input), results, made };
}

/** Returns the nodes that bring the dimension of an operand to the front. */
function frontOf(graph: Graph, scan: Node, item: Argument): Front | undefined {
  const last = isRef(item) ? graph.find(item.name) : undefined;
  if (last === undefined) return undefined;
  const reverse = last.target === FLIP;
  const source = last.args[0];
  const move = reverse ? (isRef(source) ? graph.find(source.name) : undefined) : last;
  const [input, dim, to] = move?.args ?? [];
  if (move?.target !== MOVE || typeof dim !== "number" || to !== 0) return undefined;
  if (reverse && graph.users(move.name).length > 1) return undefined;
  const rows = graph.users(last.name).filter(({ name }) => name !== scan.name);
  const areRows = rows.every(
    ({ name, target }) => target === "aten.select_copy.int" && graph.users(name).length === 0,
  );
  if (!areRows) return undefined;
  return { dim, reverse, input: input!, made: [move, last, ...rows].map(({ name }) => name) };
}

/** Returns a result and the nodes that move its dimension back. */
function backOf(graph: Graph, item: Node, dim: number, reverse: boolean): readonly Node[] | undefined {
  const chain = [item];
  for (const target of reverse ? [FLIP, MOVE] : [MOVE]) {
    const users = graph.users(chain.at(-1)!.name);
    const next = users.length === 1 ? users[0] : undefined;
    if (next?.target !== target) return undefined;
    chain.push(next);
  }
  const [, from, to] = chain.at(-1)!.args;
  return from === 0 && to === dim ? chain : undefined;
}
