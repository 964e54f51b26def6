/**
 * @file Writes under masks: how many values fit is known in the run only; results of PyTorch 2.14.
 */
import { createSconce } from "@sconce/session";
import { loadBackend } from "@sconce/session/backends";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";

const session = createSconce({
  backends: [await loadBackend("wasm", { threads: 1 }), await loadBackend("gpujs:cpu")],
});
const BACKENDS = ["cpu", "wasm", "gpujs:cpu"];

const programOf = (call: string, size: number | "s0"): string => `sconce-ir 1
program "TRAINING" {
  input %w: USER_INPUT
  input %m: USER_INPUT
  input %y: USER_INPUT
  output %r: USER_OUTPUT
}
graph(%w: f32[9], %m: b8[9], %y: f32[${size}]) {
  %w2 = aten.view.default(%w, [3, 3])
  %m2 = aten.view.default(%m, [3, 3])
  %m1 = aten.slice.Tensor(%m, 0, 0, 3)
  %n = aten.nonzero.default(%m)
  %i = aten.select.int(%n, 1, 0)
  %q = aten.masked_select.default(%w, %m)
  %none = aten.gt.Scalar(%w, 100)
  %all = aten.arange.default(9)
  %r = aten.${call}
  return (%r)
}`;

async function run(
  call: string,
  count: number,
  backend: string,
  size: number | "s0" = count,
): Promise<unknown> {
  using executable = await session.compile(session.parseIr(programOf(call, size)), backend);
  const w = Tensor.from([0, 1, 2, 3, 4, 5, 6, 7, 8], [9], "float32");
  const mask = Tensor.from([1, 1, 0, 1, 1, 0, 1, 0, 0], [9], "bool");
  const values = Array.from({ length: count }, (_, i) => 10 + i);
  const [result] = await executable.run([w, mask, Tensor.from(values, [count], "float32")]);
  return (result as Tensor).toArray().flat();
}

const PUT = "index_put.default(%w, [%m], %y)";
const ADD = "index_put.default(%w, [%m], %y, true)";
const UNSAFE = "_unsafe_index_put.default(%w, [%m], %y)";
const SQUARE = "index_put.default(%w2, [%m2], %y)";
const COLUMNS = "index_put.default(%w2, [none, %m1], %y)";
const ROWS = "index_put.default(%w2, [%m1], %y)";
const NONE = "index_put.default(%w, [%none], %y)";
const IN_PLACE = "index_put_.default(%w, [%m], %y)";

/** Call, number of values, sizes of the places; shape rules do not know the count. */
const MISFITS: readonly (readonly [string, number, string])[] = [
  ...[PUT, ADD, UNSAFE, SQUARE, IN_PLACE].flatMap((call) =>
    [0, 2, 3, 6].map((count) => [call, count, "\\[5\\]"] as const),
  ),
  [COLUMNS, 0, "\\[3, (2|unknown)\\]"],
  [COLUMNS, 3, "\\[3, (2|unknown)\\]"],
  [COLUMNS, 5, "\\[3, (2|unknown)\\]"],
  [ROWS, 2, "\\[(2|unknown), 3\\]"],
  [ROWS, 6, "\\[(2|unknown), 3\\]"],
  [NONE, 3, "\\[0\\]"],
];

/** Call, number of values, result. */
const FITS: readonly (readonly [string, number, readonly number[]])[] = [
  [PUT, 1, [10, 10, 2, 10, 10, 5, 10, 7, 8]],
  [PUT, 5, [10, 11, 2, 12, 13, 5, 14, 7, 8]],
  [UNSAFE, 5, [10, 11, 2, 12, 13, 5, 14, 7, 8]],
  [ADD, 1, [10, 11, 2, 13, 14, 5, 16, 7, 8]],
  [ADD, 5, [10, 12, 2, 15, 17, 5, 20, 7, 8]],
  [COLUMNS, 1, [10, 10, 2, 10, 10, 5, 10, 10, 8]],
  [COLUMNS, 2, [10, 11, 2, 10, 11, 5, 10, 11, 8]],
  [ROWS, 3, [10, 11, 12, 10, 11, 12, 6, 7, 8]],
  [NONE, 0, [0, 1, 2, 3, 4, 5, 6, 7, 8]],
  [NONE, 1, [0, 1, 2, 3, 4, 5, 6, 7, 8]],
  ["masked_scatter.default(%w, %m, %y)", 6, [10, 11, 2, 12, 13, 5, 14, 7, 8]],
  ["scatter.src(%w, 0, %i, %y)", 6, [10, 11, 2, 12, 13, 5, 14, 7, 8]],
];

/** Calls with fewer values than places, and what PyTorch says. */
const FEW: readonly (readonly [string, RegExp])[] = [
  ["masked_scatter.default(%w, %m, %y)", /Number of elements of source < number of ones in mask/],
  ["put.default(%w, %i, %y)", /source\.numel\(\) = 3, index\.numel\(\) = 5/],
  ["scatter.src(%w, 0, %i, %y)", /Expected index \[5\] to be no larger than self \[9\]/],
  ["scatter_add.default(%w, 0, %i, %y)", /Expected index \[5\] to be no larger than self \[9\]/],
  ["index_copy.default(%w, 0, %i, %y)", /Number of indices \(5\) should be equal to source\.size\(dim\)/],
  ["index_add.default(%w, 0, %i, %y)", /Number of indices \(5\) should be equal to/],
  ['index_reduce.default(%w, 0, %i, %y, "amax")', /Number of indices \(5\) should be equal to/],
  [
    "index_put.default(%w, [%i], %y)",
    /value tensor of shape \[3\] cannot be broadcast to indexing result of shape \[5\]/,
  ],
  [
    "_unsafe_masked_index_put_accumulate.default(%w, %m, [%all], %y)",
    /^The size of tensor a \(9\) must match the size of tensor b \(3\) at/,
  ],
  ["masked_scatter_backward.default(%w, %m, [3])", /shape '\[3\]' is invalid for input of size 5/],
];

describe.each(BACKENDS)("on %s", (backend) => {
  test.each(MISFITS)("%s with %d values is refused", async (call, count, places) => {
    for (const size of [count, "s0"] as const)
      await expect(run(call, count, backend, size)).rejects.toMatchObject({
        code: "SHAPE_MISMATCH",
        message: expect.stringMatching(
          `shape mismatch: value tensor of shape \\[${count}\\] cannot be broadcast to indexing result of shape ${places}`,
        ),
        where: expect.stringContaining("index_put"),
      });
  });

  test.each(FITS)("%s with %d values runs", async (call, count, wanted) => {
    expect(await run(call, count, backend)).toEqual(wanted);
  });

  test.each(FEW)("%s with 3 values for 5 places is refused", async (call, message) => {
    await expect(run(call, 3, backend, "s0")).rejects.toThrow(message);
  });

  test("values of a view are not read outside of it", async () => {
    const call = "index_put.default(%w, [%m], %v)";
    const text = programOf(call, 8).replace("  %r =", "  %v = aten.slice.Tensor(%y, 0, 0, 2)\n  %r =");
    using executable = await session.compile(session.parseIr(text), backend);
    const w = Tensor.from([1, 2, 3, 4, 5, 6, 7, 8, 9], [9], "float32");
    const mask = Tensor.from([1, 1, 1, 1, 1, 1, 1, 1, 1], [9], "bool");
    const y = Tensor.from([10, 20, 777, 888, 5, 6, 7, 8], [8], "float32");
    await expect(executable.run([w, mask, y])).rejects.toThrow(
      "value tensor of shape [2] cannot be broadcast to indexing result of shape [9]",
    );
  });
});
