/** @file Sums of floats beside PyTorch's, bit by bit. */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { evaluate } from "../interpreter/backend.js";

interface Case {
  readonly name: string;
  readonly shape: readonly number[];
  readonly strides: readonly number[];
  readonly dims: readonly number[];
  readonly op: "sum" | "mean" | "nansum";
  readonly dtype: "float32" | "float64";
  readonly bytes: string;
}

/** As `oracle/sum_orders.py` records them; the same on all of PyTorch's kinds of processors. */
const file = new URL("../../../testing/fixtures/tensor/sum-orders.json.gz", import.meta.url);
const CASES = JSON.parse(gunzipSync(readFileSync(file)).toString()) as readonly Case[];
const TARGETS = { sum: "aten.sum.dim_IntList", mean: "aten.mean.dim", nansum: "aten.nansum.default" };

/** The element at a position, as the script makes it. */
function element(i: number): number {
  const start = (Math.imul(i, 2_654_435_761) + 40_503) >>> 0;
  return (Math.imul(start ^ (start >>> 15), 2_246_822_519) >>> 0) / 2 ** 31 - 1;
}

function sumOf({ shape, strides, dims, op, dtype }: Case): string {
  const length = shape.reduce((last, size, d) => last + (size - 1) * strides[d]!, 1);
  const isHole = (i: number): boolean => op === "nansum" && i % 7 === 2;
  const flat = Array.from({ length }, (_, i) => (isHole(i) ? Number.NaN : element(i)));
  const x = Tensor.from(flat, [length], dtype).asStrided(shape, strides);
  const result = evaluate(TARGETS[op], [x, dims] as never) as Tensor;
  const { buffer, byteOffset, byteLength } = result.contiguous().data;
  return Buffer.from(buffer, byteOffset, byteLength).toString("base64");
}

test.each([...new Set(CASES.map(({ op, dtype }) => `${op} of ${dtype}`))])(
  "%s has PyTorch's bits for all layouts and lengths",
  (kind) => {
    const cases = CASES.filter(({ name }) => name.startsWith(`${kind},`));
    expect(cases.length).toBeGreaterThan(300);
    expect(cases.filter((one) => sumOf(one) !== one.bytes).map(({ name }) => name)).toEqual([]);
  },
);

test("the partial sums of float32 overflow as PyTorch's", () => {
  const half = Tensor.from([3e38, 3e38, -3e38, -3e38], [4], "float32");
  // PyTorch 2.14: four elements are four sums, which are added in order.
  expect((evaluate("aten.sum.default", [half] as never) as Tensor).toArray()).toEqual([
    Number.POSITIVE_INFINITY,
  ]);
});
