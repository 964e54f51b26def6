/** @file Programs that return the values of their nodes. */
import { type ExportedProgram, edit, LEAF, type OutputSpec, ref, tuple, tupleSpec } from "@sconce/ir";

/**
 * Returns the program with the values of these nodes as its results. Writes to buffers and inputs
 * are left out: the program is functional.
 */
export function returning(program: ExportedProgram, names: readonly string[]): ExportedProgram {
  const outputs = names.map((name) => ({ kind: "tensor", name }) as const);
  const outputSpecs = outputs.map((arg): OutputSpec => ({ kind: "USER_OUTPUT", arg, target: null }));
  const graph = edit(program.graph, (editor) => editor.setOutput(tuple(names.map(ref))));
  const moduleCallGraph = program.moduleCallGraph.map((entry) =>
    entry.fqn !== "" || entry.signature === null
      ? entry
      : { ...entry, signature: { ...entry.signature, outputs, outSpec: tupleSpec(names.map(() => LEAF)) } },
  );
  const { inputSpecs } = program.graphSignature;
  return program.with({ graph, graphSignature: { inputSpecs, outputSpecs }, moduleCallGraph });
}
