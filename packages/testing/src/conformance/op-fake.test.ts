import { FakeTensor } from "@sconce/ir";
import { mul, symbol } from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { knownDifference } from "./op-differences.js";
import { compareOutlook, type OutlookOptions } from "./op-fake.js";

const RUN: OutlookOptions = { source: "the run gives", strides: "all" };
const RECORDED: OutlookOptions = { source: "PyTorch gives", strides: "where elements are" };
const real = Tensor.from([1, 2, 3, 4, 5, 6], [2, 3], "float32");
const u0 = symbol("u0", { integer: true, unbacked: true });

const foretold = (change: Partial<ConstructorParameters<typeof FakeTensor>[0]>): FakeTensor =>
  new FakeTensor({ dtype: "float32", shape: [2, 3], strides: [3, 1], ...change });

test("dtype, sizes and strides have to agree", () => {
  expect(compareOutlook(foretold({}), real, RUN)).toBeUndefined();
  expect(compareOutlook(foretold({ dtype: "int64" }), real, RUN)).toBe(
    "foretells int64, the run gives float32",
  );
  expect(compareOutlook(foretold({ shape: [3, 2] }), real, RUN)).toMatch(/^foretells sizes \[3,2\]/);
  expect(compareOutlook(foretold({ strides: [1, 2] }), real, RUN)).toMatch(/^foretells strides \[1,2\]/);
  expect(compareOutlook([foretold({})], [real, real], RUN)).toBe("foretells 1 results, not 2");
});

test("PyTorch's strides count where there is more than one element, those of the run always", () => {
  const row = Tensor.from([1, 2], [1, 2], "float32");
  const outlook = foretold({ shape: [1, 2], strides: [9, 1] });
  expect(compareOutlook(outlook, row, RECORDED)).toBeUndefined();
  expect(compareOutlook(outlook, row, RUN)).toBe(
    "foretells strides [9,1], the run gives [2,1] (sizes [1,2])",
  );
});

test("a size that only the data tell may be any, but everywhere the same", () => {
  const open = foretold({ shape: [u0, 3] });
  expect(compareOutlook(open, real, RUN)).toBeUndefined();
  expect(compareOutlook(foretold({ shape: [mul(u0, 2), 3] }), real, RUN)).toBeUndefined();
  expect(compareOutlook(foretold({ shape: [mul(u0, 4), 3] }), real, RUN)).toMatch(/^foretells sizes/);
  const longer = Tensor.from(new Array(9).fill(0), [3, 3], "float32");
  expect(compareOutlook([open, open], [real, longer], RUN)).toMatch(/^1: foretells sizes \[2,3\]/);
});

test("differences within PyTorch are bounded, not skipped", () => {
  const { compare } = knownDifference("aten.upsample_bilinear2d.vec")!;
  const bytes = (...values: number[]): Tensor => Tensor.from(values, [values.length], "uint8");
  expect(compare!(bytes(4, 9), bytes(5, 9), [])).toBeUndefined();
  expect(compare!(bytes(3, 9), bytes(5, 9), [])).toBe("element 0 is 3, wanted 5");
  const nearest = knownDifference("aten.upsample_nearest2d.vec")!.compare!;
  expect(nearest(bytes(1, 1), bytes(1, 2), [bytes(1, 2)])).toBeUndefined();
  expect(nearest(bytes(1, 7), bytes(1, 2), [bytes(1, 2)])).toBe("7 is no element of the input");
  expect(knownDifference("aten.add.Tensor")).toBeUndefined();
});
