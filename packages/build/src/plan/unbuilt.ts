/** @file Calls that have no kernels for all sizes. */
import type { CompiledPlan } from "@sconce/device-runtime";
import { FakeTensor, type NodeRef } from "@sconce/ir";
import type { Unbuilt } from "../code/errors.js";

/** Returns all calls of a plan that have no kernels for all sizes, each once. */
export function unbuiltCalls({ program, steps, proved }: CompiledPlan): readonly Unbuilt[] {
  const targetOf = (name: string): string => program.graph.find(name)?.target ?? name;
  const found = new Map<string, Unbuilt>();
  const callOf = (name: string): string => {
    const { target, args } = program.graph.find(name) ?? {};
    return target === "operator.getitem" ? callOf((args![0] as NodeRef).name) : name;
  };
  const add = (name: string, reason: string): void => {
    const node = callOf(name);
    if (!found.has(node)) found.set(node, { node, target: targetOf(node), reason });
  };
  for (const { region } of steps) for (const [node, reason] of region?.refused ?? []) add(node, reason);
  for (const { name } of proved.open)
    add(name, "whether it takes the sizes of its operands is known in a run only");
  return [...found.values()];
}

/** Dtypes for which there are arrays of JavaScript, or pairs of their elements. */
const HELD = /^(float(16|32|64)|bfloat16|u?int(8|16|32|64)|bool|complex(64|128))$/;

/** Returns the inputs, weights and results that no array of a module holds. */
export function unheldValues({ original }: CompiledPlan): readonly Unbuilt[] {
  const { graph, graphSignature } = original;
  const names = [
    ...graph.placeholders().map(({ name }) => name),
    ...graphSignature.outputSpecs.flatMap(({ arg }) => (arg.kind === "tensor" ? [arg.name] : [])),
  ];
  // Files of weights have no complex128.
  const state = new Set(
    graphSignature.inputSpecs.flatMap(({ kind, arg }) => (kind === "USER_INPUT" ? [] : [arg.name])),
  );
  return [...new Set(names)].flatMap((node) => {
    const { meta, target } = graph.node(node);
    const dtype = meta.val instanceof FakeTensor ? meta.val.dtype : "bool";
    const isHeld = HELD.test(dtype) && !(dtype === "complex128" && state.has(node));
    return isHeld ? [] : [{ node, target, reason: `modules take and give no ${dtype}` }];
  });
}
