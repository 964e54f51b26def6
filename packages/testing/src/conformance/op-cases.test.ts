import { SconceError } from "@sconce/errors";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { OpCaseFile } from "./op-cases.js";
import { checkOpFile, type OperatorCall } from "./ops.js";

/** A case file of float32 values by name. */
function caseFile(values: Readonly<Record<string, readonly number[]>>, cases: readonly object[]): OpCaseFile {
  const header: Record<string, unknown> = {
    __metadata__: {
      overload: "twice.default",
      schema: "aten::twice(Tensor self) -> Tensor",
      group: "core",
      cases: JSON.stringify(cases),
    },
  };
  const data: number[] = [];
  for (const [name, numbers] of Object.entries(values)) {
    header[name] = {
      dtype: "F32",
      shape: [numbers.length],
      data_offsets: [4 * data.length, 4 * (data.length + numbers.length)],
    };
    data.push(...numbers);
  }
  const text = JSON.stringify(header);
  const bytes = new Uint8Array(8 + text.length + 4 * data.length);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(text.length), true);
  bytes.set(new TextEncoder().encode(text), 8);
  bytes.set(new Uint8Array(Float32Array.from(data).buffer), 8 + text.length);
  return new OpCaseFile(bytes);
}

const base = {
  id: "twice-1",
  overload: "twice.default",
  source: "hand",
  level: "dispatch",
  dtypes: [],
  tags: [],
  kwargs: {},
};
const input = { tensor: "t0", dtype: "float32", shape: [2], strides: [2], storage_offset: 1 };
const close = {
  ...base,
  args: [input],
  compare: "close",
  rtol: 1e-3,
  atol: 0,
  outputs: [{ tensor: "t1", dtype: "float32", shape: [2] }],
};
const values = { t0: [1, 3], t1: [2, 6] };

const twice: OperatorCall = (_target, [self]) => {
  const { data, storageOffset, strides } = self as Tensor;
  const out = Tensor.empty([2], "float32");
  for (let i = 0; i < 2; i++) {
    (out.data as Float32Array)[i] = 2 * (data as Float32Array)[storageOffset + i * strides[0]!]!;
  }
  return out;
};
const problemOf = (one: object, call: OperatorCall): string | undefined =>
  checkOpFile(caseFile(values, [one]), call)[0]!.problem;

describe("operator cases", () => {
  test("tensors are laid out as PyTorch had them", () => {
    const file = caseFile(values, [close]);
    const tensor = file.build(file.cases[0]!.args[0]!) as Tensor;
    expect([...(tensor.data as Float32Array)]).toEqual([0, 1, 0, 3]);
    expect(file.target).toBe("aten.twice.default");
  });

  test("a right result passes, a wrong one is reported with its position", () => {
    expect(problemOf(close, twice)).toBeUndefined();
    expect(problemOf(close, () => Tensor.empty([2], "float32"))).toBe("element 1 is 0, wanted 6");
    expect(problemOf(close, () => Tensor.empty([3], "float32"))).toBe("shape [3], wanted [2]");
    expect(problemOf(close, (_, [self]) => self)).toBe("aliases args.0");
  });

  test("writes to arguments are found", () => {
    const writing: OperatorCall = (target, args, kwargs) => {
      const result = twice(target, args, kwargs);
      ((args[0] as Tensor).data as Float32Array)[1] = 9;
      return result;
    };
    expect(problemOf(close, writing)).toBe("writes to args.0");
    const mutated = { "args.0": { ...input, tensor: "t1" } };
    expect(problemOf({ ...close, mutated }, twice)).toBe("mutated args.0: element 1 is 3, wanted 6");
  });

  test("a refusal has to be one of ours, for the operator's reasons", () => {
    const refused = {
      ...base,
      args: [input],
      compare: "error",
      error: { type: "RuntimeError", message: "no" },
    };
    const refuse =
      (code: string): OperatorCall =>
      () => {
        throw new SconceError({ code, message: "no" });
      };
    expect(problemOf(refused, refuse("SHAPE_MISMATCH"))).toBeUndefined();
    expect(problemOf(refused, refuse("NO_KERNEL"))).toBe("refused for the wrong reason: NO_KERNEL");
    expect(problemOf(refused, twice)).toBe("should be refused: no");
  });
});
