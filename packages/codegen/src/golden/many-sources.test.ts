import { expect, test } from "vitest";
import { loopsOf, textOf } from "../programs.fixture.js";

test("a scatter asks for each element which sources point at it", () => {
  const text = textOf(`graph(%x: f32[3, 5], %i: i64[3, 4], %s: f32[3, 4]) {
    %a: f32[3, 5] = aten.scatter_add.default(%x, 1, %i, %s)
    return (%a,)
  }`);
  expect(text).toMatchInlineSnapshot(`
    "input b0: f32[3, 5]  # x
    input b1: i64[3, 4]  # i
    input b2: f32[3, 4]  # s

    nest 0 -> b3: f32[3, 5]  # a
      for i0 < 3, i1 < 5
        sum[r0 < 4 if ([b1[i0*4 + r0]] == i1) from b0[i0*5 + i1]](b2[i0*4 + r0])

    output b3: f32[3, 5]
    "
  `);
});

test("indexing by tensors is gathered, and written as a scatter", () => {
  const text = textOf(`graph(%x: f32[5, 6], %i: i64[4], %v: f32[4, 6]) {
    %a: f32[4, 6] = aten.index.Tensor(%x, [%i])
    %b: f32[5, 6] = aten.index_put.default(%x, [%i], %v, true)
    return (%a, %b)
  }`);
  expect(text).toMatchInlineSnapshot(`
    "input b0: f32[5, 6]  # x
    input b1: i64[4]  # i
    input b2: f32[4, 6]  # v

    nest 0 -> b3: f32[5, 6]  # b
      for i0 < 5, i1 < 6
        sum[r0 < 4 if ([((b1[r0] < 0) ? (b1[r0] + 5) : b1[r0])] == i0) from b0[i0*6 + i1]](b2[i1 + r0*6])

    nest 1 -> b4: f32[4, 6]  # a
      for i0 < 4, i1 < 6
        b0[[((b1[i0] < 0) ? (b1[i0] + 5) : b1[i0])]*6 + i1]

    output b4: f32[4, 6], b3: f32[5, 6]
    "
  `);
});

test("scans and ranks have hints of their kind", () => {
  const { nests } = loopsOf(`graph(%x: f32[3, 5]) {
    %a: f32[3, 5] = aten.cumsum.default(%x, 1)
    %s: (f32[3, 5], i64[3, 5]) = aten.sort.default(%x, 0, true)
    %v: f32[3, 5] = operator.getitem(%s, 0)
    return (%a, %v)
  }`);
  expect(nests.map(({ hint }) => hint)).toEqual([
    { kind: "scan", axis: "i1" },
    { kind: "rank", axis: "i0", descending: true },
    { kind: "place", axis: "i0" },
    undefined,
  ]);
});

test("a sort ranks elements, then finds the one of each rank", () => {
  const text = textOf(`graph(%x: f32[5]) {
    %s: (f32[2], i64[2]) = aten.topk.default(%x, 2)
    %v: f32[2] = operator.getitem(%s, 0)
    return (%v,)
  }`);
  expect(text).toMatchInlineSnapshot(`
    "input b0: f32[5]  # x

    nest 0 -> b1: i64[5]  # s
      for i0 < 5
        sum[r0 < 5](int64(((b0[r0] > b0[i0]) || (isnan(b0[r0]) && not(isnan(b0[i0])))) || ((r0 < i0) && ((b0[r0] == b0[i0]) || (isnan(b0[r0]) && isnan(b0[i0]))))))

    nest 1 -> b2: i64[2]  # s
      for i0 < 2
        last[r0 < 5 if (b1[r0] == i0) from 0](r0)

    nest 2 -> b3: f32[2]  # s
      for i0 < 2
        b0[[b2[i0]]]

    output b3: f32[2]
    "
  `);
});
