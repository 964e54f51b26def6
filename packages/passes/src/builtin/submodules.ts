import type { ExportedProgram, Graph } from "@sconce/ir";
import { callTargets } from "../options/choices.js";
import type { OptionSpec, PassOptions } from "../options/spec.js";
import { notInProgram } from "../pass/errors.js";
import { noteUncalled } from "../pass/notes.js";
import { definePass, type PassContext } from "../pass/pass.js";
import { extractSubmodule, inModule, type NodeSelector } from "../regions/extract.js";
import { inlinableBodies, inlineSubmodule } from "../regions/inline.js";
import { producerOf } from "../regions/order.js";
import { splitBy } from "../regions/split.js";

const SELECTION: Readonly<Record<string, OptionSpec>> = {
  nodes: { default: [], doc: "names of nodes" },
  targets: { default: [], choices: callTargets, doc: "operators, all calls of them" },
};

const aName = (value: unknown): string | undefined =>
  /^[A-Za-z_]\w*$/.test(String(value)) ? undefined : "must be a name of letters, digits and underscores";

/** Nodes of a module, of some names or operators become one nested graph. */
export const extract = definePass({
  name: "extract-submodule",
  doc: "Moves the chosen nodes into a nested graph.",
  requires: "ATEN",
  options: {
    ...SELECTION,
    module: { default: "", doc: 'path of the module that made the nodes: "encoder.layers.0"' },
    name: { default: "submodule", check: aName, doc: "what the nested graph is called" },
  },
  run(program, context, options) {
    const module = options.module;
    const chosen = selectorOf(program, context, options);
    if (module !== "") requireModule(program, module);
    const select: NodeSelector = module === "" ? chosen : (node) => chosen(node) || inModule(module)(node);
    const { program: result, region } = extractSubmodule(program, select, context.operators, options.name);
    if (region === undefined) context.note?.("nothing is extracted: no call is chosen");
    return result;
  },
});

/** The inverse of `extract-submodule`, `partition` and `split-by`. */
export const inline = definePass({
  name: "inline-submodule",
  doc: "Inlines nested graphs: replaces each `invoke_subgraph` call by the nodes of its graph.",
  options: { names: { default: [], doc: "the nested graphs; all when empty" } },
  run(program, { note }, options) {
    const { names } = options;
    const known = bodiesOf(program.graph);
    const called = inlinableBodies(program.graph);
    for (const name of names) {
      if (!known.has(name)) throw notInProgram("names", name, "nested graph", known);
      if (!called.has(name)) note?.(`names has ${name}, which no invoke_subgraph calls`);
    }
    return inlineSubmodule(program, names.length === 0 ? undefined : new Set(names));
  },
});

/** The program becomes a chain of parts. */
export const split = definePass({
  name: "split-by",
  doc: "Cuts the program before the chosen nodes, into nested graphs that run in sequence.",
  requires: "ATEN",
  options: SELECTION,
  run(program, context, options) {
    const select = selectorOf(program, context, options);
    const { program: result, parts } = splitBy(program, select, context.operators);
    if (parts.length === 0)
      context.note?.("nothing is cut: no call is chosen, or only the one that the program begins with");
    return result;
  },
});

/** @throws SconceError `PASS_OPTION` for a name that no node has */
function selectorOf({ graph }: ExportedProgram, context: PassContext, options: PassOptions): NodeSelector {
  const names = new Set(options["nodes"] as readonly string[]);
  const targets = new Set(options["targets"] as readonly string[]);
  for (const name of names) {
    if (!graph.has(name))
      throw notInProgram(
        "nodes",
        name,
        "node",
        graph.nodes().map((node) => node.name),
      );
    if (!isChoosable(graph, name))
      context.note?.(`nodes names ${name}, which is not a separate call: it goes where its input goes`);
  }
  noteUncalled(context, "targets", [...targets], [graph], false);
  return (node) => names.has(node.name) || targets.has(node.target);
}

/** Inputs and results that are taken out of a call are not chosen by themselves. */
function isChoosable(graph: Graph, name: string): boolean {
  if (graph.node(name).op !== "call_function") return false;
  const producer = producerOf(graph, graph.indexOf(name));
  return producer === undefined || graph.nodeAt(producer).op !== "call_function";
}

/** @throws SconceError `PASS_OPTION` for a module that made no node */
function requireModule({ graph }: ExportedProgram, module: string): void {
  const modules = new Set<string>();
  for (const { meta } of graph.nodes()) for (const [, path] of meta.nnModuleStack ?? []) modules.add(path);
  const inside = [...modules].some((path) => path === module || path.startsWith(`${module}.`));
  if (!inside) throw notInProgram("module", module, "module", modules);
}

function bodiesOf(graph: Graph, names = new Set<string>()): Set<string> {
  for (const [name, body] of graph.subgraphs) bodiesOf(body, names.add(name));
  return names;
}
