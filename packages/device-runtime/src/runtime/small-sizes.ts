/** @file Sizes at which the values of a program are not those that it records. */
import { type LoopProgram, sizeOf } from "@sconce/codegen";
import type { ExportedProgram, Graph } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import { sizeProblem } from "@sconce/passes";
import type { Bindings } from "@sconce/symbolic";
import type { Reasons } from "./plan.js";
import { isTensor, type RunValue } from "./values.js";

/** Why a program does not hold at given sizes, in words; undefined where it does. */
export type SizeCheck = (sizes: Bindings) => string | undefined;

/** PyTorch records values as if sizes were at least this. */
const LEAST = 2;

/** Checks each set of small sizes once. */
export function sizeCheck(program: ExportedProgram, operators: OperatorTable): SizeCheck {
  const known = new Map<string, string | undefined>();
  return (sizes) => {
    const small = [...sizes].filter(([, size]) => size < LEAST);
    if (small.length === 0) return undefined;
    const key = [...sizes].map(([name, size]) => `${name}=${size}`).join();
    if (!known.has(key)) {
      const problem = sizeProblem(program, sizes, operators);
      const at = small.map(([name, size]) => `${name} = ${size}`).join(", ");
      if (known.size > MOST_KNOWN) known.clear();
      known.set(key, problem && `at ${at}, %${problem.node ?? ""} is not what the program records`);
    }
    return known.get(key);
  };
}
const MOST_KNOWN = 64;

/** All calls of a graph, with one reason. */
export const allCalls = (graph: Graph, reason: string): Reasons =>
  new Map(
    graph
      .nodes()
      .filter(({ op, target }) => op === "call_function" && target !== "operator.getitem")
      .map(({ name }) => [name, reason]),
  );

/** Whether inputs have the sizes that the program records of them. */
export function haveRecordedSizes(
  { inputs: ids, buffers }: LoopProgram,
  inputs: readonly RunValue[],
  positions: readonly number[],
  sizes: Bindings,
): boolean {
  return positions.every((at) => {
    const value = inputs[at];
    if (!isTensor(value)) return true;
    const { shape } = buffers[ids[at]!]!;
    return (
      shape.length === value.shape.length && shape.every((size, d) => sizeOf(size, sizes) === value.shape[d])
    );
  });
}
