import { FakeTensor } from "@sconce/ir";
import { STATIC_ENV } from "@sconce/symbolic";
import { describe, expect, test } from "vitest";
import { defaultOperators } from "../families/all.js";
import { bindArgs } from "../table/bind.js";
import { emitFrom, metaOf } from "../table/fake-emit.js";
import { fake } from "./fake.js";
import { viewInverse } from "./view-inverse.js";

const operators = defaultOperators();

/** What is called to write a view's new value back, as text, and the sizes that come out. */
function writeBack(
  shape: readonly number[],
  target: string,
  args: readonly unknown[],
  index: number | null = null,
) {
  const base = fake({ dtype: "float32", shape });
  const names = new Map<FakeTensor, string>([[base, "base"]]);
  const calls: string[] = [];
  const show = (value: unknown): string =>
    value instanceof FakeTensor
      ? names.get(value)!
      : Array.isArray(value)
        ? `[${value.map(show).join(", ")}]`
        : String(value);
  const emit = emitFrom(STATIC_ENV, (called, given, kwargs) => {
    calls.push(`${called}(${given.map(show).join(", ")})`);
    const result = metaOf(operators, called, given, kwargs, STATIC_ENV);
    names.set(result as FakeTensor, `v${calls.length}`);
    return result;
  });
  const view = metaOf(operators, target, [base, ...args], {}, STATIC_ENV);
  const mutated = (index === null ? view : (view as readonly FakeTensor[])[index]) as FakeTensor;
  const fresh = fake({ dtype: mutated.dtype, shape: mutated.shape });
  names.set(fresh, "new");
  const bound = bindArgs(operators.require(target).schema, [base, ...args], {});
  const result = viewInverse(emit, target, base, fresh, bound, index);
  return { calls, shape: result.shape, dtype: result.dtype };
}

describe("viewInverse", () => {
  test.each([
    [[2, 3], "aten.view.default", [[6]], null, ["aten.view.default(new, [2, 3])"]],
    [[2, 3, 4], "aten.permute.default", [[1, 2, 0]], null, ["aten.permute.default(new, [2, 0, 1])"]],
    [[2, 3], "aten.transpose.int", [0, -1], null, ["aten.transpose.int(new, 0, -1)"]],
    [[2, 3], "aten.t.default", [], null, ["aten.t.default(new)"]],
    [[2, 3], "aten.select.int", [1, -1], null, ["aten.select_scatter.default(base, new, 1, -1)"]],
    [[4, 3], "aten.slice.Tensor", [0, 1, 3], null, ["aten.slice_scatter.default(base, new, 0, 1, 3, 1)"]],
    [[3, 3], "aten.diagonal.default", [1], null, ["aten.diagonal_scatter.default(base, new, 1, 0, 1)"]],
    [[2, 3], "aten.unsqueeze.default", [1], null, ["aten.squeeze.dim(new, 1)"]],
    [
      [2, 1, 3, 1],
      "aten.squeeze.default",
      [],
      null,
      ["aten.unsqueeze.default(new, 1)", "aten.unsqueeze.default(v1, 3)"],
    ],
    [[2, 1, 3], "aten.squeeze.dim", [0], null, []],
    [[5, 3], "aten.split.Tensor", [2, 0], 2, ["aten.slice_scatter.default(base, new, 0, 4, 5)"]],
    [
      [5, 3],
      "aten.split_with_sizes.default",
      [[2, 3]],
      1,
      ["aten.slice_scatter.default(base, new, 0, 2, 5)"],
    ],
    [[5, 3], "aten.unbind.int", [-1], 2, ["aten.select_scatter.default(base, new, 1, 2)"]],
    [[6], "aten.unfold.default", [0, 2, 2], null, ["aten.unfold_backward.default(new, [6], 0, 2, 2)"]],
    [
      [1, 3],
      "aten.expand.default",
      [[4, 3]],
      null,
      ["aten.sub.Tensor(new, base)", "aten.sum.dim_IntList(v1, [0], true)", "aten.add.Tensor(base, v2)"],
    ],
    [[2, 3], "aten.view.dtype", ["int32"], null, ["aten.view.dtype(new, float32)"]],
  ] as const)("of %j through %s", (shape, target, args, index, calls) => {
    const result = writeBack(shape, target, args, index);
    expect(result.calls).toEqual(calls);
    expect(result.shape).toEqual(shape);
    expect(result.dtype).toBe("float32");
  });

  test("refuses operators without an inverse", () => {
    expect(() =>
      viewInverse(undefined as never, "aten.add.Tensor", undefined as never, undefined as never, {}),
    ).toThrowError(expect.objectContaining({ code: "VIEW_INVERSE" }));
  });

  test("refuses windows that share elements, as PyTorch does", () => {
    expect(writeBack([6], "aten.unfold.default", [0, 2, 2]).shape).toEqual([6]);
    expect(() => writeBack([6], "aten.unfold.default", [0, 2, 1])).toThrowError(
      expect.objectContaining({ code: "INTERNAL_OVERLAP" }),
    );
  });
});
