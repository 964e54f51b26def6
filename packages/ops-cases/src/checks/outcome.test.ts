import { SconceError } from "@sconce/errors";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { buildTensor } from "../recorded/build.js";
import type { CaseTensor, OpCase } from "../recorded/case.js";
import { checkOpCase, type OperatorCall } from "./outcome.js";

const floats = (...values: readonly number[]): Pick<CaseTensor, "tensor" | "dtype" | "shape"> => ({
  tensor: () => new Uint8Array(Float32Array.from(values).buffer),
  dtype: "float32",
  shape: [values.length],
});
const base = {
  target: "aten.twice.default",
  id: "twice-1",
  source: "hand",
  tags: [],
  kwargs: {},
} as const;
const input: CaseTensor = { ...floats(1, 3), strides: [2], storageOffset: 1 };
const close: OpCase = {
  ...base,
  args: [input],
  compare: "close",
  rtol: 1e-3,
  atol: 0,
  outputs: [floats(2, 6)],
};

const twice: OperatorCall = (_target, [self]) => {
  const { data, storageOffset, strides } = self as Tensor;
  const out = Tensor.empty([2], "float32");
  for (let i = 0; i < 2; i++) {
    (out.data as Float32Array)[i] = 2 * (data as Float32Array)[storageOffset + i * strides[0]!]!;
  }
  return out;
};

describe("operator cases", () => {
  test("tensors are laid out as PyTorch had them", () => {
    expect([...(buildTensor(input).data as Float32Array)]).toEqual([0, 1, 0, 3]);
  });

  test("a right result passes, a wrong one is reported with its position", () => {
    expect(checkOpCase(close, twice)).toBeUndefined();
    expect(checkOpCase(close, () => Tensor.empty([2], "float32"))).toBe("element 1 is 0, wanted 6");
    expect(checkOpCase(close, () => Tensor.empty([3], "float32"))).toBe("shape [3], wanted [2]");
    expect(checkOpCase(close, (_, [self]) => self)).toBe("aliases args.0");
  });

  test("writes to arguments are found", () => {
    const writing: OperatorCall = (target, args, kwargs) => {
      const result = twice(target, args, kwargs);
      ((args[0] as Tensor).data as Float32Array)[1] = 9;
      return result;
    };
    expect(checkOpCase(close, writing)).toBe("writes to args.0");
    const mutated = { "args.0": { ...input, tensor: floats(2, 6).tensor } };
    expect(checkOpCase({ ...close, mutated }, twice)).toBe("mutated args.0: element 1 is 3, wanted 6");
  });

  test("a refusal has to be one of ours, for the operator's reasons", () => {
    const refused: OpCase = { ...base, args: [input], compare: "error", error: "RuntimeError: no" };
    const refuse =
      (code: string): OperatorCall =>
      () => {
        throw new SconceError({ code, message: "no", fix: "do" });
      };
    expect(checkOpCase(refused, refuse("SHAPE_MISMATCH"))).toBeUndefined();
    expect(checkOpCase(refused, refuse("NO_KERNEL"))).toBe("rejected for the wrong reason: NO_KERNEL");
    expect(checkOpCase(refused, twice)).toBe("should be rejected: RuntimeError: no");
  });
});
