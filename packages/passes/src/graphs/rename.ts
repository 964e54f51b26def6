import {
  type ArgumentSpec,
  type ExportedProgram,
  type Graph,
  mapModuleCalls,
  updateModuleCalls,
} from "@sconce/ir";

/**
 * Returns the program with a new graph in which some nodes go by other names; signatures follow.
 */
export function withRenamed(
  program: ExportedProgram,
  graph: Graph,
  renamed: ReadonlyMap<string, string>,
): ExportedProgram {
  if (renamed.size === 0) return withGraph(program, graph);
  const rename = <T extends ArgumentSpec>(arg: T): T => {
    const name = renamed.get(arg.name);
    return name === undefined ? arg : { ...arg, name };
  };
  const { inputSpecs, outputSpecs } = program.graphSignature;
  const moduleCallGraph = mapModuleCalls(program.moduleCallGraph, rename);
  return program.with({
    graph,
    graphSignature: {
      inputSpecs,
      outputSpecs: outputSpecs.map((spec) => ({ ...spec, arg: rename(spec.arg) })),
    },
    moduleCallGraph: updateModuleCalls(moduleCallGraph, graph),
  });
}

/**
 * Returns the program with a new graph in which some nodes may be gone; calling conventions of
 * modules follow.
 */
export function withGraph(program: ExportedProgram, graph: Graph): ExportedProgram {
  if (graph === program.graph) return program;
  return program.with({ graph, moduleCallGraph: updateModuleCalls(program.moduleCallGraph, graph) });
}
