import { type JsonIR, programOfIR } from "@sconce/formats/json-ir";
import {
  type ExportedProgram,
  edit,
  FakeTensor,
  type Graph,
  isSymScalar,
  type MetaValue,
  type Node,
  outputValue,
  rebuild,
  typeText,
} from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import { propagateShapes } from "@sconce/passes";
import { otherType } from "./errors.js";
import { checkNestedCalls, checkRepeats } from "./nested.js";
import { checkResultCount } from "./result-counts.js";

/**
 * Builds the program that JSON IR describes. Types of values come from the operators, and must be
 * those of the JSON.
 * @throws SconceError `JSON_IR_GRAPH`, `SHAPE_CONTRADICTION` with the node
 */
export function programFromIR(ir: JsonIR, session: { readonly operators: OperatorTable }): ExportedProgram {
  const { operators } = session;
  const declared = programOfIR(ir, { operators });
  checkRepeats(declared.graph);
  const counts = new Map<Node, number>();
  const typed = propagateShapes(
    declared.with({ graph: bare(declared.graph, counts) }),
    operators,
    {},
    (node, value) => {
      const results = counts.get(node) ?? resultsOf(node);
      checkResultCount(node, results, value, declared.symbolHints, operators);
    },
  );
  const program = declared.with({ graph: merged(typed.graph, declared.graph) });
  if (declared.graph.subgraphs.size > 0) checkNestedCalls(program.graph, operators);
  return program;
}

const resultsOf = ({ meta: { val } }: Node): number => (Array.isArray(val) ? val.length : 1);

/**
 * Returns the graph without the types that operators give; how many results they give is in
 * `counts`.
 */
function bare(graph: Graph, counts: Map<Node, number>): Graph {
  // A call that gives a size which only the data decide keeps its name for it; a call of a nested
  // graph has no other type than the declared one.
  const isGiven = ({ op, target, meta }: Node): boolean =>
    op === "placeholder" || meta.unbackedBindings !== undefined || target.startsWith("higher_order.");
  return withSubgraphs(
    rebuild(graph, (node) => {
      if (isGiven(node)) return true;
      const untyped = { ...node, meta: {} };
      counts.set(untyped, resultsOf(node));
      return untyped;
    }),
    (nested) => bare(nested, counts),
  );
}

/**
 * Returns the computed types, which must be those that are declared; those where none is computed.
 */
function merged(graph: Graph, declared: Graph): Graph {
  // Calls whose operators have no rule keep what the JSON says.
  const values = new Map<string, MetaValue>();
  const next = rebuild(graph, (node) => {
    if (node.op === "output") return true;
    const val = mergeOf(node.meta.val, declared.find(node.name)?.meta.val, node.name);
    if (val !== undefined) values.set(node.name, val);
    return val === node.meta.val ? true : { ...node, meta: val === undefined ? {} : { ...node.meta, val } };
  });
  const val = outputValue(graph.outputArgument(), (name) => values.get(name));
  return withSubgraphs(
    edit(next, (e) => void e.setMeta("output", { val })),
    (nested, target) => merged(nested, declared.subgraphs.get(target)!),
  );
}

function withSubgraphs(graph: Graph, change: (nested: Graph, target: string) => Graph): Graph {
  if (graph.subgraphs.size === 0) return graph;
  return edit(graph, (e) => {
    for (const [target, nested] of graph.subgraphs) e.setSubgraph(target, change(nested, target));
  });
}

/**
 * Returns the computed value, which must have the declared type; the declared one where none is
 * known.
 */
function mergeOf(
  computed: MetaValue | undefined,
  declared: MetaValue | undefined,
  name: string,
): MetaValue | undefined {
  if (computed === undefined || computed === null) return declared;
  if (declared === undefined) return computed;
  const [got, want] = [typesOf(computed), typesOf(declared)];
  if (got !== want) throw otherType(name, want, got);
  return computed;
}

function typesOf(value: MetaValue): string {
  if (value instanceof FakeTensor) return typeText(value);
  if (Array.isArray(value)) return `(${(value as readonly MetaValue[]).map(typesOf).join(", ")})`;
  if (isSymScalar(value)) return `${value.kind} ${String(value.expr)}`;
  return "no tensor";
}
