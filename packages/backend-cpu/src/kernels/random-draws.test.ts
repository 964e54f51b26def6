/**
 * @file Random operators give the numbers that PyTorch gave after `torch.manual_seed`; see
 * `oracle/random_draws.py`.
 */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { dtypeLiteral, float } from "@sconce/ir";
import { contiguousStrides, type DType, type Element, Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { createEvaluator, createRandomSource } from "../index.js";

type Recorded = number | string | boolean;
interface RecordedTensor {
  readonly tensor: DType;
  readonly shape: readonly number[];
  readonly strides?: readonly number[];
  readonly values: readonly Recorded[];
}
type RecordedValue =
  | RecordedTensor
  | { readonly list: readonly RecordedValue[] }
  | { readonly dtype: DType }
  | { readonly none: true }
  | { readonly bool: boolean }
  | { readonly int: number | string }
  | { readonly float: number | string };
interface RecordedCall {
  readonly target: string;
  readonly args: readonly RecordedValue[];
  readonly kwargs: Readonly<Record<string, RecordedValue>>;
  readonly results?: readonly RecordedTensor[];
  readonly after?: readonly [number, number];
  readonly error?: string;
}

const { seed, cases } = JSON.parse(
  gunzipSync(
    readFileSync(new URL("../../../testing/fixtures/random/draws.json.gz", import.meta.url)),
  ).toString(),
) as { seed: number; cases: RecordedCall[] };

const floatOf = (value: Recorded): number =>
  typeof value === "string" ? Number(value.replace("inf", "Infinity")) : Number(value);

/** Real and imaginary parts, or the values themselves. */
function elementsOf(dtype: DType, values: readonly Recorded[]): Element[] {
  if (dtype === "int64" || dtype === "uint64") return values.map((value) => BigInt(value));
  return values.map((value) => (dtype === "bool" ? Boolean(value) : floatOf(value))) as Element[];
}

/** The tensor on the strides that it had in PyTorch. */
function tensorOf({
  tensor: dtype,
  shape,
  strides = contiguousStrides(shape),
  values,
}: RecordedTensor): Tensor {
  const last = shape.includes(0) ? 0 : 1 + shape.reduce((sum, size, d) => sum + (size - 1) * strides[d]!, 0);
  const out = Tensor.empty([last], dtype).asStrided(shape, strides);
  if (dtype.startsWith("complex") || values.length === 0) return out;
  const dense = Tensor.from(elementsOf(dtype, values), shape, dtype);
  createEvaluator()("aten.copy_.default", [out, dense]);
  return out;
}

function argumentOf(value: RecordedValue): unknown {
  if ("tensor" in value) return tensorOf(value);
  if ("list" in value) return value.list.map(argumentOf);
  if ("dtype" in value) return dtypeLiteral(value.dtype);
  if ("int" in value) return typeof value.int === "string" ? BigInt(value.int) : value.int;
  if ("float" in value) return float(floatOf(value.float));
  return "bool" in value ? value.bool : null;
}

/**
 * A last bit may differ: PyTorch's vectorized logarithms and cosines round otherwise than the
 * scalar ones.
 */
const TOLERANCE: Partial<Record<DType, number>> = {
  float64: 1e-13,
  complex128: 1e-13,
  float32: 3e-6,
  complex64: 3e-6,
  float16: 2e-3,
  bfloat16: 1.6e-2,
};

function differenceOf(got: Tensor, want: RecordedTensor): string | undefined {
  if (got.dtype !== want.tensor || String(got.shape) !== String(want.shape))
    return `${got.dtype}[${got.shape}] for ${want.tensor}[${want.shape}]`;
  const flat: unknown[] = got.toArray().flatMap((x) => (typeof x === "object" ? [x.re, x.im] : x));
  const wanted = elementsOf(want.tensor, want.values);
  const tolerance = TOLERANCE[want.tensor] ?? 0;
  const at = flat.findIndex((value, i) => {
    if (value === wanted[i]) return false;
    const [a, b] = [Number(value), Number(wanted[i])];
    return tolerance === 0 || !(Math.abs(a - b) <= tolerance * Math.max(1, Math.abs(b)));
  });
  return at < 0 ? undefined : `[${at}] is ${flat[at]} for ${wanted[at]}`;
}

function problemOf(call: RecordedCall): string | undefined {
  const evaluate = createEvaluator({ random: createRandomSource(seed) });
  const args = call.args.map(argumentOf);
  const kwargs = Object.fromEntries(
    Object.entries(call.kwargs).map(([name, value]) => [name, argumentOf(value)]),
  );
  let results: Tensor[];
  try {
    results = [evaluate(call.target, args as never, kwargs as never)].flat() as Tensor[];
  } catch (error) {
    if (call.error === undefined) return String(error);
    return String(error).includes(call.error) ? undefined : `${error} for ${call.error}`;
  }
  if (call.error !== undefined) return `no refusal: ${call.error}`;
  const different = call.results!.map((want, i) => differenceOf(results[i]!, want)).find(Boolean);
  if (different !== undefined) return different;
  const options = { dtype: dtypeLiteral("float64") };
  const after = ["aten.randn.default", "aten.rand.default"].map(
    (target) => (evaluate(target, [[1]], options) as Tensor).toArray()[0] as number,
  );
  return after.every((value, i) => Math.abs(value - call.after![i]!) < 1e-12)
    ? undefined
    : `afterwards the generator gives ${after}, not ${call.after}`;
}

const nameOf = ({ args, kwargs }: RecordedCall): string =>
  JSON.stringify([...args, kwargs], (key, value) => (key === "values" ? undefined : value));

describe("random operators draw what PyTorch draws", () => {
  test.each([...new Set(cases.map(({ target }) => target))])("%s", (target) => {
    const problems = cases
      .filter((call) => call.target === target)
      .flatMap((call) => problemOf(call)?.concat(" in ", nameOf(call)) ?? []);
    expect(problems).toEqual([]);
  });
});
