/** @file The names of lifted inputs (`torch/_export/utils.py`, `placeholder_naming_pass`). */
import { type ExportedProgram, type Graph, type InputSpec, rebuild, renameNodes } from "@sconce/ir";
import { liftedName } from "@sconce/trace";

/**
 * Returns the program with lifted inputs called after their state. A strict export calls the input
 * of a tied weight after the name that the program used first, while its target is the name that
 * the module registered first; the retrace names it after the target. The same program when nothing
 * is renamed.
 */
export function nameInputs(program: ExportedProgram): ExportedProgram {
  const { inputSpecs, outputSpecs } = program.graphSignature;
  const renamed = new Map<string, string>();
  const taken = new Set([...program.graph.nodes()].map(({ name }) => name));
  for (const spec of inputSpecs) {
    const base = baseName(spec);
    if (base === undefined || isNamed(spec.arg.name, base)) continue;
    let name = base;
    for (let count = 1; taken.has(name); count++) name = `${base}_${count}`;
    taken.add(name);
    renamed.set(spec.arg.name, name);
  }
  if (renamed.size === 0) return program;
  const arg = <A extends { readonly name: string }>(value: A): A => ({
    ...value,
    name: renamed.get(value.name) ?? value.name,
  });
  return program.with({
    graph: withOrigins(renameNodes(program.graph, renamed), renamed),
    graphSignature: {
      inputSpecs: inputSpecs.map((spec) => ({ ...spec, arg: arg(spec.arg) })),
      outputSpecs: outputSpecs.map((spec) => ({ ...spec, arg: arg(spec.arg) })),
    },
  });
}

/** Renamed inputs lead back to those that they were. */
function withOrigins(graph: Graph, renamed: ReadonlyMap<string, string>): Graph {
  const olds = new Map([...renamed].map(([old, name]) => [name, old]));
  return rebuild(graph, (node) => {
    const old = olds.get(node.name);
    if (old === undefined) return true;
    return { ...node, meta: { ...node.meta, origin: { pass: "decompose", from: [old] } } };
  });
}

/** Returns the name of an input after its state; undefined for inputs of the user and tokens. */
const baseName = ({ kind, target }: InputSpec): string | undefined =>
  kind === "USER_INPUT" || kind === "TOKEN" || target === null ? undefined : liftedName(kind, target);

/** True for the name itself, and for the name with a number where it was taken. */
const isNamed = (name: string, base: string): boolean =>
  name === base || (name.startsWith(`${base}_`) && /^\d+$/.test(name.slice(base.length + 1)));
