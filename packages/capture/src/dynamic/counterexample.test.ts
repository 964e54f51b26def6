import type { FakeTensor } from "@sconce/ir";
import { add, eq, gt, type IntLike, mod, mul, printExpr } from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { checkConstraints, Dim, type DynamicShapes, makeFakeInputs } from "./index.js";

type Sizes = readonly (readonly IntLike[])[];

/** The dims of the counterexamples to what `require` guards of the sizes of the inputs. */
function broken(
  sizes: readonly (readonly number[])[],
  dynamicShapes: DynamicShapes,
  require: (sizes: Sizes, prepared: ReturnType<typeof makeFakeInputs>) => void,
): (readonly [string, number])[][] {
  const args = new Map(sizes.map((shape, i) => ["xyz"[i]!, Tensor.empty(shape, "float32")]));
  const prepared = makeFakeInputs({ args }, dynamicShapes);
  require(prepared.inputs.map(({ fake }) => (fake as FakeTensor).shape), prepared);
  return checkConstraints(prepared)!.violations.map(({ counterexample }) => [...counterexample!.dims]);
}

test("sizes that another size derives are not 0 or 1, where others break the requirement", () => {
  const d = Dim("d", { min: 3 });
  const found = broken([[6, 4]], [{ 0: d, 1: d.sub(2) }], (given, { env }) => {
    env.guard(gt(add(given[0]![1]!, 3), 12));
  });
  // d = 3 gives a second size of 1, which every program refuses.
  expect(found.flat().every(([, value]) => value > 11)).toBe(true);
});

test("a counterexample keeps to the bounds of a dim whose example is 1", () => {
  const shapes = [{ 0: Dim("d", { min: 2 }) }, { 0: Dim.DYNAMIC }];
  const found = broken([[1], [4]], shapes, (given, { env }) => {
    env.guardInt(given[1]![0]!);
  });
  expect(found.at(-1)).toEqual([
    ["d", 2],
    ["L['y'].size()[0]", 3],
  ]);
});

test("products of two sizes whose sum is odd are even: nothing is required", () => {
  const d = Dim("d", { min: 3 });
  const args = new Map([["x", Tensor.empty([12, 9], "float32")]]);
  const prepared = makeFakeInputs({ args }, [{ 0: d, 1: d.sub(3) }]);
  const [a, b] = (prepared.inputs[0]!.fake as FakeTensor).shape as [IntLike, IntLike];
  prepared.env.guard(eq(mod(mul(a, b), 2), 0));
  expect(printExpr(mod(mul(b, add(b, 3)), 2))).toBe("0");
  expect(checkConstraints(prepared)).toBeUndefined();
});
