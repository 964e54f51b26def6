import { expect, test } from "vitest";
import { scalarText } from "../ir/scalar-text.js";
import { loopsOf } from "../programs.fixture.js";
import { rowGroups } from "./row-groups.js";

/**
 * The groups of a graph as text: each part with what it gives and where, stored ones with their
 * buffer.
 */
function groupsOf(text: string): string[][] {
  const program = loopsOf(text);
  return rowGroups(program.nests, program).map(({ rows, parts, positions }) => [
    `${rows.text} rows of nests ${positions.join()}`,
    ...parts.map(
      ({ nest, value, at, isStored, places }) =>
        `${isStored ? `b${nest.output}[${at.text}]` : "-"} ${places.text}: ${scalarText(value)}`,
    ),
  ]);
}

test("a softmax is one group, of which the quotient alone is stored", () => {
  expect(
    groupsOf(`graph(%x: f32[2, 3, 8]) {
      %a: f32[2, 3, 8] = aten._softmax.default(%x, 2, false)
      return (%a,)
    }`),
  ).toMatchInlineSnapshot(`
    [
      [
        "6 rows of nests 0,1,2",
        "- 8: max[place < 8](b0[place + row*8])",
        "- 8: reciprocal(sum[place < 8](exp(b0[place + row*8] - max[place < 8](b0[place + row*8]))))",
        "b3[(place + row*8)] 8: (exp(b0[place + row*8] - (t0 = max[place < 8](b0[place + row*8]))) * reciprocal(sum[place < 8](exp(b0[place + row*8] - t0))))",
      ],
    ]
  `);
});

test("a reduction beside a softmax joins its group if the result reads it", () => {
  expect(
    groupsOf(`graph(%x: f32[4, 8]) {
      %a: f32[4, 8] = aten._softmax.default(%x, 1, false)
      %b: b8[4, 8] = aten.gt.Scalar(%x, 0)
      %c: b8[4, 1] = aten.any.dim(%b, 1, true)
      %d: f32[4, 8] = aten.where.ScalarOther(%c, %a, 0)
      return (%d,)
    }`),
  ).toMatchInlineSnapshot(`
    [
      [
        "4 rows of nests 0,1,2,3",
        "- 8: max[place < 8](b0[place + row*8])",
        "- 8: reciprocal(sum[place < 8](exp(b0[place + row*8] - max[place < 8](b0[place + row*8]))))",
        "- 8: any[place < 8](b0[place + row*8] > 0)",
        "b4[(place + row*8)] 8: (any[place < 8](b0[place + row*8] > 0) ? (exp(b0[place + row*8] - (t0 = max[place < 8](b0[place + row*8]))) * reciprocal(sum[place < 8](exp(b0[place + row*8] - t0)))) : 0)",
      ],
    ]
  `);
});

test("rows along an inner dimension", () => {
  expect(
    groupsOf(`graph(%x: f32[2, 3, 8]) {
      %a: f32[2, 3, 8] = aten._log_softmax.default(%x, 1, false)
      return (%a,)
    }`),
  ).toMatchInlineSnapshot(`
    [
      [
        "16 rows of nests 0,1,2",
        "- 3: max[place < 3](b0[(row % 8) + (row / 8)*24 + place*8])",
        "- 3: sum[place < 3](exp(b0[(row % 8) + (row / 8)*24 + place*8] - max[place < 3](b0[(row % 8) + (row / 8)*24 + place*8])))",
        "b3[((row % 8) + (row / 8)*24 + place*8)] 3: ((b0[(row % 8) + (row / 8)*24 + place*8] - (t0 = max[place < 3](b0[(row % 8) + (row / 8)*24 + place*8]))) - log(sum[place < 3](exp(b0[(row % 8) + (row / 8)*24 + place*8] - t0))))",
      ],
    ]
  `);
});

