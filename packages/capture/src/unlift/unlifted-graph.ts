/**
 * @file The graph of `program.module()`: state is read by `get_attr`, and written by `copy_`
 * (`torch/export/_unlift.py`).
 */
import {
  type Argument,
  type ExportedProgram,
  type Graph,
  GraphBuilder,
  inputsOf,
  isRef,
  itemsOf,
  mapRefs,
  Namespace,
  type Node,
  ref,
  tuple,
} from "@sconce/ir";
import { MUTATIONS } from "@sconce/ops";
import { notRunnable } from "./errors.js";

const LIFTED: ReadonlySet<string> = new Set(["PARAMETER", "BUFFER", "CONSTANT_TENSOR"]);

/**
 * Returns the graph of a program with its state as attributes. @throws SconceError `NOT_RUNNABLE`
 */
export function unliftedGraph(program: ExportedProgram): Graph {
  const { graph, graphSignature } = program;
  const names = new Namespace();
  for (const node of graph.nodes()) names.create(node.name);
  const renamed = new Map<string, string>();
  const places = new Map<string, string>();
  const nodes: Node[] = [];
  graph.placeholders().forEach((node, i) => {
    const spec = graphSignature.inputSpecs[i];
    if (spec?.kind === "TOKEN" || spec?.kind === "CUSTOM_OBJ")
      throw notRunnable(`an input of the kind ${spec.kind}`, node.name);
    if (spec === undefined || !LIFTED.has(spec.kind)) {
      places.set(spec?.arg.name ?? node.name, node.name);
      nodes.push(node);
      return;
    }
    const target = spec.target!;
    const name = names.create(attributeName(target));
    renamed.set(node.name, name);
    places.set(target, name);
    nodes.push({ ...node, name, op: "get_attr", target, args: [] });
  });
  const builder = new GraphBuilder({ unknownTargets: "allow" });
  const change = (value: Argument): Argument => mapRefs(value, ({ name }) => ref(renamed.get(name) ?? name));
  for (const [target, subgraph] of graph.subgraphs) builder.subgraph(target, subgraph);
  for (const node of nodes) builder.add(node);
  for (const node of graph.nodes()) {
    if (node.op === "placeholder" || node.op === "output") continue;
    const kwargs = Object.fromEntries(
      Object.entries(node.kwargs).map(([key, value]) => [key, change(value)]),
    );
    const reads = inputsOf(node).some((name) => renamed.has(name));
    builder.add(reads ? { ...node, args: node.args.map(change), kwargs } : node);
  }
  const results = itemsOf(graph.outputArgument())!.map(change);
  const copies = new Map<string, Argument>();
  const returned: Argument[] = [];
  graphSignature.outputSpecs.forEach(({ kind, target }, i) => {
    const result = results[i]!;
    if (!MUTATIONS.has(kind)) {
      if (kind !== "TOKEN") returned.push(result);
      return;
    }
    const name = names.create("copy__default");
    const copy = builder.call(name, "aten.copy_.default", [ref(places.get(target!)!), result]);
    if (isRef(result)) copies.set(result.name, copy);
  });
  builder.output(tuple(returned.map((value) => (isRef(value) && copies.get(value.name)) || value)));
  return builder.build();
}

/** Returns the name that `torch.fx` gives a read of an attribute. */
const attributeName = (target: string): string => target.replace(/(?<=[a-z])([A-Z])/g, "_$1").toLowerCase();
