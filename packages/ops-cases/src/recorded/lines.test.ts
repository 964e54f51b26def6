import { DTYPES, type DType, dtypeInfo } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { buildTensor } from "./build.js";
import type { CaseTensor, OpCase } from "./case.js";
import { readLines } from "./lines.js";
import { bytesOf, numbersText } from "./numbers.js";
import { writeLines } from "./write-lines.js";

const base: OpCase = {
  target: "aten.neg.default",
  id: "1",
  source: "hand",
  tags: [],
  args: [],
  kwargs: {},
  compare: "equal",
};
const readBack = (...cases: readonly OpCase[]): readonly OpCase[] =>
  readLines(
    writeLines(cases, (text) => `h${text.length}`),
    "test.jsonl",
  );
const bytesBack = (dtype: DType, bytes: Uint8Array): Uint8Array =>
  bytesOf(dtype, JSON.parse(numbersText(dtype, bytes)));

describe("elements", () => {
  test.each(DTYPES)("%s: every pattern of bits reads back", (dtype) => {
    const { itemSize } = dtypeInfo(dtype);
    // All patterns of up to two bytes; of others many, with all exponents, signs and kinds of NaN.
    const bytes = new Uint8Array(itemSize === 2 ? 131_072 : 16_384);
    let state = 1;
    for (let i = 0; i < bytes.length; i++) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
      bytes[i] =
        dtype === "bool"
          ? i & 1
          : itemSize <= 2
            ? itemSize === 1
              ? i
              : i & 1
                ? i >>> 9
                : i >>> 1
            : state >>> 24;
    }
    expect(Buffer.compare(bytesBack(dtype, bytes), bytes)).toBe(0);
  });

  test("numbers are the shortest decimals, and text represents the rest", () => {
    const floats = Float32Array.of(0.1, -0, 16_777_216, Infinity, -Infinity, Number.NaN);
    expect(numbersText("float32", new Uint8Array(floats.buffer))).toBe(
      '[0.1,-0,16777216,"inf","-inf","nan"]',
    );
    const patterns = Uint32Array.of(0xffc0_0000, 0xffff_ffff, 1);
    expect(numbersText("float32", new Uint8Array(patterns.buffer))).toBe('["-nan","0xffffffff",1e-45]');
    const integers = BigInt64Array.of(1n, 2n ** 53n, -(2n ** 63n));
    expect(numbersText("int64", new Uint8Array(integers.buffer))).toBe(
      '[1,"9007199254740992","-9223372036854775808"]',
    );
    expect(() => bytesOf("float32", ["one"])).toThrow('"one" is not an element of dtype float32');
  });
});

describe("lines", () => {
  const floats = (...values: readonly number[]): (() => Uint8Array) => {
    const bytes = new Uint8Array(Float32Array.from(values).buffer);
    return () => bytes;
  };
  const plain = { dtype: "float32", shape: [2] } as const;

  test("all kinds of values, and what may be left out", () => {
    const one: OpCase = {
      ...base,
      source: "edges",
      tags: ["empty"],
      args: [
        { int: -3 },
        { int: 2n ** 63n - 1n },
        { float: -0 },
        { float: Number.NaN },
        { float: -Infinity },
        { bool: true },
        { str: "mean" },
        { none: true },
        { list: [{ int: 1 }, { list: [] }] },
        { dtype: "bfloat16" },
        { memory_format: "channels_last" },
        { layout: "strided" },
        { device: "cpu" },
      ],
      kwargs: { dim: { int: 0 } },
      outputs: [{ unspecified: true }],
      compare: "meta",
    };
    expect(readBack(one)).toEqual([one]);
    const refused: OpCase = { ...base, compare: "error", error: "RuntimeError: no\nand more" };
    expect(readBack(refused, base)).toEqual([refused, base]);
  });

  test("tensors lie in memory as PyTorch had them", () => {
    const strided: CaseTensor = { ...plain, strides: [2], storageOffset: 1, tensor: floats(1, 3) };
    const whole: CaseTensor = { ...strided, tensor: floats(9), storage: floats(5, 6, 7, 8) };
    const unknown: CaseTensor = { ...plain, tensor: null, alias: "args.0" };
    const [read] = readBack({ ...base, args: [strided, whole, unknown] });
    const [a, b, c] = read!.args as CaseTensor[];
    expect([...(buildTensor(a!).data as Float32Array)]).toEqual([0, 1, 0, 3]);
    expect([...(buildTensor(b!).data as Float32Array)]).toEqual([5, 6, 7, 8]);
    expect([b!.strides, b!.storageOffset]).toEqual([[2], 1]);
    expect(c).toEqual(unknown);
  });

  test("long lists that repeat are written once", () => {
    const values = floats(...Array.from({ length: 20 }, (_, i) => i));
    const tensor: CaseTensor = { dtype: "float32", shape: [20], tensor: values };
    const text = writeLines([{ ...base, args: [tensor], outputs: [tensor] }], () => "abc");
    expect(text.split("\n")[0]).toMatch(/^\{"values":"abc","list":\[0,1,2,/);
    expect(text.split("\n")[1]).toBe(
      '{"op":"aten.neg.default","id":"1","args":[{"f32[20]":"abc"}],"out":[{"f32[20]":"abc"}]}',
    );
    const [read] = readLines(text, "test.jsonl");
    expect(buildTensor(read!.outputs![0] as CaseTensor).toArray()).toHaveLength(20);
  });

  test("a line that is not a call is refused with its number", () => {
    expect(() => readLines('\n{"op":', "test.jsonl")).toThrow("line 2 is not a recorded call");
    const wrong = '{"op":"a","id":"1","args":[{"g32[2]":[1,2]}]}';
    expect(() => readLines(wrong, "test.jsonl")).toThrow('"g32[2]" is not the type of a tensor');
  });
});