test("statistics that something else reads are stored", () => {
  expect(
    groupsOf(`graph(%x: f32[4, 8]) {
      %a: (f32[4, 8], f32[4, 1], f32[4, 1]) = aten.native_layer_norm.default(%x, [8], none, none, 1e-05)
      %c: f32[4, 8] = operator.getitem(%a, 0)
      %m: f32[4, 1] = operator.getitem(%a, 1)
      return (%c, %m)
    }`),
  ).toMatchInlineSnapshot(`
    [
      [
        "4 rows of nests 0,1,2,3",
        "- 8: ((((t0 = sum[place < 8](b0[place + row*8] - b0[row*8]) / 8) * 0) == 0) ? t0 : ((((t1 = sum[r1 < 8](b0[r1 + row*8] / 8) - b0[row*8]) * 0) == 0) ? t1 : NaN))",
        "- 8: rsqrt((not((((t4 = sum[place < 8]((t3 = (b0[place + row*8] - b0[row*8]) - (t2 = (((t0 = sum[place < 8](b0[place + row*8] - b0[row*8]) / 8) * 0) == 0) ? t0 : ((((t1 = sum[r1 < 8](b0[r1 + row*8] / 8) - b0[row*8]) * 0) == 0) ? t1 : NaN))) * t3)) + (((t2 + b0[row*8]) * (t2 + b0[row*8])) * 64)) * 0) == 0) ? (((((t5 = (sum[r1 < 8]((r1 == 0) ? b0[r1 + row*8] : 0) * 8) / 8) * t5) * 0) == 0) ? (t4 / 8) : NaN) : (t4 / 8)) + 0.00001)",
        "b3[(place + row*8)] 8: (((b0[place + row*8] - ((t2 = (((t0 = sum[place < 8](b0[place + row*8] - b0[row*8]) / 8) * 0) == 0) ? t0 : ((((t1 = sum[r1 < 8](b0[r1 + row*8] / 8) - b0[row*8]) * 0) == 0) ? t1 : NaN)) + b0[row*8])) * rsqrt((not((((t4 = sum[place < 8]((t3 = (b0[place + row*8] - b0[row*8]) - t2) * t3)) + (((t2 + b0[row*8]) * (t2 + b0[row*8])) * 64)) * 0) == 0) ? (((((t5 = (sum[r1 < 8]((r1 == 0) ? b0[r1 + row*8] : 0) * 8) / 8) * t5) * 0) == 0) ? (t4 / 8) : NaN) : (t4 / 8)) + 0.00001)) + 0)",
        "b4[row] 1: (((((t0 = sum[place < 8](b0[place + row*8] - b0[row*8]) / 8) * 0) == 0) ? t0 : ((((t1 = sum[r1 < 8](b0[r1 + row*8] / 8) - b0[row*8]) * 0) == 0) ? t1 : NaN)) + b0[row*8])",
      ],
    ]
  `);
});

test("an axis that a reshape took together counts rows by its outer part", () => {
  expect(
    groupsOf(`graph(%x: f32[2, 6, 5], %w: f32[6], %b: f32[6]) {
      %a: (f32[2, 6, 5], f32[2, 3], f32[2, 3]) = aten.native_group_norm.default(%x, %w, %b, 2, 6, 5, 3, 1e-05)
      %c: f32[2, 6, 5] = operator.getitem(%a, 0)
      %d: f32[2, 6, 5] = aten.relu.default(%c)
      return (%d,)
    }`),
  ).toMatchInlineSnapshot(`
    [
      [
        "6 rows of nests 0,1,2",
        "- 10: ((((t0 = sum[place < 10](b0[place + row*10] - b0[row*10]) / 10) * 0) == 0) ? t0 : ((((t1 = sum[r2 < 2, r3 < 5](b0[r2*5 + r3 + row*10] / 10) - b0[row*10]) * 0) == 0) ? t1 : NaN))",
        "- 10: rsqrt((sum[place < 10]((t2 = (b0[place + row*10] - b0[row*10]) - ((((t0 = sum[place < 10](b0[place + row*10] - b0[row*10]) / 10) * 0) == 0) ? t0 : ((((t1 = sum[r2 < 2, r3 < 5](b0[r2*5 + r3 + row*10] / 10) - b0[row*10]) * 0) == 0) ? t1 : NaN))) * t2) / 10) + 0.00001)",
        "b5[(place + row*10)] 10: max((((b0[place + row*10] - ((t2 = (((t0 = sum[place < 10](b0[place + row*10] - b0[row*10]) / 10) * 0) == 0) ? t0 : ((((t1 = sum[r2 < 2, r3 < 5](b0[r2*5 + r3 + row*10] / 10) - b0[row*10]) * 0) == 0) ? t1 : NaN)) + b0[row*10])) * rsqrt((sum[place < 10]((t3 = (b0[place + row*10] - b0[row*10]) - t2) * t3) / 10) + 0.00001)) * b1[(place / 5) + (row % 3)*2]) + b2[(place / 5) + (row % 3)*2], 0)",
      ],
    ]
  `);
});

