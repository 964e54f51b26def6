/** @file Which dtypes outputs may have, against PyTorch (oracle: output_dtypes.py). */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { evaluate } from "@sconce/backend-cpu";
import { FakeTensor } from "@sconce/ir";
import { defaultOperators } from "@sconce/ops";
import { type DType, Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { refuseOutputDType } from "./output-dtypes.js";
import { OUTPUT_RULES } from "./output-rules.js";

/** Dtypes of outputs by their letter's place: `.` is taken, `x` refused. */
const OUTPUTS = [
  ...(["float64", "float32", "float16", "bfloat16", "int8", "int16", "int32", "int64", "uint8"] as const),
  ...(["uint16", "uint32", "uint64", "bool", "complex32", "complex64", "complex128"] as const),
];
type Letters = readonly (readonly [output: number, result: DType, letters: string])[];

const FIXTURE = new URL("../../../testing/fixtures/ops/output-verdicts.json.gz", import.meta.url);
const VERDICTS = JSON.parse(gunzipSync(readFileSync(FIXTURE)).toString()) as Readonly<
  Record<string, Letters>
>;
const operators = defaultOperators();
const fakeOf = (dtype: DType): FakeTensor =>
  new FakeTensor({ dtype, shape: [2], strides: [1], storageOffset: 0, device: "cpu" } as never);

/** Their kernels refuse some dtypes of results, too: those of the computation. */
const DIFFERENT: ReadonlySet<string> = new Set([
  "aten.adaptive_avg_pool2d.out",
  "aten.conj_physical.out",
  "aten.cumsum.out",
  "aten.soft_margin_loss_backward.grad_input",
]);

describe("dtypes of outputs that PyTorch refuses", () => {
  test("of many overloads", () => expect(Object.keys(VERDICTS).length).toBeGreaterThan(600));

  test.each(Object.entries(VERDICTS).filter(([target]) => !DIFFERENT.has(target)))("%s", (target, lines) => {
    const functional = operators.require(operators.require(target).functional!);
    for (const [, result, letters] of lines) {
      const found = OUTPUTS.map((output) => {
        try {
          refuseOutputDType(target, functional, fakeOf(result), fakeOf(output), undefined);
          return ".";
        } catch {
          return "x";
        }
      });
      expect(`${result} ${found.join("")}`).toBe(`${result} ${letters}`);
    }
  });

  test("the table names overloads that exist", () => {
    const named = OUTPUT_RULES.flatMap((line) => line.replace(/^\w+ ".*": /, "").split(" "));
    for (const name of named) expect(operators.get(`aten.${name}`)?.target).toBe(`aten.${name}`);
  });
});

const pairOf = (dtype: DType): Tensor => Tensor.from([1, 1], [2], dtype);

test.each([
  ["ceil.out", ["float32"], "float16", "Found dtype Half but expected Float"],
  ["isinf.out", ["float32"], "float64", "Expected out tensor to have dtype bool, but got double instead"],
  ["mean.dtype_out", ["float32"], "float64", undefined],
  ["sum.out", ["float32"], "int16", "Expected out tensor to have dtype float, but got short int instead"],
  ["mean.dtype_out", ["int32"], "float32", "could not infer output dtype"],
  [
    "special_expit.out",
    ["float32"],
    "int64",
    "result type Float can't be cast to the desired output type Long",
  ],
  ["special_expit.out", ["float32"], "float64", undefined],
  ["clone.out", ["float32"], "float64", "Expected out tensor to have dtype float, but got double instead"],
  ["nan_to_num.out", ["int64"], "float32", "nan_to_num: dtype of out: Float should be same as input: Long"],
  ["abs.out", ["complex64"], "float32", undefined],
  ["arctan.out", ["int32"], "float32", undefined],
  ["eq.Tensor_out", ["float32", "float32"], "float16", undefined],
  [
    "mul.Scalar_out",
    ["float16", 2],
    "bfloat16",
    "Expected out tensor to have dtype c10::Half, but got c10::BFloat16",
  ],
] as const)("%s of %s into %s", (target, inputs, output, message) => {
  const args = inputs.map((one) => (typeof one === "number" ? one : pairOf(one)));
  const shape = /^(sum|mean)/.test(target) ? [] : [2];
  const run = (): unknown =>
    evaluate(`aten.${target}`, args as never, { out: Tensor.empty(shape, output) } as never);
  if (message === undefined) expect(run).not.toThrow();
  else
    expect(run).toThrow(
      expect.objectContaining({ code: "DTYPE_MISMATCH", message: expect.stringContaining(message) }),
    );
});

test("sums are made in the dtype of the output", () => {
  const out = Tensor.empty([], "float64");
  const result = evaluate(
    "aten.sum.IntList_out",
    [pairOf("float32"), null] as never,
    { out } as never,
  ) as Tensor;
  expect([result.dtype, result.toArray()]).toEqual(["float64", [2]]);
});
