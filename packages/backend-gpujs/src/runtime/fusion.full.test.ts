/**
 * @file Fusion makes no nest that the device cannot compute of calls that it can: many programs.
 */

import type { DeviceTarget } from "@sconce/device-runtime";
import { isSconceError } from "@sconce/errors";
import type { ExportedProgram } from "@sconce/ir";
import { printIr } from "@sconce/ir/text";
import { defaultOperators } from "@sconce/ops";
import { CallProgram, type OpCase, prepareCase } from "@sconce/ops-cases";
import { readAllCases } from "@sconce/ops-cases/node";
import { runDecompositions } from "@sconce/passes";
import { sampleProgram } from "@sconce/testing";
import { describe, expect, test } from "vitest";
import { checkFusion, TARGETS, wideProgram } from "./legality.fixture.js";

const operators = defaultOperators();
const functional = readAllCases().filter(
  ({ target, compare }) => compare !== "error" && !operators.require(target).schema.isMutable,
);

/** The program of a recorded call, if it makes a functional one. */
function programOf(one: OpCase): ExportedProgram | undefined {
  try {
    const { args, kwargs } = prepareCase(one);
    return new CallProgram(one.target, args, kwargs, operators).program;
  } catch (error) {
    if (!isSconceError(error)) throw error;
    return undefined;
  }
}

/** Programs by their texts: calls that differ in values of tensors alone make the same one. */
const calls = new Map<string, ExportedProgram>();
for (const one of functional) {
  const program = programOf(one);
  if (program !== undefined) calls.set(printIr(program), program);
}
const random = Array.from({ length: 400 }, (_, seed) => runDecompositions(sampleProgram(seed + 1000)));
const wide = Array.from({ length: 300 }, (_, seed) => wideProgram(seed + 1000));

/** The nests of a program; none if it is not lowered. */
function checkProgram(program: ExportedProgram, target: DeviceTarget): ReturnType<typeof checkFusion> {
  try {
    return checkFusion(program, target);
  } catch (error) {
    if (!isSconceError(error)) throw error;
    return { nests: 0, problems: [] };
  }
}

test("the recorded calls make many programs", () => {
  expect(calls.size).toBeGreaterThan(10_000);
});

const TARGET_LIST = Object.entries(TARGETS).map(([name, target], first) => ({ name, target, first }));
describe.each(TARGET_LIST)("on $name every fused nest of legal calls is legal", ({ target, first }) => {
  const check = (checked: readonly ReturnType<typeof checkFusion>[], least: number): void => {
    expect(checked.flatMap(({ problems }) => problems)).toEqual([]);
    expect(checked.reduce((total, { nests }) => total + nests, 0)).toBeGreaterThan(least);
  };
  test("in recorded calls", () => {
    // Each target takes others.
    const chosen = [...calls.values()].filter((_, at) => at % TARGET_LIST.length === first);
    check(
      chosen.map((program) => checkProgram(program, target)),
      2000 / TARGET_LIST.length,
    );
  });
  test("in random programs", () => {
    check(
      random.map((program) => checkFusion(program, target)),
      700,
    );
  });
  test("in random programs of many inputs", () => {
    check(
      wide.map((program) => checkFusion(program, target)),
      2000,
    );
  });
});