test("a nest that reads other rows than its own closes the group, which keeps what it has", () => {
  const graph = (results: string): string => `graph(%x: f32[4, 8]) {
    %m: f32[4, 1] = aten.amax.default(%x, [1], true)
    %d: f32[4, 8] = aten.sub.Tensor(%x, %m)
    %f: f32[4, 1] = aten.flip.default(%m, [0])
    %e: f32[4, 8] = aten.mul.Tensor(%x, %f)
    return (${results})
  }`;
  expect(groupsOf(graph("%e, %d"))).toEqual([]);
  expect(groupsOf(graph("%d, %e"))).toMatchInlineSnapshot(`
    [
      [
        "4 rows of nests 0,1",
        "b1[row] 8: max[place < 8](b0[place + row*8])",
        "b2[(place + row*8)] 8: (b0[place + row*8] - max[place < 8](b0[place + row*8]))",
      ],
    ]
  `);
});

test("elements of the group are not yet in memory: what reads them stays outside", () => {
  const groups = groupsOf(`graph(%x: f32[4, 8]) {
    %m: f32[4, 1] = aten.amax.default(%x, [1], true)
    %s: f32[4, 8] = aten.sub.Tensor(%x, %m)
    %e: f32[4, 8] = aten.exp.default(%s)
    %t: f32[4, 1] = aten.sum.dim_IntList(%e, [1], true)
    %u: f32[4, 1] = aten.add.Tensor(%t, %m)
    %q: f32[4, 8] = aten.div.Tensor(%e, %u)
    return (%e, %q, %u)
  }`);
  expect(groups.map(([rows]) => rows)).toEqual(["4 rows of nests 0,1", "4 rows of nests 2,3"]);
  expect(groups[0]![1]).toMatch(/^b1\[row\] 8: max/);
});

test("the elements of a product are not rows", () => {
  expect(
    groupsOf(`graph(%x: f32[4, 8], %w: f32[8, 4]) {
      %m: f32[4, 4] = aten.mm.default(%x, %w)
      %t: f32[4, 4] = aten.permute.default(%m, [1, 0])
      %d: f32[4, 4] = aten.add.Tensor(%m, %t)
      return (%d, %m)
    }`),
  ).toEqual([]);
});

test("a sum that a choice takes keeps its own axis, of the same name as the row's", () => {
  const [group] = groupsOf(`graph(%x: f32[1], %i: i64[4], %v: f32[4]) {
    %a: f32[1] = aten.scatter_reduce.two(%x, 0, %i, %v, "sum", include_self=false)
    %b: f32[4] = aten.mul.Tensor(%v, %a)
    return (%b,)
  }`);
  expect(group).toMatchInlineSnapshot(`
    [
      "1 rows of nests 0,1",
      "- 4: ((sum[place < 4 if ([b1[place]] == 0)](1) > 0) ? sum[r0 < 4 if ([b1[r0]] == 0)](b2[r0]) : b0[0])",
      "b4[place] 4: (b2[place] * ((sum[place < 4 if ([b1[place]] == 0)](1) > 0) ? sum[r0 < 4 if ([b1[r0]] == 0)](b2[r0]) : b0[0]))",
    ]
  `);
});
