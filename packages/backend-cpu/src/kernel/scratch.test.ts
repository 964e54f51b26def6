import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { createEvaluator } from "../interpreter/backend.js";

const call = createEvaluator({ maxBytes: 1_000_000 });
const run = (target: string, args: readonly unknown[]): unknown => call(target, args as never);

const numbers = Tensor.from([1, 2, 3, 4], [4], "float32");
/** A million rows that are one row in memory. */
const rows = numbers.asStrided([1_000_000, 4], [0, 1]);
const columns = numbers.asStrided([4, 1_000_000], [1, 0]);
const line = numbers.asStrided([1_000_000], [0]);
const whole = Tensor.from([0n], [1], "int64").asStrided([1_000_000], [0]);
const halves = Tensor.from([1], [1], "float16").asStrided([1_000_000], [0]);
const complex = Tensor.empty([1], "complex64").asStrided([1_000_000], [0]);

describe("working arrays of kernels count on maxBytes", () => {
  test.each<[string, unknown[]]>([
    ["aten.sum.default", [whole]],
    ["aten.sum.default", [halves]],
    ["aten.sum.default", [complex]],
    ["aten.prod.default", [halves]],
    ["aten.amax.default", [rows, [0]]],
    ["aten.argmax.default", [rows]],
    ["aten.var_mean.correction", [rows, [0]]],
    ["aten.linalg_vector_norm.default", [rows]],
    ["aten.median.default", [rows]],
    ["aten.kthvalue.default", [rows, 1, 0]],
    ["aten.topk.default", [rows, 1, 0]],
    ["aten._unique2.default", [rows]],
    ["aten.mm.default", [columns, rows]],
    ["aten.dot.default", [line, line]],
    ["aten.index.Tensor", [numbers, [whole]]],
    ["aten.histc.default", [rows, 10]],
    ["aten.logsumexp.default", [rows, [0]]],
    ["aten._cdist_forward.default", [columns, columns, 2, null]],
    ["aten.cumsum.default", [rows, 0]],
    ["aten.linalg_vector_norm.default", [halves]],
  ])("%s of a tensor that was expanded", (target, args) => {
    expect(() => run(target, args)).toThrow(
      expect.objectContaining({
        code: "OUT_OF_MEMORY",
        message: expect.stringContaining("left of maxBytes"),
      }),
    );
  });

  test("transforms of a prime length need much more than their result", () => {
    const signal = Tensor.empty([50_021], "complex64");
    expect(() => run("aten._fft_c2c.default", [signal, [0], 0, true])).toThrow(
      "20475040 bytes are more than",
    );
  });

  test("copies of views that keep the memory around them", () => {
    const part = Tensor.empty([300_000], "float32").asStrided([4], [2]);
    expect(() => run("aten.slice_scatter.default", [part, numbers])).toThrow("1200000 bytes are more than");
  });

  test("sums without NaN take the memory of their view", () => {
    const data = new Float32Array(300_000).fill(2);
    data[200_002] = Number.NaN;
    const part = Tensor.fromData(data, "float32").asStrided([4], [2], 200_000);
    expect((run("aten.nansum.default", [part]) as Tensor).toArray()).toEqual([6]);
  });

  test("what fits runs", () => {
    const few = numbers.asStrided([1000, 4], [0, 1]);
    expect((run("aten.prod.dim_int", [few, 1]) as Tensor).shape).toEqual([1000]);
    const product = run("aten.mm.default", [few.asStrided([4, 1000], [1, 0]), few]) as Tensor;
    expect(product.toArray().at(-1)).toBe(16_000);
  });
});

test("sums and products of floats read the elements where they lie", () => {
  expect((run("aten.sum.default", [rows]) as Tensor).toArray()).toEqual([10_000_000]);
  expect((run("aten.prod.default", [rows]) as Tensor).toArray()).toEqual([Infinity]);
  expect((run("aten.mean.dim", [columns, [1]]) as Tensor).toArray()).toEqual([1, 2, 3, 4]);
});

test("one call gives at most 100,000 tensors", () => {
  for (const [target, args] of [
    ["aten.split.Tensor", [rows, 1]],
    ["aten.unbind.int", [rows]],
    ["aten.chunk.default", [rows, 1_000_000]],
    ["aten.tensor_split.sections", [rows, 1_000_000]],
    ["aten.chunk.default", [Tensor.empty([0], "float32"), 1_000_000]],
  ] as const) {
    expect(() => run(target, args)).toThrow(
      "would give 1000000 tensors, and one call may give at most 100000",
    );
  }
});
