/** @file Sums, products, norms and variances of floats beside PyTorch's, bit by bit. */
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
  readonly op: keyof typeof CALLS;
  readonly dtype: "float32" | "float64";
  readonly bytes: string;
}

/** As `oracle/sum_orders.py` records them on a processor with fused multiplication and addition. */
const file = new URL("../../../testing/fixtures/tensor/sum-orders.json.gz", import.meta.url);
const CASES = JSON.parse(gunzipSync(readFileSync(file)).toString()) as readonly Case[];
type Dims = readonly number[];
const CALLS = {
  sum: (x: Tensor, dims: Dims) => run("aten.sum.dim_IntList", x, dims),
  mean: (x: Tensor, dims: Dims) => run("aten.mean.dim", x, dims),
  nansum: (x: Tensor, dims: Dims) => run("aten.nansum.default", x, dims),
  prod: (x: Tensor, dims: Dims) =>
    dims.length === 1 ? run("aten.prod.dim_int", x, dims[0]) : run("aten.prod.default", x),
  "norm 1": (x: Tensor, dims: Dims) => run("aten.linalg_vector_norm.default", x, 1, dims),
  "norm 2": (x: Tensor, dims: Dims) => run("aten.linalg_vector_norm.default", x, 2, dims),
  var: (x: Tensor, dims: Dims) => run("aten.var.correction", x, dims),
  var_mean: (x: Tensor, dims: Dims) => run("aten.var_mean.correction", x, dims),
};
const run = (target: string, ...args: unknown[]): Tensor[] =>
  [evaluate(target, args as never) as Tensor | Tensor[]].flat();

/** The element at a position, as the script makes it. */
function element(i: number): number {
  const start = (Math.imul(i, 2_654_435_761) + 40_503) >>> 0;
  return (Math.imul(start ^ (start >>> 15), 2_246_822_519) >>> 0) / 2 ** 31 - 1;
}

function bytesOf({ shape, strides, dims, op, dtype }: Case): string {
  const length = shape.reduce((last, size, d) => last + (size - 1) * strides[d]!, 1);
  const isHole = (i: number): boolean => op === "nansum" && i % 7 === 2;
  const made = (i: number): number => (op === "prod" ? 1 + element(i) / 8 : element(i));
  const flat = Array.from({ length }, (_, i) => (isHole(i) ? Number.NaN : made(i)));
  const x = Tensor.from(flat, [length], dtype).asStrided(shape, strides);
  const parts = CALLS[op](x, dims).map((result) => {
    const { buffer, byteOffset, byteLength } = result.contiguous().data;
    return Buffer.from(buffer, byteOffset, byteLength);
  });
  return Buffer.concat(parts).toString("base64");
}

test.each([...new Set(CASES.map(({ op, dtype }) => `${op} of ${dtype}`))])(
  "%s has PyTorch's bits for all layouts and lengths",
  (kind) => {
    const cases = CASES.filter(({ name }) => name.startsWith(`${kind},`));
    expect(cases.length).toBeGreaterThan(150);
    expect(cases.filter((one) => bytesOf(one) !== one.bytes).map(({ name }) => name)).toEqual([]);
  },
);

test("the partial sums of float32 overflow as PyTorch's", () => {
  const half = Tensor.from([3e38, 3e38, -3e38, -3e38], [4], "float32");
  // PyTorch 2.14: four elements are four sums, which are added in order.
  expect((evaluate("aten.sum.default", [half] as never) as Tensor).toArray()).toEqual([
    Number.POSITIVE_INFINITY,
  ]);
});
