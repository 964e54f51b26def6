import { checkOptions, countText, eachInPieces, finish, type OptionNames, type Work } from "@sconce/errors";
import { type Backend, type ExportedProgram, forEachInput, type Graph, type Node } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import { requireFunctional } from "../analysis/require-functional.js";
import { withGraph } from "../graphs/rename.js";
import { type AskedBackend, askBackend } from "./ask-backend.js";
import { unknownBackend } from "./errors.js";
import { orderedCalls, producerOf } from "./order.js";
import { CALL_REGION, outline, type Region } from "./outline.js";

/** How a program is split. */
export interface PartitionOptions {
  /** Regions with fewer calls stay where they are; 1 when left out. */
  readonly minSize?: number;
  /** The plugin that the backend is of, for errors. */
  readonly owner?: string | undefined;
}

const PARTITION: OptionNames<PartitionOptions> = { minSize: true, owner: true };

/** A call that no region has, and why. */
export interface NotTaken {
  /** The name of the node. */
  readonly node: string;
  /** What it calls. */
  readonly target: string;
  /** Why the backend does not take it. */
  readonly reason: string;
}

/** A program split into what a backend supports and the rest. */
export interface Partition {
  /**
   * The program with each region behind an `invoke_subgraph`; the same program when no node is
   * taken.
   */
  readonly program: ExportedProgram;
  /** The parts that the backend takes. */
  readonly regions: readonly Region[];
  /** Calls that stay, with the reasons. */
  readonly left: readonly NotTaken[];
}

/**
 * Moves what a backend supports into regions, as few as there can be: no two of them could be one
 * without a cycle. Values that cross go by name, so `inlineSubmodule` undoes it.
 *
 * Effects and random numbers stay outside, in their order. One pass over the nodes: each gets the
 * number of times that the paths to it change between supported and unsupported nodes; supported
 * nodes of one number are one region, since edges only lead from lower to higher numbers.
 *
 * @throws SconceError `NOT_FUNCTIONAL`
 */
export function partition(
  program: ExportedProgram,
  backend: AskedBackend,
  operators: OperatorTable,
  options: PartitionOptions = {},
): Partition {
  return finish(partitionSteps(program, backend, operators, options));
}

/** As {@link partition}, in pieces. */
export function* partitionSteps(
  program: ExportedProgram,
  backend: AskedBackend,
  operators: OperatorTable,
  options: PartitionOptions = {},
): Work<Partition> {
  checkOptions("partition", options, PARTITION);
  const { minSize = 1, owner } = options;
  requireFunctional(program, operators, "partition");
  const { graph } = program;
  yield;
  const reasons = yield* reasonsOf(graph, (node, at) => refusal(node, at, backend, owner), operators);
  const ordered = orderedCalls(graph, operators);
  const level = yield* levelsOf(graph, reasons, ordered);
  const isOwn = ({ target, args }: Node): boolean =>
    target === CALL_REGION && typeof args[1] === "string" && args[1].startsWith(`${backend.name}_`);
  const { region, count } = regionsOf(graph, level, reasons, minSize, isOwn);
  yield;
  const left = reasons.flatMap((reason, at): NotTaken[] => {
    const { name, target, op } = graph.nodeAt(at);
    return reason === undefined || op !== "call_function" ? [] : [{ node: name, target, reason }];
  });
  if (count === 0) return { program, regions: [], left };
  const names = Array.from({ length: count }, (_, i) => `${backend.name}_${i}`);
  const outlined = yield* outline(graph, { region, level, names, pass: "partition" });
  return { program: withGraph(program, outlined.graph), regions: outlined.regions, left };
}

