import {
  type ArgumentSpec,
  type ExportedProgram,
  type Graph,
  type ModuleCallEntry,
  mapModuleCalls,
  updateModuleCalls,
} from "@sconce/ir";

/**
 * Preserved module signatures refer to nodes by name: the last node made from a source node takes
 * its place, and a conversion that vanished gives way to its input
 * (`_get_updated_module_call_graph`). What is gone altogether is None.
 */
export function remapModuleCalls(program: ExportedProgram, graph: Graph): readonly ModuleCallEntry[] {
  if (program.moduleCallGraph.every(hasNoNodes)) return program.moduleCallGraph;
  const successor = new Map<string, string>();
  const inputs = new Set(program.graph.placeholders().map((node) => node.name));
  for (const node of graph.nodes()) {
    const source = node.meta.origin?.from[0];
    if (node.op === "placeholder") successor.set(node.name, node.name);
    else if (source !== undefined && !inputs.has(source)) successor.set(source, node.name);
  }
  const rename = (arg: ArgumentSpec): ArgumentSpec => {
    const name = successor.get(arg.name) ?? successor.get(conversionInput(program.graph, arg.name) ?? "");
    return name === undefined || name === arg.name ? arg : { ...arg, name };
  };
  return updateModuleCalls(mapModuleCalls(program.moduleCallGraph, rename), graph);
}

function conversionInput(graph: Graph, name: string): string | undefined {
  if (!graph.has(name)) return undefined;
  const node = graph.node(name);
  const source = node.args[0] as { name?: string } | undefined;
  return node.target.startsWith("aten.to.") ? source?.name : undefined;
}

const hasNoNodes = ({ signature }: ModuleCallEntry): boolean =>
  signature === null || (signature.inputs.length === 0 && signature.outputs.length === 0);
