/**
 * @file Fusion makes no nest that the device cannot compute of calls that it can: many programs.
 */

import type { DeviceTarget } from "@sconce/device-runtime";
import { isSconceError } from "@sconce/errors";
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

/** The nests of a recorded call; none if it makes no functional program. */
function checkCall(one: OpCase, target: DeviceTarget): ReturnType<typeof checkFusion> {
  try {
    const { args, kwargs } = prepareCase(one);
    return checkFusion(new CallProgram(one.target, args, kwargs, operators).program, target);
  } catch (error) {
    if (!isSconceError(error)) throw error;
    return { nests: 0, problems: [] };
  }
}

describe.each(Object.entries(TARGETS))("on %s every fused nest of legal calls is legal", (_, target) => {
  const check = (checked: readonly ReturnType<typeof checkFusion>[], least: number): void => {
    expect(checked.flatMap(({ problems }) => problems)).toEqual([]);
    expect(checked.reduce((total, { nests }) => total + nests, 0)).toBeGreaterThan(least);
  };
  test("in recorded calls", () => {
    const checked = functional.map((one) => checkCall(one, target));
    check(checked, 2000);
  });
  test("in random programs", () => {
    const programs = Array.from({ length: 400 }, (_, seed) => runDecompositions(sampleProgram(seed + 1000)));
    check(
      programs.map((program) => checkFusion(program, target)),
      700,
    );
  });
  test("in random programs of many inputs", () => {
    const programs = Array.from({ length: 300 }, (_, seed) => wideProgram(seed + 1000));
    check(
      programs.map((program) => checkFusion(program, target)),
      2000,
    );
  });
});
