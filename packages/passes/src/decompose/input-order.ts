/** @file The order in which a lowered program takes its parameters, buffers and constants. */
import { type ExportedProgram, type InputSpec, type Node, rebuild } from "@sconce/ir";

/**
 * A module as `ExportedProgram.module()` rebuilds it: what it holds, and its children in the order
 * they were created.
 */
interface Module {
  readonly children: Map<string, Module>;
  readonly parameters: InputSpec[];
  readonly buffers: InputSpec[];
  /**
   * Constants are registered as buffers for the retrace, which puts them behind the module's own.
   */
  readonly constants: InputSpec[];
}

/**
 * Returns the program with its lifted inputs in the order of the rebuilt module's
 * `named_parameters()` and `named_buffers()`: PyTorch retraces that module, so a lifted constant
 * comes before the buffers of the submodules of its owner. The same program when nothing moves.
 */
export function orderInputs(program: ExportedProgram): ExportedProgram {
  const { inputSpecs, outputSpecs } = program.graphSignature;
  const lifted = orderedByModule(inputSpecs.filter(isLifted));
  let next = 0;
  const ordered = inputSpecs.map((spec) => (isLifted(spec) ? lifted[next++]! : spec));
  if (ordered.every((spec, i) => spec === inputSpecs[i])) return program;
  const placeholders = ordered.map((spec) => program.graph.node(spec.arg.name));
  const choose = (node: Node): true | Node => (node.op === "placeholder" ? placeholders.shift()! : true);
  return program.with({
    graph: rebuild(program.graph, choose, { inherit: false }),
    graphSignature: { inputSpecs: ordered, outputSpecs },
  });
}

const isLifted = ({ kind, target }: InputSpec): boolean =>
  target !== null && (kind === "PARAMETER" || kind === "BUFFER" || kind === "CONSTANT_TENSOR");

function orderedByModule(specs: readonly InputSpec[]): InputSpec[] {
  const root = emptyModule();
  for (const spec of specs) {
    const owner = ownerOf(root, spec.target!);
    if (spec.kind === "PARAMETER") owner.parameters.push(spec);
    else (spec.kind === "BUFFER" ? owner.buffers : owner.constants).push(spec);
  }
  const modules = [...preorder(root)];
  return [
    ...modules.flatMap((module) => module.parameters),
    ...modules.flatMap((module) => [...module.buffers, ...module.constants]),
  ];
}

function ownerOf(root: Module, target: string): Module {
  let owner = root;
  for (const name of target.split(".").slice(0, -1)) {
    const child = owner.children.get(name) ?? emptyModule();
    owner.children.set(name, child);
    owner = child;
  }
  return owner;
}

function* preorder(module: Module): Generator<Module> {
  yield module;
  for (const child of module.children.values()) yield* preorder(child);
}

const emptyModule = (): Module => ({ children: new Map(), parameters: [], buffers: [], constants: [] });
