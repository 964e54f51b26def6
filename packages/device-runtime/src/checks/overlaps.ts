/**
 * @file Calls in place that read memory which they write to. Lowered programs compute them, and
 * PyTorch refuses them: the host runs the program as it was, and throws PyTorch's error.
 */
import { type ExportedProgram, FakeTensor, type Value } from "@sconce/ir";
import { type OperatorTable, overlapSuspects } from "@sconce/ops";
import type { Bindings, IntLike } from "@sconce/symbolic";
import type { TensorLayout } from "@sconce/tensor";
import { knownSize } from "../memory/sizes.js";
import { otherLayouts } from "./size-checks.js";

/** Why the host has to compute all of a run, if it does. */
export type OverlapCheck = (inputs: readonly Value[], sizes: Bindings) => string | undefined;

/** Returns the check of a program; undefined where no call may read what it writes. */
export function overlapCheck(program: ExportedProgram, operators: OperatorTable): OverlapCheck | undefined {
  const suspects = overlapSuspects(program.graph, operators);
  if (suspects.length === 0) return undefined;
  const layouts = otherLayouts(program, operators);
  return (inputs, sizes) => {
    const others = layouts(inputs, sizes);
    const layoutOf = (name: string): TensorLayout | undefined => {
      const recorded = program.graph.node(name).meta.val;
      const value = others?.has(name) === true ? others.get(name) : recorded;
      return value instanceof FakeTensor ? layoutAt(value, sizes) : undefined;
    };
    for (const { node, written, read, isRefused } of suspects) {
      const [to, from] = [layoutOf(written), layoutOf(read)];
      // What is not known is for the host to see.
      if (to !== undefined && from !== undefined && !isRefused(to, written === read ? to : from)) continue;
      return `%${node.name} may read memory that it writes to`;
    }
    return undefined;
  };
}

/** Undefined where a size is not known. */
function layoutAt(
  { dtype, shape, strides, storageOffset }: FakeTensor,
  sizes: Bindings,
): TensorLayout | undefined {
  let isKnown = true;
  const number = (size: IntLike): number => {
    const known = knownSize(size, sizes);
    isKnown &&= known !== undefined;
    return known ?? 0;
  };
  const layout = {
    dtype,
    shape: shape.map(number),
    strides: strides.map(number),
    storageOffset: number(storageOffset),
  };
  return isKnown ? layout : undefined;
}
