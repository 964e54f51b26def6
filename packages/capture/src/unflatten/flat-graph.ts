/** @file The graph of a program, prepared: mutations are writes, and module stacks are stacks. */
import {
  type ArgumentSpec,
  type ExportedProgram,
  inputTargets,
  isRef,
  itemsOf,
  type ModuleStackEntry,
  mapModuleCalls,
  Namespace,
  outputTargets,
  ref,
  tuple,
} from "@sconce/ir";
import { DraftGraph, type DraftNode } from "./draft-graph.js";
import { withoutCall } from "./draft-module.js";
import { jointProgram, noModuleStack, unknownPlace } from "./errors.js";

/** PyTorch's stack of nodes that have none. */
const NO_STACK = "_empty_nn_module_stack_from_metadata_hook";

/**
 * Returns the graph, with `copy_` in place of the mutations among the outputs.
 * @throws SconceError `NOT_UNFLATTENABLE`
 */
export function flatGraph(program: ExportedProgram): DraftGraph {
  refuseParts(program);
  const graph = new DraftGraph();
  const renamed = new Map<string, DraftNode>();
  for (const node of program.graph.nodes()) {
    const { name } = node;
    const added = graph.add(node);
    if (added.name !== name) renamed.set(name, added);
  }
  graph.replaceUses(renamed);
  writeMutations(graph, program);
  const calls = graph.nodes().filter(({ op }) => op !== "placeholder" && op !== "output");
  // A function that is exported has no modules.
  const isFunction = calls.every(({ meta }) => meta.nnModuleStack === undefined);
  for (const node of calls)
    if (isFunction) node.meta = { ...node.meta, nnModuleStack: [[NO_STACK, "", ""]] };
    else fixModuleStack(node);
  return graph;
}

/**
 * Returns the program with the names that its nodes have in {@link flatGraph}: those that Python
 * has, such as `input`, get a number.
 */
export function withTorchNames(program: ExportedProgram): ExportedProgram {
  const names = new Namespace();
  const renamed = new Map(program.graph.nodes().map(({ name }) => [name, names.create(name)]));
  if ([...renamed].every(([before, after]) => before === after)) return program;
  const rename = <A extends ArgumentSpec>(arg: A): A =>
    arg.kind === "constant" ? arg : { ...arg, name: renamed.get(arg.name) ?? arg.name };
  const { inputSpecs, outputSpecs } = program.graphSignature;
  return program.with({
    graphSignature: {
      inputSpecs: inputSpecs.map((spec) => ({ ...spec, arg: rename(spec.arg) })),
      outputSpecs: outputSpecs.map((spec) => ({
        ...spec,
        arg: rename(spec.arg),
        target:
          spec.kind === "USER_INPUT_MUTATION" ? (renamed.get(spec.target!) ?? spec.target) : spec.target,
      })),
    },
    moduleCallGraph: mapModuleCalls(program.moduleCallGraph, rename),
  });
}

function refuseParts({ graphSignature, backwardSignature }: ExportedProgram): void {
  if (backwardSignature !== null) throw jointProgram();
  for (const { kind, arg } of graphSignature.inputSpecs)
    if (kind === "TOKEN" || kind === "CUSTOM_OBJ")
      throw unknownPlace(`an input of the kind ${kind}`, arg.name);
  for (const { kind, arg } of graphSignature.outputSpecs)
    if (kind === "TOKEN" || kind === "PARAMETER_MUTATION")
      throw unknownPlace(`an output of the kind ${kind}`, arg.name);
}

/** Buffers and inputs take their new values by `copy_`, right where those are computed. */
function writeMutations(graph: DraftGraph, { graphSignature }: ExportedProgram): void {
  const buffers = new Map([...inputTargets(graphSignature, "BUFFER")].map(([name, fqn]) => [fqn, name]));
  const inputs = new Map(
    [...outputTargets(graphSignature, "BUFFER_MUTATION")].map(([name, fqn]) => [name, buffers.get(fqn)!]),
  );
  for (const [name, input] of outputTargets(graphSignature, "USER_INPUT_MUTATION")) inputs.set(name, input);
  const nodes = new Map(graph.nodes().map((node) => [node.name, node]));
  const output = graph.nodes().at(-1)!;
  const results = itemsOf(output.args[0]!)!;
  for (const result of results.slice(0, inputs.size)) {
    if (!isRef(result)) continue;
    const value = nodes.get(result.name)!;
    if (value.op === "placeholder") throw unknownPlace("an input that is written to another one", value.name);
    const copy = graph.at({ after: value }, () =>
      graph.add({
        op: "call_function",
        target: "aten.copy_.default",
        args: [ref(inputs.get(value.name)!), result],
        meta: value.meta,
      }),
    );
    const own = copy.args;
    graph.replaceUses(new Map([[value.name, copy]]));
    copy.args = own;
  }
  output.args = [tuple(results.slice(inputs.size))];
}

/** Drops what follows a module that does not hold the next one. */
function fixModuleStack(node: DraftNode): void {
  const stack = node.meta.nnModuleStack;
  if (stack === undefined || stack.length === 0) throw noModuleStack(node);
  const paths = stack.map(([, path]) => withoutCall(path));
  const isPrefix = (a: string, b: string): boolean => a.length < b.length && b.startsWith(a);
  let valid = 1;
  while (valid < paths.length && isPrefix(paths[valid - 1]!, paths[valid]!)) valid++;
  if (valid < stack.length) node.meta = { ...node.meta, nnModuleStack: stack.slice(0, valid) };
}

/** One level of a module stack: the path, the class, and the number of the call. */
export interface StackLevel {
  readonly key: string;
  readonly path: string;
  readonly type: string | null;
  readonly call: number;
}

/** Returns the module stack of a node; undefined for a node that takes that of its neighbors. */
export function moduleStackOf({ meta }: DraftNode): readonly StackLevel[] | undefined {
  const stack = meta.nnModuleStack!;
  return stack.length === 1 && stack[0]![0] === NO_STACK ? undefined : stack.map(levelOf);
}

const levelOf = ([key, path, type]: ModuleStackEntry): StackLevel => ({
  key,
  path,
  type: path === "" ? null : type,
  call: key.includes("@") ? Number(key.split("@").at(-1)) : 0,
});

/** Returns whether the first levels of a stack are another stack. */
export const startsWith = (stack: readonly StackLevel[], start: readonly StackLevel[]): boolean =>
  stack.length >= start.length &&
  start.every(
    ({ path, type, call }, i) =>
      stack[i]!.path === path && stack[i]!.type === type && stack[i]!.call === call,
  );

/** Returns the class of the model. */
export function rootType(graph: DraftGraph): string | null {
  for (const { meta } of graph.nodes()) {
    const root = meta.nnModuleStack?.find(([, path]) => path === "");
    if (root !== undefined) return root[2] || null;
  }
  return null;
}
