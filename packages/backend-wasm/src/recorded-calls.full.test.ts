/** @file Runs all recorded calls that lower to loops by WebAssembly kernels. */
import { LOWERINGS, lowerToLoops } from "@sconce/codegen";
import { isSconceError } from "@sconce/errors";
import { defaultOperators } from "@sconce/ops";
import {
  CallProgram,
  type CaseOutcome,
  caseTitle,
  knownDifference,
  type OpCase,
  outcomeProblem,
  prepareCase,
} from "@sconce/ops-cases";
import { caseFamilies, readFamily } from "@sconce/ops-cases/node";
import { isComplexDType, type Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { runLoops } from "./run-loops.fixture.js";

const operators = defaultOperators();

function problemOf(one: OpCase): string | undefined {
  const prepared = prepareCase(one);
  let outcome: CaseOutcome;
  try {
    const call = new CallProgram(one.target, prepared.args, prepared.kwargs, operators);
    const loops = lowerToLoops(call.program.graph, { operators });
    // The device refuses these.
    if (loops.buffers.some(({ dtype }) => isComplexDType(dtype) || dtype.startsWith("float8")))
      return undefined;
    outcome = { result: call.resultOf(runLoops(loops, call.inputs) as Tensor[]) };
  } catch (error) {
    if (isSconceError(error, "NOT_LOWERED") || isSconceError(error, "DATA_DEPENDENT_GUARD")) return undefined;
    outcome = { error };
  }
  const problem = outcomeProblem(one, prepared, outcome, { mayCopy: true });
  const { compare } = (Object.hasOwn(LOWERINGS, one.target) ? undefined : knownDifference(one.target)) ?? {};
  if (problem === undefined || compare === undefined) return problem;
  return outcomeProblem(one, prepared, outcome, { mayCopy: true, compare });
}

test.each(caseFamilies())(
  "every recorded call of %s that loops express gives PyTorch's numbers",
  (family) => {
    const problems: string[] = [];
    for (const one of readFamily(family)) {
      // Calls that PyTorch refuses do not have a result, and edges are for the checks of kernels.
      if (one.compare === "error" || one.source === "edges") continue;
      const problem = problemOf(one);
      if (problem !== undefined) problems.push(`${caseTitle(one)}: ${problem}`);
    }
    expect(problems).toEqual([]);
  },
);
