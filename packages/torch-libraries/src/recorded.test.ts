/** @file Every recorded call of PyTorch: numbers, dtypes, shapes, and what is refused. */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { createEvaluator, type KernelTable } from "@sconce/backend-cpu";
import { isSconceError } from "@sconce/errors";
import { FakeTensor, type MetaValue } from "@sconce/ir";
import { defaultOperators, metaOf } from "@sconce/ops";
import { compareTensors } from "@sconce/session";
import { ShapeEnv } from "@sconce/symbolic";
import { type DType, Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { torchLibraries } from "./index.js";

interface RecordedTensor {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly values: readonly (number | boolean | "nan" | "inf" | "-inf" | "-0")[];
}
type Recorded = RecordedTensor | { readonly float: number } | number | boolean;
interface Case {
  readonly note: string;
  readonly target: string;
  readonly args: readonly Recorded[];
  readonly result?: RecordedTensor | readonly RecordedTensor[];
  readonly error?: string;
}

const FILE = new URL("../../testing/fixtures/torch-libraries/cases.json.gz", import.meta.url);
const CASES = JSON.parse(gunzipSync(readFileSync(FILE)).toString()) as readonly Case[];
const operators = defaultOperators().extend(torchLibraries.ops ?? []);
const evaluate = createEvaluator({ operators, kernels: torchLibraries.kernels as KernelTable });

const SPECIAL = { nan: Number.NaN, inf: Infinity, "-inf": -Infinity, "-0": -0 } as const;
const tensor = ({ dtype, shape, values }: RecordedTensor): Tensor =>
  Tensor.from(
    values.map((value) => (typeof value === "string" ? SPECIAL[value] : Number(value))),
    shape,
    dtype,
  );

function argument(value: Recorded): Tensor | number | boolean {
  if (typeof value !== "object") return value;
  return "float" in value ? value.float : tensor(value);
}

/** Matrix products sum in another order; everything else is exact. */
const tolerance = ({ target, args }: Case): { rtol: number; atol: number } => {
  if (!/deform|grouped/.test(target)) return { rtol: 0, atol: 0 };
  const { dtype } = args[0] as RecordedTensor;
  if (dtype === "float64") return { rtol: 1e-12, atol: 1e-12 };
  return dtype === "float32" ? { rtol: 1e-5, atol: 1e-5 } : { rtol: 1e-2, atol: 1e-2 };
};

/** The rule and the kernel name the tensors in other words. */
const OWN_WORDS = /same type as tensor|Could this error message|same dtype|rois should have shape/;

function problemOf(one: Case): string | undefined {
  const args = one.args.map(argument);
  try {
    const got = [evaluate(one.target, args)].flat() as readonly Tensor[];
    if (one.error !== undefined) return `accepted, PyTorch says: ${one.error}`;
    const want = [one.result].flat() as readonly RecordedTensor[];
    const problems = want.map((result, i) => compareTensors(got[i]!, tensor(result), tolerance(one)));
    return problems.find((problem) => problem !== undefined) ?? predictionProblem(one, args, got);
  } catch (error) {
    if (!isSconceError(error)) throw error;
    if (one.error === undefined) return `refused: ${error.describe()}`;
    expect(["INVALID_ARGUMENT", "DTYPE_MISMATCH"]).toContain(error.code);
    return OWN_WORDS.test(one.error) || error.message.includes(one.error)
      ? undefined
      : `refused with "${error.message}", PyTorch says: ${one.error}`;
  }
}

/** The shape rule says what the kernel gives. */
function predictionProblem(
  { target }: Case,
  args: readonly unknown[],
  got: readonly Tensor[],
): string | undefined {
  const fakes = args.map((arg) => (arg instanceof Tensor ? new FakeTensor(arg) : arg));
  const predicted = [metaOf(operators, target, fakes, {}, new ShapeEnv())].flat() as readonly MetaValue[];
  for (const [i, result] of got.entries()) {
    const { dtype, shape } = predicted[i] as FakeTensor;
    if (dtype !== result.dtype || shape.length !== result.ndim) return `the rule gives ${dtype}[${shape}]`;
    if (shape.some((size, dim) => typeof size === "number" && size !== result.shape[dim]))
      return `the rule gives [${shape}], the kernel [${result.shape}]`;
  }
  return undefined;
}

const targets = [...new Set(CASES.map(({ target }) => target))];
describe.each(targets)("%s", (target) => {
  const own = CASES.filter((one) => one.target === target);
  test.each(own.map((one, i) => [i, one.note, one] as const))("%i: %s", (_, __, one) => {
    expect(problemOf(one)).toBeUndefined();
  });
});

test("every operator with a kernel has recorded calls", () => {
  expect(targets.sort()).toEqual(Object.keys(torchLibraries.kernels ?? {}).sort());
});

test("a region of an image that the batch does not have is refused", () => {
  const image = Tensor.empty([1, 1, 4, 4], "float32");
  const rois = Tensor.from([1, 0, 0, 2, 2], [1, 5], "float32");
  expect(() => evaluate("torchvision.roi_align.default", [image, rois, 1, 2, 2, 2, false])).toThrow(
    "a region names image 1 of a batch of 1; got ",
  );
});

/**
 * Torchvision's kernels read outside of their tensors for most regions with NaN or infinity and a
 * fixed sampling ratio, and crash; NaN in the last coordinate alone gives NaN there.
 */
test.each([
  ["torchvision.roi_align.default", [1, 2, 2, 2, true], 8],
  ["torchvision.ps_roi_align.default", [1, 1, 2, 2], 2],
] as const)("%s: regions with NaN and a fixed sampling ratio", (target, more, count) => {
  const image = Tensor.from(
    Array.from({ length: 48 }, (_, i) => i),
    [1, 2, 4, 6],
    "float32",
  );
  const pooled = (region: readonly number[]): number[] => {
    const rois = Tensor.from(region, [1, 5], "float32");
    const [values] = [evaluate(target, [image, rois, ...more])].flat() as readonly Tensor[];
    return [...values!].map(Number);
  };
  expect(pooled([0, 1, 1, 4, Number.NaN])).toEqual(new Array(count).fill(Number.NaN));
  for (const region of [
    [0, Number.NaN, 1, 4, 3],
    [0, 1, 1, Number.POSITIVE_INFINITY, 3],
    [0, ...new Array<number>(4).fill(Number.NaN)],
  ])
    expect(pooled(region)).toHaveLength(count);
});
