/** @file Which dtypes are refused, against PyTorch (oracle: dtype_grid.py, dtype_refusals.py). */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { createEvaluator } from "@sconce/backend-cpu";
import { isSconceError } from "@sconce/errors";
import { bindArgs, defaultOperators, refuseDTypes } from "@sconce/ops";
import { type BuiltValue, buildCall, type OpCase } from "@sconce/ops-cases";
import { readAllCases } from "@sconce/ops-cases/node";
import { castTensor, type DType, Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { DTYPE_BITS, readClauses } from "./read-clauses.js";
import { refusedDTypes } from "./refused-dtypes.js";

/**
 * A recorded call, the tensors whose dtype is replaced, a letter for each dtype, and its tensors.
 */
type Verdicts = readonly [
  id: string,
  changed: readonly string[],
  letters: string,
  tensors: readonly (readonly [path: string, dtype: string, shape: readonly number[]])[],
];

const FIXTURE = new URL("../../../testing/fixtures/ops/dtype-verdicts.json.gz", import.meta.url);
const VERDICTS = JSON.parse(gunzipSync(readFileSync(FIXTURE)).toString()) as Readonly<
  Record<string, Verdicts>
>;
const operators = defaultOperators();
const evaluate = createEvaluator({ operators });
const calls = new Map<string, OpCase[]>();
for (const one of readAllCases()) {
  const key = `${one.target} ${one.id}`;
  calls.set(key, [...(calls.get(key) ?? []), one]);
}

/** Values in another dtype; any values where the dtypes do not convert. */
function converted(tensor: Tensor, dtype: DType): Tensor {
  try {
    return castTensor(tensor, dtype);
  } catch {
    return Tensor.empty(tensor.shape, dtype);
  }
}

function mapped(
  value: BuiltValue,
  change: (path: string, tensor: Tensor) => Tensor,
  path: string,
): BuiltValue {
  if (value instanceof Tensor) return change(path, value);
  if (!Array.isArray(value)) return value;
  return (value as readonly BuiltValue[]).map((item, i) => mapped(item, change, `${path}/${i}`));
}

/** The recorded call of a verdict with another dtype. */
function callWith(target: string, [id, changed, , tensors]: Verdicts, dtype: DType) {
  const shapes = tensors.map(([, , shape]) => shape.join()).join(";");
  for (const one of calls.get(`${target} ${id}`) ?? []) {
    const { args, kwargs } = buildCall(one);
    const found: string[] = [];
    const change = (path: string, tensor: Tensor): Tensor => {
      found.push(tensor.shape.join());
      return changed.includes(path) ? converted(tensor, dtype) : tensor;
    };
    const made = {
      args: args.map((arg, i) => mapped(arg, change, `0/${i}`)),
      kwargs: Object.fromEntries(
        Object.entries(kwargs).map(([key, value]) => [key, mapped(value, change, `1/${key}`)]),
      ),
    };
    if (found.join(";") === shapes) return made;
  }
  return undefined;
}

const refusal = (run: () => unknown): string | undefined => {
  try {
    run();
    return undefined;
  } catch (error) {
    if (isSconceError(error)) return error.message;
    throw error;
  }
};

describe("dtypes that PyTorch refuses", () => {
  test.each(Object.entries(VERDICTS))("%s", (target, verdicts) => {
    const { schema } = operators.require(target);
    const row = operators.require(target);
    const wrong: string[] = [];
    DTYPE_BITS.forEach((dtype, i) => {
      const verdict = verdicts[2][i]!;
      const made = callWith(target, verdicts, dtype);
      if (made === undefined || verdict === "v") return;
      const judged = refusal(() => refuseDTypes(row, bindArgs(schema, made.args, made.kwargs)));
      if (verdict === ".") {
        if (judged !== undefined) wrong.push(`${dtype}: PyTorch takes it; ${judged}`);
      } else {
        const run = judged ?? refusal(() => evaluate(target, made.args as never, made.kwargs as never));
        if (run === undefined) wrong.push(`${dtype}: PyTorch refuses it`);
      }
    });
    expect(wrong).toEqual([]);
  });
});

test("the table names operators that exist, and dtypes", () => {
  const clauses = readClauses();
  expect(clauses.size).toBeGreaterThan(500);
  for (const target of clauses.keys()) expect(operators.get(target)?.target).toBe(target);
});

// From PyTorch.
test.each([
  ["float16", "float16", "float32", undefined],
  ["bfloat16", "bfloat16", "float32", undefined],
  ["float64", "float64", "float64", undefined],
  ["float16", "float16", "float16", "expected scalar type Float but found Half"],
  ["bfloat16", "bfloat16", "float64", "expected scalar type Float but found Double"],
  ["float64", "float64", "float32", "expected scalar type Double but found Float"],
  ["float16", "float32", "float32", "expected scalar type Half but found Float"],
] as const)("gradient of attention of %s by %s, logarithms of %s", (dtype, grad, logs, message) => {
  const target = "aten._scaled_dot_product_flash_attention_for_cpu_backward.default";
  const [tensor, slope, sums] = [
    Tensor.empty([1, 2, 3, 4], dtype),
    Tensor.empty([1, 2, 3, 4], grad),
    Tensor.empty([1, 2, 3], logs),
  ];
  const args = [slope, tensor, tensor, tensor, tensor, sums, 0, false];
  expect(refusedDTypes(target, bindArgs(operators.require(target).schema, args, {}))).toBe(message);
});
