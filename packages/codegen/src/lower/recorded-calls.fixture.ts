/**
 * @file Loop nests against recorded calls: each call as a program of one node, lowered and run
 * element by element.
 */
import { isSconceError } from "@sconce/errors";
import type { OperatorTable } from "@sconce/ops";
import {
  CallProgram,
  type CaseOutcome,
  knownDifference,
  type OpCase,
  outcomeProblem,
  prepareCase,
} from "@sconce/ops-cases";
import type { Tensor } from "@sconce/tensor";
import { evaluateLoops, LOWERINGS, lowerToLoops } from "../index.js";

export interface LoopOutcome {
  /** What is wrong with the result; undefined for a pass. */
  readonly problem: string | undefined;
  /** Why loops do not express this call; such a call is not run. */
  readonly notLowered?: string;
}

/** Runs a call as loops. */
export function checkLoops(one: OpCase, operators: OperatorTable): LoopOutcome {
  const prepared = prepareCase(one);
  let outcome: CaseOutcome;
  try {
    const call = new CallProgram(one.target, prepared.args, prepared.kwargs, operators);
    const loops = lowerToLoops(call.program.graph, { operators });
    outcome = { result: call.resultOf(evaluateLoops(loops, call.inputs) as Tensor[]) };
  } catch (error) {
    if (isSconceError(error, "NOT_LOWERED") || isSconceError(error, "DATA_DEPENDENT_GUARD"))
      return { problem: undefined, notLowered: error.message };
    outcome = { error };
  }
  const problem = outcomeProblem(one, prepared, outcome, { mayCopy: true });
  // Without a rule a call is its decomposition, which may differ where PyTorch's does.
  const { compare } = (Object.hasOwn(LOWERINGS, one.target) ? undefined : knownDifference(one.target)) ?? {};
  if (problem === undefined || compare === undefined) return { problem };
  return { problem: outcomeProblem(one, prepared, outcome, { mayCopy: true, compare }) };
}
