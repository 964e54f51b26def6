import { parseIr } from "@sconce/ir/text";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { wasmBackend } from "../index.js";

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;

/** What a program of one call gives, and where it ran. */
async function run(
  call: string,
  dialect: string,
  size: string,
  result: string,
  inputs: readonly Tensor[],
  types: readonly string[],
): Promise<readonly [values: readonly unknown[], hostCalls: readonly string[]]> {
  const names = types.map((_, i) => `%x${i}`);
  const program = parseIr(`sconce-ir 1
program "${dialect}" {
  ${names.map((name) => `input ${name}: USER_INPUT`).join("\n  ")}
  output %y: USER_OUTPUT
${size}}
graph(${names.map((name, i) => `${name}: ${types[i]}`).join(", ")}) {
  %y: ${result} = ${call}
  return (%y,)
}`);
  const executable = await wasmBackend({ threads: 1 }).compile(program);
  const [y] = await executable.run(inputs);
  const { nodes } = executable.placement!();
  executable.dispose?.();
  const onHost = nodes.filter(({ place }) => place === "host").map(({ target }) => target);
  return [[...(y as Tensor).contiguous().toArray()], onHost];
}
const f32 = (values: readonly number[], shape: readonly number[]): Tensor =>
  Tensor.from(values, shape, "float32");
const i64 = (values: readonly number[], shape: readonly number[]): Tensor =>
  Tensor.from(values.map(BigInt), shape, "int64");

// Values are PyTorch's kernels': its decompositions multiply what is not finite by zero.
test.each([
  ["TRAINING", "3", ""],
  ["ATEN", "3", ""],
  ["TRAINING", "s0", '  range "s0" [2, 9]\n'],
])("the gradient of nll_loss is zero off the targets (%s, %s rows)", async (dialect, rows, size) => {
  const x = `f32[${rows}, 4]`;
  const each = [f32([inf, 1, nan], [3]), f32(new Array(12).fill(1), [3, 4]), i64([1, 0, 3], [3])];
  const call = (reduction: number, ignored: number): string =>
    `aten.nll_loss_backward.default(%x0, %x1, %x2, none, ${reduction}, ${ignored}, %x3)`;
  const types = [`f32[${rows}]`, x, `i64[${rows}]`, "f32[]"];
  const zero = f32([0], []);
  expect(await run(call(0, -100), dialect, size, x, [...each, zero], types)).toEqual([
    [0, -inf, 0, 0, -1, 0, 0, 0, 0, 0, 0, nan],
    [],
  ]);
  const mean = [f32([2], []), ...each.slice(1), zero];
  expect(await run(call(1, 0), dialect, size, x, mean, ["f32[]", ...types.slice(1)])).toEqual([
    [0, -inf, 0, 0, 0, 0, 0, 0, 0, 0, 0, -inf],
    [],
  ]);
  const wrong = [mean[0]!, mean[1]!, i64([1, 7, 3], [3]), zero];
  await expect(run(call(1, 0), dialect, size, x, wrong, ["f32[]", ...types.slice(1)])).rejects.toThrow(
    "out of bounds",
  );
});

test("the gradient of nll_loss2d is zero off the targets", async () => {
  const x = "f32[2, 3, 1, 2]";
  const inputs = [
    f32([inf, 1, nan, 2], [2, 1, 2]),
    f32(new Array(12).fill(1), [2, 3, 1, 2]),
    i64([1, 0, 2, 1], [2, 1, 2]),
    f32([0, 1, inf], [3]),
    f32([0], []),
  ];
  const types = ["f32[2, 1, 2]", x, "i64[2, 1, 2]", "f32[3]", "f32[]"];
  const call = "aten.nll_loss2d_backward.default(%x0, %x1, %x2, %x3, 0, 1, %x4)";
  expect(await run(call, "TRAINING", "", x, inputs, types)).toEqual([
    [0, -0, 0, 0, 0, 0, 0, 0, 0, 0, nan, 0],
    [],
  ]);
});
