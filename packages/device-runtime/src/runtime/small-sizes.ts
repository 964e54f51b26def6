/** @file Sizes at which the values of a program are not those that it records. */
import { type LoopProgram, sizeOf } from "@sconce/codegen";
import { isSconceError } from "@sconce/errors";
import type { ExportedProgram, Graph } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import { checkRecorded, sizeProblem } from "@sconce/passes";
import { type Bindings, evaluateBool, freeSymbols, type SymExpr } from "@sconce/symbolic";
import type { Reasons } from "./plan.js";
import { isTensor, type RunValue } from "./values.js";

/** Why a program does not hold at given sizes, in words; undefined where it does. */
export type SizeCheck = (sizes: Bindings) => string | undefined;

/** PyTorch records values as if sizes were at least this. */
const LEAST = 2;

/**
 * Checks each set of sizes once that is small, or at which what is recorded may be other than what
 * the calls give.
 */
export function sizeCheck(program: ExportedProgram, operators: OperatorTable): SizeCheck {
  const known = new Map<string, string | undefined>();
  let mayDiffer: ((sizes: Bindings) => boolean) | undefined;
  return (sizes) => {
    if (sizes.size === 0) return undefined;
    mayDiffer ??= openSizes(program, operators);
    const small = [...sizes].filter(([, size]) => size < LEAST);
    if (small.length === 0 && !mayDiffer(sizes)) return undefined;
    const key = [...sizes].map(([name, size]) => `${name}=${size}`).join();
    if (!known.has(key)) {
      const problem = sizeProblem(program, sizes, operators);
      const shown = small.length === 0 ? [...sizes] : small;
      const at = shown.map(([name, size]) => `${name} = ${size}`).join(", ");
      if (known.size > MOST_KNOWN) known.clear();
      known.set(key, problem && `at ${at}, %${problem.node ?? ""} is not what the program records`);
    }
    return known.get(key);
  };
}
const MOST_KNOWN = 64;

/** Whether the rules of calls leave recorded values open at given sizes. */
function openSizes(program: ExportedProgram, operators: OperatorTable): (sizes: Bindings) => boolean {
  const { conditions, isOpen } = checkRecorded(program, operators, { layouts: false });
  if (isOpen) return () => true;
  const known = conditions.map((condition) => ({ condition, names: [...freeSymbols(condition).keys()] }));
  return (sizes) =>
    known.some(({ condition, names }) => names.every((name) => sizes.has(name)) && !holds(condition, sizes));
}

function holds(condition: SymExpr, sizes: Bindings): boolean {
  try {
    return evaluateBool(condition, sizes);
  } catch (error) {
    // Such as a division by a size that is zero.
    if (isSconceError(error)) return false;
    throw error;
  }
}

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
