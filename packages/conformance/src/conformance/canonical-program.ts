/**
 * @file Programs with canonical names, so that two texts can be compared up to a renaming of nodes
 * and symbols.
 */
import {
  type Argument,
  type ArgumentSpec,
  type ExportedProgram,
  type Graph,
  isTuple,
  mapRefs,
  type Node,
  ref,
} from "@sconce/ir";

import { graphOf } from "../graph-of.js";

/**
 * Returns the program with nodes called by the operator and a running number, and without `getitem`
 * nodes that nothing reads (a file has them for unused results). Placeholders keep their names:
 * callers see those.
 */
export function canonicalProgram(program: ExportedProgram): ExportedProgram {
  const { graph, names } = canonicalGraph(program.graph);
  const { inputSpecs, outputSpecs } = program.graphSignature;
  const arg = <A extends ArgumentSpec>(spec: A): A => ({
    ...spec,
    name: names.get(spec.name) ?? spec.name,
  });
  return program.with({
    graph,
    graphSignature: {
      inputSpecs,
      outputSpecs: outputSpecs.map((spec) => ({ ...spec, arg: arg(spec.arg) })),
    },
    moduleCallGraph: [],
  });
}

/**
 * Returns the text of a canonical program with symbols numbered in the order of appearance. Stack
 * traces that PyTorch takes from code it generated for a region are left out, and those at the same
 * places of the other program.
 */
export function canonicalText(program: ExportedProgram, other: ExportedProgram): string {
  const symbols = new Map<string, string>();
  return (
    String(program.with({ graph: withoutGenerated(program.graph, other.graph) }))
      .replaceAll(/<eval_with_key>\.\d+/g, "<eval_with_key>")
      // A file does not hold that a condition always holds.
      .replaceAll(': "Sym(True)"', "")
      // A folder of the user may be named like a symbol.
      .replaceAll(/\b(?!(?<=[/\\])\w+[/\\])(s|u|zuf|zf)\d+\b/g, (name, kind: string) => {
        const known = symbols.get(name);
        if (known !== undefined) return known;
        const fresh = `${kind}#${symbols.size}`;
        symbols.set(name, fresh);
        return fresh;
      })
  );
}

/**
 * Lines of code that PyTorch generated for a region say less than the user's own lines, which
 * Sconce keeps.
 */
export const isGenerated = (trace: string | undefined): boolean =>
  trace?.startsWith('File "<eval_with_key>') === true;

function withoutGenerated(graph: Graph, other: Graph): Graph {
  const nodes = [...graph.nodes()].map((node, i): Node => {
    const traces = [node.meta.stackTrace, i < other.size ? other.nodeAt(i).meta.stackTrace : undefined];
    if (!traces.some(isGenerated) || traces[0] === undefined) return node;
    const { stackTrace: _stackTrace, ...meta } = node.meta;
    return { ...node, meta };
  });
  const subgraphs = [...graph.subgraphs].map(([target, nested]) => {
    const counterpart = other.subgraphs.get(target);
    return [target, counterpart === undefined ? nested : withoutGenerated(nested, counterpart)] as const;
  });
  return graphOf(nodes, new Map(subgraphs));
}

interface Renamed {
  readonly graph: Graph;
  readonly names: ReadonlyMap<string, string>;
}

/**
 * Returns the graph without `getitem` nodes that nothing reads, which a file has for unused
 * results.
 */
export function withoutUnusedItems(graph: Graph): Graph {
  const kept = [...graph.nodes()].filter(
    (node) => node.target !== "operator.getitem" || graph.users(node.name).length > 0,
  );
  const subgraphs = [...graph.subgraphs].map(
    ([target, nested]) => [target, withoutUnusedItems(nested)] as const,
  );
  return graphOf(kept, new Map(subgraphs));
}

/**
 * Returns a lowered graph as a file keeps it: with lists in place of the tuples that scans make of
 * their operands, and without metadata of outputs.
 */
export function asSaved(graph: Graph): Graph {
  const nodes = [...graph.nodes()].map((node): Node => {
    if (node.op === "output") return { ...node, meta: {} };
    if (!node.target.startsWith("higher_order.")) return node;
    return { ...node, args: node.args.map((arg) => (isTuple(arg) ? arg.items : arg)) };
  });
  const subgraphs = [...graph.subgraphs].map(([target, nested]) => [target, asSaved(nested)] as const);
  return graphOf(nodes, new Map(subgraphs));
}

function canonicalGraph(full: Graph, nested = false): Renamed {
  const graph = withoutUnusedItems(full);
  const kept = [...graph.nodes()];
  const names = canonicalNames(kept, nested ? isFixedInBody : isFixed);
  const rename = (argument: Argument): Argument =>
    mapRefs(argument, ({ name }) => ref(names.get(name) ?? name));
  const nodes = kept.map((node): Node => {
    const kwargs = Object.fromEntries(Object.entries(node.kwargs).map(([key, arg]) => [key, rename(arg)]));
    const name = names.get(node.name)!;
    return {
      ...node,
      name,
      target: node.op === "placeholder" ? name : node.target,
      args: argsOf(node, rename),
      kwargs,
    };
  });
  const subgraphs = new Map(
    [...graph.subgraphs].map(([target, nested]) => [target, canonicalGraph(nested, true).graph]),
  );
  return { graph: graphOf(nodes, subgraphs), names };
}

/** Returns the arguments of a node. The message of an assertion names a node, which may be gone. */
function argsOf(node: Node, rename: (argument: Argument) => Argument): readonly Argument[] {
  return node.args.map((arg) =>
    typeof arg === "string" && node.target === "aten._assert_scalar.default"
      ? arg.replace(/ on node '\w+'$/, "")
      : rename(arg),
  );
}

function canonicalNames(nodes: readonly Node[], fixed: (node: Node) => boolean): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const counts = new Map<string, number>();
  const taken = new Set(nodes.filter(fixed).map(({ name }) => name));
  for (const node of nodes) {
    if (fixed(node)) {
      names.set(node.name, node.name);
      continue;
    }
    const base = node.name.replace(/(_\d+)+$/, "");
    let count = counts.get(base) ?? 0;
    let name = `${base}_n${count}`;
    while (taken.has(name)) name = `${base}_n${++count}`;
    counts.set(base, count + 1);
    names.set(node.name, name);
  }
  return names;
}

const isFixed = ({ op }: Node): boolean => op === "placeholder" || op === "output";

/** The input of a body for a size is called after the node that computes the size. */
const isFixedInBody = (node: Node): boolean => {
  const { val } = node.meta;
  return isFixed(node) && !(typeof val === "object" && val !== null && "expr" in val);
};
