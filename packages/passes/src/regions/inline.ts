import {
  type Argument,
  type ExportedProgram,
  forEachInput,
  type Graph,
  isRef,
  itemsOf,
  mapRefs,
  Namespace,
  type Node,
  type NodeRef,
  rebuild,
  ref,
} from "@sconce/ir";
import { withRenamed } from "../graphs/rename.js";
import { CALL_REGION } from "./outline.js";

/**
 * Puts the nodes of nested graphs in place of the `invoke_subgraph` calls that call them: the
 * inverse of `extractSubmodule`, `partition` and `splitBy`. Nodes keep their names where they are
 * free, results go by the names that they have outside. The same program when there is no such
 * call.
 *
 * @param targets the nested graphs to inline; all of them, and those inside, when left out
 */
export function inlineSubmodule(program: ExportedProgram, targets?: ReadonlySet<string>): ExportedProgram {
  const inliner = inlineGraph(program.graph, targets);
  return inliner === undefined ? program : withRenamed(program, inliner.graph, inliner.renamed);
}

/** Returns the nested graphs that a call of the graph, or of what it calls so, calls. */
export function inlinableBodies(graph: Graph, names = new Set<string>()): Set<string> {
  for (const node of graph.nodes()) {
    const body = bodyOf(node, graph, undefined);
    if (body !== undefined)
      inlinableBodies(body, names.add(graph.node((node.args[0] as NodeRef).name).target));
  }
  return names;
}

interface Inlined {
  readonly graph: Graph;
  /** Results that are called otherwise now: those that a body only passes through. */
  readonly renamed: ReadonlyMap<string, string>;
}

function inlineGraph(graph: Graph, targets: ReadonlySet<string> | undefined): Inlined | undefined {
  const calls = graph.nodes().filter((node) => bodyOf(node, graph, targets) !== undefined);
  return calls.length === 0 ? undefined : new Inliner(graph, calls, targets).run();
}

/** Returns the nested graph that a call calls, if it is to be inlined. */
function bodyOf(node: Node, graph: Graph, targets: ReadonlySet<string> | undefined): Graph | undefined {
  const body = node.target === CALL_REGION ? node.args[0] : undefined;
  if (!isRef(body)) return undefined;
  const { target } = graph.node(body.name);
  return targets === undefined || targets.has(target) ? graph.subgraphs.get(target) : undefined;
}

class Inliner {
  readonly #graph: Graph;
  readonly #targets: ReadonlySet<string> | undefined;
  readonly #names = new Namespace();
  /** What outer names represent: results of inlined calls; lists for the calls themselves. */
  readonly #values = new Map<string, Argument>();
  readonly #subgraphs: Map<string, Graph>;
  readonly #calls: ReadonlySet<string>;
  /**
   * Nodes that take a result out of an inlined call: their names are free for what gives the
   * result.
   */
  readonly #taken = new Map<string, Map<number, string>>();

