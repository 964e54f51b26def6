import type { ExportedProgram, FakeTensor } from "@sconce/ir";
import { describe, expect, test } from "vitest";
import { context, programOf } from "../programs.fixture.js";
import type { RegionPair } from "./region-pair.js";
import { isSmall, largestInput, MAX_ELEMENTS, resizedPair } from "./resize.js";

/** A pair of equal programs: `change` makes the one after. */
function pairOf(text: string, change: (text: string) => string = (same) => same): RegionPair {
  const [before, after] = [programOf(text), programOf(change(text))];
  const inputs = before.graph.placeholders().map(({ name, meta: { val } }) => ({
    name,
    val,
    fixed: undefined,
    isOwn: false,
  }));
  return { before, after, inputs };
}

const shapeOf = ({ graph }: ExportedProgram, name: string): readonly unknown[] =>
  (graph.node(name).meta.val as FakeTensor).shape;

const resized = (pair: RegionPair): RegionPair => {
  const small = resizedPair(pair, context.operators)!;
  expect(isSmall(small)).toBe(true);
  expect(largestInput(small)).toBeLessThanOrEqual(MAX_ELEMENTS);
  return small;
};

describe("regions at small sizes", () => {
  test("equal sizes stay equal, 1 stays 1, and both versions agree", () => {
    const pair = pairOf(
      `graph(%x: f32[64, 128], %w: f32[128, 256], %b: f32[1, 256]) {
        %mm: f32[64, 256] = aten.mm.default(%x, %w)
        %y: f32[64, 256] = aten.add.Tensor(%mm, %b)
        return (%y)
      }`,
      (text) => text.replace("aten.add.Tensor(%mm, %b)", "aten.add.Tensor(%b, %mm)"),
    );
    const { before, after } = resized(pair);
    const [[m, k], [same, n], bias] = ["x", "w", "b"].map((name) => shapeOf(before, name)) as [
      number[],
      number[],
      number[],
    ];
    expect(same).toBe(k);
    expect(bias).toEqual([1, n]);
    expect(new Set([m, k, n]).size).toBe(3);
    expect(shapeOf(after, "y")).toEqual([m, n]);
  });

  test("sizes in arguments follow: a reshape, an expansion and a slice to the end", () => {
    const { before } = resized(
      pairOf(`graph(%x: f32[8, 12, 64]) {
        %v: f32[96, 64] = aten.view.default(%x, [96, 64])
        %u: f32[96, 1, 64] = aten.unsqueeze.default(%v, 1)
        %e: f32[96, 32, 64] = aten.expand.default(%u, [96, 32, 64])
        return (%e)
      }`),
    );
    const [a, b, c] = shapeOf(before, "x") as number[];
    expect(shapeOf(before, "v")).toEqual([a! * b!, c]);
    const [rows, , columns] = shapeOf(before, "e");
    expect([rows, columns]).toEqual([a! * b!, c]);
    expect(before.graph.node("e").args[1]).toEqual(shapeOf(before, "e"));
  });

  test("a transposed input stays transposed", () => {
    const { inputs } = resized(
      pairOf(`graph(%x: f32[200, 300]{1, 200}) {
        %y: f32[200, 300]{1, 200} = aten.neg.default(%x)
        return (%y)
      }`),
    );
    const { shape, strides } = inputs[0]!.val as FakeTensor;
    expect(strides).toEqual([1, shape[0]]);
  });

  test("constants that one version alone has keep their sizes", () => {
    const pair = pairOf(`graph(%x: f32[500, 40], %t: f32[40]) {
      %y: f32[500, 40] = aten.add.Tensor(%x, %t)
      return (%y)
    }`);
    const own = { ...pair, inputs: pair.inputs.with(1, { ...pair.inputs[1]!, isOwn: true }) };
    const { before } = resized(own);
    expect(shapeOf(before, "t")).toEqual([40]);
    expect(shapeOf(before, "x")[1]).toBe(40);
  });

  test.each([
    ["symbolic sizes", "graph(%x: f32[s0, 2000]) { %y: f32[s0, 2000] = aten.neg.default(%x) return (%y) }"],
    [
      "a nested graph",
      `graph(%x: f32[2000]) {
        %body = get_attr body
        %call: (f32[2000]) = higher_order.wrap(%body, %x)
        %y: f32[2000] = operator.getitem(%call, 0)
        return (%y)
        graph body(%a: f32[2000]) { %neg: f32[2000] = aten.neg.default(%a) return (%neg) }
      }`,
    ],
  ])("%s are not resized", (_, text) => {
    expect(resizedPair(pairOf(text), context.operators)).toBeUndefined();
  });
});
