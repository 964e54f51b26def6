/**
 * @file Functionalization against recorded calls: each in-place or view call as a program of one
 * node.
 */
import { cpuBackend } from "@sconce/backend-cpu";
import { isSconceError } from "@sconce/errors";
import type { OperatorTable } from "@sconce/ops";
import {
  type BuiltValue,
  CallProgram,
  type CaseOutcome,
  type OpCase,
  outcomeProblem,
  type PreparedCase,
  prepareCase,
} from "@sconce/ops-cases";
import { contiguousStrides } from "@sconce/tensor";
import { isFunctional } from "../analysis/functional.js";
import { functionalized } from "./functionalize.js";

/** True for a call that functionalization changes or follows: it writes, or gives views. */
export function needsFunctionalization({ target }: OpCase, operators: OperatorTable): boolean {
  const schema = operators.schemaOf(target);
  return schema !== undefined && (schema.isMutable || schema.isView);
}

/**
 * Functionalizes a call, runs the result, and returns in what outputs and mutations differ from
 * PyTorch's, or undefined.
 */
export async function functionalizedProblem(
  one: OpCase,
  operators: OperatorTable,
): Promise<string | undefined> {
  const prepared = prepareCase(one);
  let outcome: CaseOutcome;
  try {
    const call = new CallProgram(one.target, prepared.args, prepared.kwargs, operators);
    const program = functionalized(call.program, operators);
    if (!isFunctional(program, operators)) return "is not functional afterwards";
    const executable = await cpuBackend({ operators }).compile(program);
    outcome = { result: call.resultOf((await executable.run(call.inputs)) as readonly BuiltValue[]) };
  } catch (error) {
    outcome = { error };
  }
  // What changes the sizes of the caller's tensor is refused, as PyTorch does (with an assertion).
  if (changesLayout(one, prepared)) {
    return "error" in outcome && isSconceError(outcome.error) ? undefined : "should be rejected";
  }
  return outcomeProblem(one, prepared, outcome);
}

function changesLayout(one: OpCase, call: PreparedCase): boolean {
  return call.before.some(([path, , , layout]) => {
    const after = one.mutated?.[path];
    if (after === undefined || !("tensor" in after)) return false;
    const { shape, strides = contiguousStrides(shape) } = after;
    return String(shape) !== String(layout.shape) || String(strides) !== String(layout.strides);
  });
}