  constructor(graph: Graph, calls: readonly Node[], targets: ReadonlySet<string> | undefined) {
    this.#graph = graph;
    this.#targets = targets;
    this.#subgraphs = new Map(graph.subgraphs);
    this.#calls = new Set(calls.map((node) => node.name));
    for (const node of graph.nodes()) {
      if (!this.#takesResult(node) && !this.#calls.has(node.name)) this.#names.reserve(node.name);
    }
  }

  run(): Inlined {
    const inlined = rebuild(this.#graph, (node) => this.#choose(node), {
      subgraphs: this.#subgraphs,
      inherit: false,
    });
    const used = new Set<string>();
    for (const node of inlined.nodes()) forEachInput(node, (name) => used.add(name));
    const isKept = (node: Node): boolean => node.op !== "get_attr" || used.has(node.name);
    const targets = new Set<string>();
    for (const node of inlined.nodes()) if (node.op === "get_attr" && isKept(node)) targets.add(node.target);
    const renamed = new Map<string, string>();
    for (const [name, value] of this.#values)
      if (isRef(value) && value.name !== name) renamed.set(name, value.name);
    const subgraphs = new Map([...this.#subgraphs].filter(([target]) => targets.has(target)));
    return { graph: rebuild(inlined, isKept, { subgraphs }), renamed };
  }

  #choose(node: Node): false | Node | readonly Node[] {
    if (this.#calls.has(node.name)) return this.#inline(node);
    return this.#isResolved(node) ? false : mapNode(node, node.name, this.#values);
  }

  /** Notes the names of `getitem`s of inlined calls. */
  #takesResult(node: Node): boolean {
    const source = node.target === "operator.getitem" ? node.args[0] : undefined;
    if (!isRef(source) || !this.#calls.has(source.name)) return false;
    const taken = this.#taken.get(source.name) ?? new Map<number, string>();
    this.#taken.set(source.name, taken);
    const index = Number(node.args[1]);
    if (taken.has(index)) return false;
    taken.set(index, node.name);
    return true;
  }

  /** A `getitem` of an inlined call represents the result. */
  #isResolved(node: Node): boolean {
    const source = node.target === "operator.getitem" ? node.args[0] : undefined;
    const value = isRef(source) ? this.#values.get(source.name) : undefined;
    const items = value === undefined ? undefined : itemsOf(value);
    if (items === undefined) return false;
    this.#values.set(node.name, items[Number(node.args[1])]!);
    return true;
  }

  #inline(call: Node): Node[] {
    const nodes: Node[] = [];
    const whole = bodyOf(call, this.#graph, this.#targets)!;
    const body = inlineGraph(whole, this.#targets)?.graph ?? whole;
    const operands = call.args
      .slice(2)
      .map((arg) => mapRefs(arg, (input) => this.#values.get(input.name) ?? input));
    const inner = new Map<string, Argument>();
    const result = body.outputArgument();
    const wanted = this.#wantedNames(call, result);
    let input = 0;
    for (const node of body.nodes()) {
      if (node.op === "placeholder") inner.set(node.name, operands[input++]!);
      else if (node.op !== "output") {
        const name = this.#names.create(wanted.get(node.name) ?? node.name);
        if (name !== node.name) inner.set(node.name, ref(name));
        const mapped = mapNode(node, name, inner);
        nodes.push(node.op === "get_attr" ? this.#withSubgraph(mapped, body) : mapped);
      }
    }
    const value = mapRefs(result, (own) => inner.get(own.name) ?? own);
    this.#values.set(call.name, itemsOf(value)?.slice() ?? value);
    return nodes;
  }

  #wantedNames(call: Node, result: Argument): Map<string, string> {
    const wanted = new Map<string, string>();
    for (const [index, name] of this.#taken.get(call.name) ?? []) {
      const item = itemsOf(result)?.[index];
      if (isRef(item) && !wanted.has(item.name)) wanted.set(item.name, name);
    }
    return wanted;
  }

  /** Brings a body's own nested graph along, under another name when its own is taken. */
  #withSubgraph(node: Node, body: Graph): Node {
    const nested = body.subgraphs.get(node.target);
    if (nested === undefined) return node;
    let target = node.target;
    for (let i = 0; (this.#subgraphs.get(target) ?? nested) !== nested; i++) target = `${node.target}_${i}`;
    this.#subgraphs.set(target, nested);
    return target === node.target ? node : Object.freeze({ ...node, target });
  }
}

/** Returns a node under a name with its references replaced; the same node when nothing changes. */
function mapNode(node: Node, name: string, values: ReadonlyMap<string, Argument>): Node {
  const replace = (argument: Argument): Argument =>
    mapRefs(argument, (input) => values.get(input.name) ?? input);
  const args = node.args.map(replace);
  let same = name === node.name && args.every((arg, i) => arg === node.args[i]);
  const kwargs: Record<string, Argument> = {};
  for (const key in node.kwargs) {
    kwargs[key] = replace(node.kwargs[key]!);
    same &&= kwargs[key] === node.kwargs[key];
  }
  return same ? node : Object.freeze({ ...node, name, args, kwargs });
}
