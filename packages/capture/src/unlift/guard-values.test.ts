/** @file Integers past 2^53 in guards, where a program is exported again or written. */

import type { Tensor } from "@sconce/tensor";
import { torch } from "@sconce/torch";
import { expect, test } from "vitest";
import { Dim } from "../dynamic/dim.js";
import { exportProgram } from "../export/export-program.js";
import { typescriptText } from "../typescript/typescript-text.js";

const LARGE = 2n ** 53n + 1n;
const x = torch.ones(2);

test("a program with a large integer is exported again with that integer alone", () => {
  const again = (first: bigint, second: bigint): unknown => {
    const program = exportProgram((t: Tensor, _n: bigint) => t.add(1), [x, first]);
    return exportProgram(program.module(), [x, second]).exampleInputs?.leaves[1];
  };
  expect(again(LARGE, LARGE)).toBe(LARGE);
  expect(() => again(LARGE, LARGE + 1n)).toThrow(
    expect.objectContaining({ code: "GUARD_FAILED", message: `Guard failed: _n == ${LARGE}` }),
  );
});

test("a guard with large integers is written with all digits", () => {
  const program = exportProgram((t: Tensor) => t.add(1), [x], { dynamicShapes: [{ 0: Dim("n") }] });
  const guarded = program.with({
    guardsCode: [`L['flat_args'][0].size()[0] * ${LARGE} != ${3n * LARGE}`],
  });
  expect(typescriptText(guarded)).toContain(`sym.ne(sym.mul(t.size(0), ${LARGE}n), ${3n * LARGE}n)`);
});
