/** @file Sums and products whose dtype is bool are true or false, as in PyTorch, and not counts. */
import { parseIr } from "@sconce/ir/text";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { gpujsBackend } from "./index.js";

const ROWS = [
  [1, 2, 0],
  [3, 0, 0],
  [1, 1, 1],
  [0, 0, 0],
];

/** The numbers of the result of calls on `ROWS`, in mode cpu. */
async function resultOf(input: "float32" | "int64", calls: string): Promise<unknown> {
  const program = parseIr(`sconce-ir 1
program "ATEN" {
  input %x: USER_INPUT
  output %y: USER_OUTPUT
}
graph(%x: ${input === "float32" ? "f32" : "i64"}[4, 3]) {
  ${calls}
  return (%y)
}`);
  const compiled = await gpujsBackend({ mode: "cpu" }).compile(program);
  const [y] = await compiled.run([Tensor.from(ROWS.flat(), [4, 3], input)]);
  compiled.dispose();
  return Array.from((y as Tensor).contiguous().data as ArrayLike<number | bigint>, Number);
}

test.each(["float32", "int64"] as const)("totals of %s as bool", async (input) => {
  const rows = "%t: b8[4] = aten.sum.dim_IntList(%x, [1], dtype=bool)";
  expect(await resultOf(input, "%y: b8[] = aten.sum.default(%x, dtype=bool)")).toEqual([1]);
  expect(await resultOf(input, rows.replace("%t", "%y"))).toEqual([1, 1, 1, 0]);
  expect(await resultOf(input, "%y: b8[4] = aten.prod.dim_int(%x, 1, dtype=bool)")).toEqual([0, 0, 1, 0]);
  expect(await resultOf(input, "%y: b8[] = aten.nansum.default(%x, dtype=bool)")).toEqual([1]);
  expect(await resultOf(input, `${rows}\n  %y: i64[] = aten.sum.default(%t)`)).toEqual([3]);
  expect(await resultOf(input, `${rows}\n  %y: b8[4] = aten.bitwise_not.default(%t)`)).toEqual([0, 0, 0, 1]);
  expect(await resultOf(input, `${rows}\n  %y: i64[4] = aten.add.Tensor(%t, 3)`)).toEqual([4, 4, 4, 3]);
});
