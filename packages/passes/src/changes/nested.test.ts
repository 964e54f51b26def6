import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { context, programOf, textOf } from "../programs.fixture.js";
import { graphAt, nestedGraphs, nestedProgram, pathText, withNestedGraph } from "./nested.js";

const COND = programOf(`graph(%p: b8[], %x: f32[2]) {
  %yes = get_attr yes
  %no = get_attr no
  %cond: (f32[2]) = higher_order.cond(%p, %yes, %no, (%x))
  %out: f32[2] = operator.getitem(%cond, 0)
  return (%out)

  graph yes(%a: f32[2]) {
    %relu: f32[2] = aten.relu.default(%a)
    return (%relu)
  }

  graph no(%a: f32[2]) {
    %neg: f32[2] = aten.neg.default(%a)
    return (%neg)
  }
}`);

describe("nested graphs", () => {
  test("are listed with their paths, run as programs, and replaced", () => {
    expect(nestedGraphs(COND.graph).map(({ path }) => pathText(path))).toEqual(["yes", "no"]);
    const alone = nestedProgram(COND, ["no"]);
    const [result] = context.run!(alone, [Tensor.from([1, -2], [2], "float32")]).outputs;
    expect((result as Tensor).toArray()).toEqual([-1, 2]);
    const swapped = withNestedGraph(COND, ["no"], graphAt(COND.graph, ["yes"]));
    expect(textOf(graphAt(swapped.graph, ["no"]))).toBe(textOf(graphAt(COND.graph, ["yes"])));
  });

  test("a path that leads nowhere is refused", () => {
    expect(() => nestedProgram(COND, ["maybe"])).toThrow(/no nested graph "maybe"/);
  });
});
