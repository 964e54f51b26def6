/** @file Loop nests against recorded calls: each call as a program of one node, lowered and run element by element. */
import { evaluateLoops, LOWERINGS, lowerToLoops } from "@sconce/codegen";
import { isSconceError } from "@sconce/errors";
import type { OperatorTable } from "@sconce/ops";
import type { Tensor } from "@sconce/tensor";
import { CallProgram } from "./call-program.js";
import type { OpCase, OpCaseFile } from "./op-cases.js";
import { knownDifference } from "./op-differences.js";
import { type CaseOutcome, type OpCaseResult, outcomeProblem, prepareCase } from "./ops.js";

export interface LoopCaseResult extends OpCaseResult {
  /** Why loops do not say this call; such a call is not run. */
  readonly notLowered?: string;
}

/** Runs every call of a file that gives something as loops. Calls that PyTorch refuses are left out. */
export function checkLoops(file: OpCaseFile, operators: OperatorTable): LoopCaseResult[] {
  return file.cases
    .filter((one) => one.compare !== "error")
    .map((one) => ({ id: one.id, target: file.target, ...outcomeOf(file, one, operators) }));
}

function outcomeOf(
  file: OpCaseFile,
  one: OpCase,
  operators: OperatorTable,
): { readonly problem: string | undefined; readonly notLowered?: string } {
  const prepared = prepareCase(file, one);
  let outcome: CaseOutcome;
  try {
    const call = new CallProgram(file.target, prepared.args, prepared.kwargs, operators);
    const loops = lowerToLoops(call.program.graph, { operators });
    outcome = { result: call.resultOf(evaluateLoops(loops, call.inputs) as Tensor[]) };
  } catch (error) {
    if (isSconceError(error, "NOT_LOWERED") || isSconceError(error, "DATA_DEPENDENT_GUARD"))
      return { problem: undefined, notLowered: error.message };
    outcome = { error };
  }
  const problem = outcomeProblem(file, one, prepared, outcome, { mayCopy: true });
  // Without a rule of its own a call is its decomposition, which may differ where PyTorch's does.
  const { compare } =
    (Object.hasOwn(LOWERINGS, file.target) ? undefined : knownDifference(file.target)) ?? {};
  if (problem === undefined || compare === undefined) return { problem };
  return { problem: outcomeProblem(file, one, prepared, outcome, { mayCopy: true, compare }) };
}
