/**
 * @file The kernels of all recorded calls, for targets of all kinds: each keeps the rules, before
 * and after its transforms, and is the same when it is read again from its text.
 */
import { isSconceError } from "@sconce/errors";
import { defaultOperators } from "@sconce/ops";
import { CallProgram, caseTitle, type OpCase, prepareCase } from "@sconce/ops-cases";
import { readAllCases } from "@sconce/ops-cases/node";
import { expect, test } from "vitest";
import { rowGroups } from "../analysis/row-groups.js";
import { bindNest, bindSizes, LOWERINGS, lowerToLoops } from "../index.js";
import { JAVASCRIPT } from "../javascript/print.js";
import { guardFloats } from "../kernel/guard-floats.js";
import type { Kernel } from "../kernel/kernel.js";
import { parseKernel } from "../kernel/parse.js";
import { printKernel } from "../kernel/print.js";
import { roundFloats } from "../kernel/round-floats.js";
import type { Target } from "../kernel/target.js";
import { verifyKernel } from "../kernel/verify.js";
import { elementKernel } from "./element.js";
import { scheduleNest, scheduleRows } from "./schedule.js";

const SOFTWARE: Target = { ...JAVASCRIPT, threads: "workgroups", sumsIn: "float32" };
const HARDWARE: Target = { ...SOFTWARE, isHardware: true };
const GRID: Target = {
  ...SOFTWARE,
  threads: "grid",
  unroll: 4,
  maxSide: 2048,
  exactIndex: 2 ** 24,
  dividesInFloats: true,
  speculation: { operations: 4, loads: true },
};
const operators = defaultOperators();

/** The kernels of a call; none where loops do not express it. */
function kernelsOf(one: OpCase): Kernel[] {
  const { args, kwargs } = prepareCase(one);
  const call = new CallProgram(one.target, args, kwargs, operators);
  const program = lowerToLoops(call.program.graph, { operators });
  const sizes = bindSizes(program, call.inputs);
  const nests = program.nests.map((nest) => bindNest(nest, sizes));
  return [
    ...nests.flatMap((nest) => [
      elementKernel(nest, program, sizes, JAVASCRIPT),
      elementKernel(nest, program, sizes, GRID),
      ...[SOFTWARE, HARDWARE].flatMap((target) => {
        const { kernel, first } = scheduleNest(nest, { program, sizes, target });
        return first === undefined ? [kernel] : [first, kernel];
      }),
    ]),
    ...rowGroups(nests, program).flatMap((group) =>
      [SOFTWARE, HARDWARE].flatMap((target) => scheduleRows(group, { program, sizes, target }) ?? []),
    ),
  ];
}

test("kernels keep the rules, and their texts are read again", () => {
  const problems: string[] = [];
  let kernels = 0;
  for (const one of readAllCases()) {
    if (!Object.hasOwn(LOWERINGS, one.target) || one.compare === "error") continue;
    try {
      for (const kernel of kernelsOf(one)) {
        verifyKernel(kernel);
        verifyKernel(guardFloats(kernel));
        verifyKernel(roundFloats(kernel));
        const text = printKernel(kernel);
        if (printKernel(parseKernel(text)) !== text) problems.push(`${caseTitle(one)}: ${text}`);
        kernels++;
      }
    } catch (error) {
      if (!isSconceError(error, "NOT_LOWERED") && !isSconceError(error, "DATA_DEPENDENT_GUARD"))
        problems.push(`${caseTitle(one)}: ${String(error)}`);
    }
  }
  expect(problems).toEqual([]);
  expect(kernels).toBeGreaterThan(10_000);
});
