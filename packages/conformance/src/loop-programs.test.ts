/** @file Random programs as loops: what is fused computes what the interpreter does. */
import { cpuBackend } from "@sconce/backend-cpu";
import { evaluateLoops, lowerToLoops } from "@sconce/codegen";
import type { ExportedProgram, Value } from "@sconce/ir";
import { defaultOperators } from "@sconce/ops";
import { runDecompositions, sampleInputs } from "@sconce/passes";
import { Tensor } from "@sconce/tensor";
import { compareTensors } from "@sconce/tensor/compare";
import { sampleProgram, toleranceOf } from "@sconce/testing";
import { expect, test } from "vitest";

const operators = defaultOperators();

/** Tensors of the placeholders: the program's own, and what it is given. */
function placed(program: ExportedProgram, inputs: readonly Value[]): (Tensor | undefined)[] {
  let next = 0;
  return program.graphSignature.inputSpecs.map(({ kind, target }) => {
    const value = kind === "USER_INPUT" ? inputs[next++] : program.tensor(target!);
    return value instanceof Tensor ? value : undefined;
  });
}

async function problemOf(seed: number): Promise<string | undefined> {
  const given = sampleProgram(seed);
  const program = runDecompositions(given);
  const loops = lowerToLoops(program.graph, { operators });
  const executable = await cpuBackend().compile(program);
  const tolerance = toleranceOf(given)!;
  for (const inputs of sampleInputs(program, { seed, count: 2 })) {
    const want = await executable.run(inputs);
    const got = evaluateLoops(loops, placed(program, inputs));
    const problems = want.map((value, i) =>
      value instanceof Tensor ? compareTensors(got[i] as Tensor, value, tolerance) : undefined,
    );
    const at = problems.findIndex((problem) => problem !== undefined);
    if (at >= 0) return `seed ${seed}, output ${at}: ${problems[at]}`;
  }
  return undefined;
}

test("60 random programs give the interpreter's numbers", async () => {
  const problems = await Promise.all(Array.from({ length: 60 }, (_, seed) => problemOf(seed)));
  expect(problems.filter((problem) => problem !== undefined)).toEqual([]);
});
