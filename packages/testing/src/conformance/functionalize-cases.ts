/** @file Functionalization against recorded calls: each in-place or view call as a program of one node. */
import { cpuBackend } from "@sconce/backend-cpu";
import { isSconceError } from "@sconce/errors";
import type { OperatorTable } from "@sconce/ops";
import { functionalized, isFunctional } from "@sconce/passes";
import { contiguousStrides } from "@sconce/tensor";
import { CallProgram } from "./call-program.js";
import type { BuiltValue, OpCase, OpCaseFile } from "./op-cases.js";
import {
  type CaseOutcome,
  type OpCaseResult,
  outcomeProblem,
  type PreparedCase,
  prepareCase,
} from "./ops.js";

/** True for a file of calls that functionalization changes or follows: they write, or give views. */
export function needsFunctionalization(file: OpCaseFile, operators: OperatorTable): boolean {
  const schema = operators.schemaOf(file.target);
  return schema !== undefined && (schema.isMutable || schema.isView);
}

/** Functionalizes every call of a file, runs the result, and compares outputs and mutations with PyTorch's. */
export async function checkFunctionalized(
  file: OpCaseFile,
  operators: OperatorTable,
): Promise<OpCaseResult[]> {
  const results: OpCaseResult[] = [];
  for (const one of file.cases) {
    results.push({ id: one.id, target: file.target, problem: await problemOf(file, one, operators) });
  }
  return results;
}

async function problemOf(
  file: OpCaseFile,
  one: OpCase,
  operators: OperatorTable,
): Promise<string | undefined> {
  const prepared = prepareCase(file, one);
  let outcome: CaseOutcome;
  try {
    const call = new CallProgram(file.target, prepared.args, prepared.kwargs, operators);
    const program = functionalized(call.program, operators);
    if (!isFunctional(program, operators)) return "is not functional afterwards";
    const executable = await cpuBackend({ operators }).compile(program);
    outcome = { result: call.resultOf((await executable.run(call.inputs)) as readonly BuiltValue[]) };
  } catch (error) {
    outcome = { error };
  }
  // What changes the sizes of the caller's tensor is refused, as PyTorch does (with an assertion).
  if (changesLayout(one, prepared)) {
    return "error" in outcome && isSconceError(outcome.error) ? undefined : "should be refused";
  }
  return outcomeProblem(file, one, prepared, outcome);
}

function changesLayout(one: OpCase, call: PreparedCase): boolean {
  return call.before.some(([path, , , layout]) => {
    const after = one.mutated?.[path];
    if (after === undefined || !("tensor" in after)) return false;
    const { shape, strides = contiguousStrides(shape) } = after;
    return String(shape) !== String(layout.shape) || String(strides) !== String(layout.strides);
  });
}
