import { parseIr } from "@sconce/ir/text";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { wasmBackend } from "./backend.js";

/** A program that reads rows at places which `lines` compute from %i as %j. */
const selecting = (rows: number, lines: string) =>
  parseIr(`sconce-ir 1
program "ATEN" { input %w: USER_INPUT input %i: USER_INPUT output %y: USER_OUTPUT }
graph(%w: f32[${rows}], %i: i64[1]) {
  ${lines}
  %y: f32[1] = aten.index_select.default(%w, 0, %j)
  return (%y)
}`);
const LEAST = -(2n ** 63n);
const cast = (
  dtype: string,
  short: string,
): string => `%h: ${short}[1] = aten._to_copy.default(%i, dtype=${dtype})
  %j: i64[1] = aten._to_copy.default(%h, dtype=int64)`;

test.each([
  ["a cast to bfloat16 rounds up", 260, cast("bfloat16", "bf16"), 259n],
  ["a cast to float16 rounds up", 2052, cast("float16", "f16"), 2051n],
  [
    "the least int64 has no absolute value",
    10,
    "%a: i64[1] = aten.abs.default(%i)\n  %j: i64[1] = aten.fmod.Scalar(%a, 10)",
    LEAST,
  ],
  [
    "the least int64 has no opposite",
    10,
    "%a: i64[1] = aten.neg.default(%i)\n  %j: i64[1] = aten.clamp.default(%a, max=5)",
    LEAST,
    -3n,
  ],
  [
    "the greatest int64 has no next",
    10,
    "%a: i64[1] = aten.add.Tensor(%i, 1)\n  %j: i64[1] = aten.clamp.default(%a, max=5)",
    -LEAST - 1n,
  ],
])("places outside of a tensor are found: %s", async (_, rows, lines, value, good = 3n) => {
  const executable = await wasmBackend({ threads: 1 }).compile(selecting(rows, lines));
  const w = Tensor.fromData(
    Float32Array.from({ length: rows }, (_, i) => i),
    "float32",
  );
  await expect(executable.run([w, Tensor.from([value], [1], "int64")])).rejects.toMatchObject({
    code: "INDEX_OUT_OF_RANGE",
  });
  const [y] = (await executable.run([w, Tensor.from([good], [1], "int64")])) as [Tensor];
  expect(y.shape).toEqual([1]);
  executable.dispose();
});

test("places that are kept inside stay on the device", async () => {
  const lines = "%j: i64[1] = aten.clamp.default(%i, 0, 9)";
  const executable = await wasmBackend({ threads: 1 }).compile(selecting(10, lines));
  const w = Tensor.fromData(new Float32Array(10), "float32");
  await executable.run([w, Tensor.from([LEAST], [1], "int64")]);
  expect(executable.placement!().nodes.filter(({ place }) => place === "host")).toEqual([]);
  executable.dispose();
});

const written = (call: string) =>
  parseIr(`sconce-ir 1
program "ATEN" { input %w: USER_INPUT input %i: USER_INPUT input %s: USER_INPUT output %y: USER_OUTPUT }
graph(%w: f32[4, 2], %i: i64[2], %s: f32[2, 2]) {
  %y: f32[4, 2] = ${call}
  return (%y)
}`);
const W = Tensor.fromData(new Float32Array(8), "float32", [4, 2]);
const S = Tensor.from([1, 2, 3, 4], [2, 2], "float32");
const places = (...at: bigint[]): Tensor => Tensor.from(at, [2], "int64");

test.each([
  ["aten.index_add.default(%w, 0, %i, %s, alpha=2)", [0, 0, 0, 0, 0, 0, 8, 12], [3n, 3n]],
  ["aten.index_copy.default(%w, 0, %i, %s)", [0, 0, 3, 4, 0, 0, 1, 2], [3n, 1n]],
])("%s runs on the device, and refuses negative places", async (call, expected, at) => {
  const executable = await wasmBackend({ threads: 1 }).compile(written(call));
  const [y] = (await executable.run([W, places(...at), S])) as [Tensor];
  expect([...y.toFloat64Array()]).toEqual(expected);
  expect(executable.placement!().fallbacks).toEqual([]);
  expect(executable.placement!().nodes).toMatchObject([{ place: "device" }]);
  for (const outside of [-1n, 4n])
    await expect(executable.run([W, places(0n, outside), S])).rejects.toMatchObject({
      code: "INDEX_OUT_OF_RANGE",
    });
  executable.dispose();
});

test("negative places are filled by the host", async () => {
  const program = written("aten.index_fill.int_Scalar(%w, 0, %i, 5)");
  const executable = await wasmBackend({ threads: 1 }).compile(program);
  for (const at of [places(0n, 3n), places(0n, -1n)]) {
    const [y] = (await executable.run([W, at, S])) as [Tensor];
    expect([...y.toFloat64Array()]).toEqual([5, 5, 0, 0, 0, 0, 5, 5]);
  }
  executable.dispose();
});
