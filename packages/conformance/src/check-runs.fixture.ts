/** @file How often a check runs the interpreter, counted at the interpreter. */
import { createEvaluator, createRunner } from "@sconce/backend-cpu";
import type { ExportedProgram, ProgramRunner, Value } from "@sconce/ir";
import { defaultOperators } from "@sconce/ops";
import { builtinPasses, checkPasses, type Evaluator, parsePipeline } from "@sconce/passes";

/** The runs of one pass that changed the program. */
export interface CountedRuns {
  readonly pass: string;
  /** Runs of the whole program, before and after. */
  readonly whole: number;
  /** Runs of changed regions, and elements of the largest input that was sampled for one. */
  readonly regions: number;
  readonly largest: number;
}

const operators = defaultOperators();
const passes = new Map(builtinPasses.map((pass) => [pass.name, pass]));

/** Checks each pass of a pipeline by itself, one after the other. */
export function countRuns(
  program: ExportedProgram,
  pipeline: string,
  inputs?: readonly Value[],
): CountedRuns[] {
  const counted: CountedRuns[] = [];
  let current = program;
  for (const item of parsePipeline(pipeline, passes, { operators })) {
    let [whole, regions] = [0, 0];
    const runner = createRunner({ operators });
    const run: ProgramRunner = (which, ...rest) => {
      if (2 * which.graph.size > current.graph.size) whole++;
      else regions++;
      return runner(which, ...rest);
    };
    const context = { operators, evaluate: createEvaluator({ operators }) as Evaluator, run };
    const options = inputs === undefined ? {} : { inputs: [inputs] };
    const { program: after, reports } = checkPasses(current, [item], context, options);
    const largest = Math.max(...reports.map(({ coverage }) => coverage?.largestSample ?? 0));
    const pass = "pass" in item ? item.pass.name : "repeat";
    if (after !== current) counted.push({ pass, whole, regions, largest });
    current = after;
  }
  return counted;
}

export const PIPELINE = "decompose,canonicalize,fold-constants{weights=true},cse,dce,fold-batch-norm";
