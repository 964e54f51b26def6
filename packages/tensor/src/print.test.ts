import { readFileSync } from "node:fs";
import { inspect } from "node:util";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import {
  contiguousStrides,
  type DType,
  dtypeInfo,
  type Element,
  type PrintOptions,
  printTensor,
  requiredBytes,
  Storage,
  Tensor,
} from "./index.js";

type Fill =
  | readonly ["hex", string]
  | readonly ["bits", number]
  | readonly ["affine", number, number, number, number];
interface Case {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly fill: Fill;
  readonly strides?: readonly number[];
  readonly offset?: number;
  readonly requiresGrad?: boolean;
  readonly meta?: boolean;
  readonly options?: PrintOptions;
  readonly text: string;
}
/** What PyTorch prints; see `packages/testing/oracle/printed_tensors.py`. */
const file = new URL("../../testing/fixtures/tensor/printed-tensors.jsonl.gz", import.meta.url);
const cases = gunzipSync(readFileSync(file))
  .toString()
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as Case);

/** The pseudorandom numbers of the script. */
function draws(seed: number, count: number): number[] {
  let state = seed;
  return Array.from({ length: count }, () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0));
}

function storageOf({ dtype, fill }: Case, bytes: number): Storage {
  const { itemSize, lanes } = dtypeInfo(dtype);
  if (fill[0] === "hex") return new Storage(Uint8Array.from(Buffer.from(fill[1], "hex")));
  if (fill[0] === "bits") {
    const mask = dtype === "bool" ? 1 : 255;
    return new Storage(Uint8Array.from(draws(fill[1], bytes), (state) => (state >>> 24) & mask));
  }
  const [, seed, modulus, offset, scale] = fill;
  const count = bytes / itemSize;
  const values = draws(seed, count * lanes).map((state) => (((state >>> 8) % modulus) - offset) * scale);
  const elements = Array.from(
    { length: count },
    (_, i): Element => (lanes === 2 ? { re: values[2 * i]!, im: values[2 * i + 1]! } : values[i]!),
  );
  return Tensor.from(elements, [count], dtype).storage;
}

function tensorOf(one: Case): Tensor {
  const { dtype, shape, strides = contiguousStrides(shape), offset = 0, requiresGrad, meta } = one;
  const init = { dtype, shape, strides, storageOffset: offset, requiresGrad };
  if (meta) return Tensor.withoutValues(init);
  const bytes = requiredBytes(shape, strides, offset, dtypeInfo(dtype).itemSize);
  return new Tensor({ ...init, storage: storageOf(one, bytes) });
}

describe("a printed tensor is what PyTorch prints", () => {
  const byDType = new Map<DType, Case[]>();
  for (const one of cases) byDType.set(one.dtype, [...(byDType.get(one.dtype) ?? []), one]);
  test("of all dtypes", () => {
    expect(cases.length).toBeGreaterThan(590);
    expect(byDType.size).toBe(21);
  });
  test.each([...byDType])("%s", (_, some) => {
    for (const { text, ...one } of some) {
      const printed = printTensor(tensorOf({ ...one, text }), one.options);
      expect(`${JSON.stringify(one)}\n${printed}`).toBe(`${JSON.stringify(one)}\n${text}`);
    }
  });
});

describe("the text of a tensor", () => {
  const matrix = Tensor.from([1, 2.5, -3, Number.NaN], [2, 2], "float32");
  const text = "tensor([[ 1.0000,  2.5000],\n        [-3.0000,     nan]])";

  test("is what String, templates and console.log give", () => {
    expect(String(matrix)).toBe(text);
    expect(`${matrix}`).toBe(text);
    expect(inspect(matrix)).toBe(text);
    expect(inspect({ logits: [matrix] })).toBe(
      "{\n  logits: [\n    tensor([[ 1.0000,  2.5000],\n            [-3.0000,     nan]])\n  ]\n}",
    );
  });

  test("of a large tensor reads only what prints", () => {
    const huge = Tensor.from([1], [], "float32").asStrided([2 ** 30, 2 ** 20], [0, 0]);
    expect(String(huge).split("\n")).toHaveLength(7);
  });

  test.each<[PrintOptions, string]>([
    [{ precision: -1 }, "invalid option precision: -1"],
    [{ precision: 101 }, "invalid option precision: 101"],
    [{ edgeItems: 1.5 }, "invalid option edgeItems: 1.5"],
    [{ sciMode: 1 as never }, "invalid option sciMode: 1"],
  ])("options are checked: %j", (options, message) => {
    expect(() => printTensor(matrix, options)).toThrow(
      expect.objectContaining({ code: "TENSOR_OPTION", message, fix: expect.stringMatching(/^give /) }),
    );
  });

  test("of more elements or dimensions than can be read shows the size", () => {
    const storage = Tensor.empty([1], "int64").storage;
    const shape = Array.from({ length: 30 }, () => 7);
    const strides = Array.from({ length: 30 }, () => 0);
    const expanded = new Tensor({ dtype: "int64", shape, strides, storage });
    expect(String(expanded)).toMatch(/^tensor\(\.\.\.,\s+size=\(7, 7, [7, ]+\),\s+dtype=torch.int64\)$/);
    const deep = Tensor.from(
      [1],
      Array.from({ length: 20_000 }, () => 1),
      "int64",
    );
    expect(String(deep)).toContain("tensor(...,");
  });

  test("unknown options are refused", () => {
    expect(() => printTensor(matrix, { edgeitems: 3 } as never)).toThrow(
      'printTensor has no option "edgeitems"',
    );
  });
});