/** For each node why it is not taken; undefined for those that are. */
function* reasonsOf(
  graph: Graph,
  refused: (node: Node, graph: Graph) => string | undefined,
  operators: OperatorTable,
): Work<(string | undefined)[]> {
  const ordered = orderedCalls(graph, operators);
  const reasons: (string | undefined)[] = [];
  yield* eachInPieces(graph.nodes(), (node, at) => {
    const producer = producerOf(graph, at);
    if (node.op !== "call_function") reasons.push(`is a ${node.op}`);
    else if (producer !== undefined && graph.nodeAt(producer).op === "call_function") {
      reasons.push(
        reasons[producer] && `takes a result of "${graph.nodeAt(producer).name}", which is not taken`,
      );
    } else if (ordered(node))
      reasons.push("it draws random numbers or has an effect, so it must run in program order");
    else reasons.push(refused(node, graph));
  });
  return reasons;
}

/** Returns why the backend refuses a call or something in its bodies. */
function refusal(node: Node, graph: Graph, backend: AskedBackend, owner?: string): string | undefined {
  const answer = askBackend(backend, node, graph, owner);
  if (answer !== true) return answer.reason;
  if (!node.target.startsWith("higher_order.")) return undefined;
  let reason: string | undefined;
  forEachInput(node, (name) => {
    const body = graph.node(name);
    const nested = body.op === "get_attr" ? graph.subgraphs.get(body.target) : undefined;
    for (const inner of nested?.nodes() ?? []) {
      const why = inner.op === "call_function" ? refusal(inner, nested!, backend, owner) : undefined;
      if (why !== undefined) reason ??= `"${inner.name}" in "${body.target}": ${why}`;
    }
  });
  return reason;
}

/** Odd levels for supported nodes, even ones for the others. */
function* levelsOf(
  graph: Graph,
  reasons: readonly (string | undefined)[],
  ordered: (node: Node) => boolean,
): Work<Int32Array> {
  const level = new Int32Array(graph.size);
  let effects = 0;
  yield* eachInPieces(graph.nodes(), (node, at) => {
    if (node.op !== "call_function") return;
    const parity = reasons[at] === undefined ? 1 : 0;
    const isOrdered = ordered(node);
    let own = isOrdered ? Math.max(parity, effects) : parity;
    forEachInput(node, (name) => {
      const input = level[graph.indexOf(name)]!;
      own = Math.max(own, input % 2 === parity ? input : input + 1);
    });
    level[at] = own;
    if (isOrdered) effects = own;
  });
  return level;
}

/** Numbers the regions that are large enough; records why the nodes of the others stay. */
function regionsOf(
  graph: Graph,
  level: Int32Array,
  reasons: (string | undefined)[],
  minSize: number,
  isOwn: (node: Node) => boolean,
): { region: Int32Array; count: number } {
  const sizes = new Map<number, number>();
  const done = new Set<number>();
  graph.nodes().forEach((node, at) => {
    if (reasons[at] !== undefined || node.target === "operator.getitem") return;
    const size = (sizes.get(level[at]!) ?? 0) + 1;
    sizes.set(level[at]!, size);
    // A call of one of the backend's regions, alone, is one already.
    if (size === 1 && isOwn(node)) done.add(level[at]!);
    else done.delete(level[at]!);
  });
  const large = [...sizes].filter(([own, size]) => size >= minSize && !done.has(own)).map(([own]) => own);
  const numbers = new Map(large.sort((a, b) => a - b).map((own, i) => [own, i]));
  const region = new Int32Array(graph.size).fill(-1);
  for (let at = 0; at < region.length; at++) {
    if (reasons[at] !== undefined) continue;
    const number = numbers.get(level[at]!);
    if (number !== undefined) region[at] = number;
    else if (done.has(level[at]!)) reasons[at] = "is a region of the backend already";
    else
      reasons[at] = `its region has ${countText(sizes.get(level[at]!) ?? 0, "call")}, fewer than ${minSize}`;
  }
  return { region, count: large.length };
}

/** Returns a backend of the session by name. @throws SconceError `UNKNOWN_BACKEND` */
export function backendOf(backends: ReadonlyMap<string, Backend> | undefined, name: string): Backend {
  const backend = backends?.get(name);
  if (backend !== undefined) return backend;
  throw unknownBackend(name, backends?.keys() ?? []);
}
