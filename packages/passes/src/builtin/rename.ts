import type { ArgumentSpec, ExportedProgram, Graph, ModuleCallEntry } from "@sconce/ir";

/** The program with a new graph in which some nodes go by other names; signatures follow. */
export function withRenamed(program: ExportedProgram, graph: Graph, renamed: ReadonlyMap<string, string>): ExportedProgram {
  if (renamed.size === 0) return program.with({ graph });
  const rename = <T extends ArgumentSpec>(arg: T): T => {
    const name = renamed.get(arg.name);
    return name === undefined ? arg : { ...arg, name };
  };
  const { inputSpecs, outputSpecs } = program.graphSignature;
  const moduleCallGraph = program.moduleCallGraph.map((entry): ModuleCallEntry => {
    if (entry.signature === null) return entry;
    const { inputs, outputs } = entry.signature;
    return { ...entry, signature: { ...entry.signature, inputs: inputs.map(rename), outputs: outputs.map(rename) } };
  });
  return program.with({
    graph,
    graphSignature: { inputSpecs, outputSpecs: outputSpecs.map((spec) => ({ ...spec, arg: rename(spec.arg) })) },
    moduleCallGraph,
  });
}
