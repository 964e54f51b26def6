import type { FakeTensor } from "@sconce/ir";
import { type BoolLike, eq, gt, type IntLike, lt, mod, printExpr, printRange } from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { Dim, type DynamicShapes, makeFakeInputs, solveConstraints } from "./index.js";

/** The sizes and ranges of an export of `x[4, 6]`, or its message. */
function exported(dynamicShapes: DynamicShapes, guard?: (n: IntLike) => BoolLike): string {
  const args = new Map([["x", Tensor.empty([4, 6], "float32")]]);
  try {
    const prepared = makeFakeInputs({ args }, dynamicShapes);
    const { env, inputs } = prepared;
    const { shape } = inputs[0]!.fake as FakeTensor;
    if (guard !== undefined) env.guard(guard(shape[1]!));
    const { rangeConstraints } = solveConstraints(prepared);
    const ranges = [...rangeConstraints].map(([name, range]) => `${name}: ${printRange(range)}`);
    return `[${shape.map((size) => printExpr(env.replace(size))).join(", ")}] ${ranges.join()}`;
  } catch (error) {
    return (error as Error).message;
  }
}

const b = Dim("b");
const bounded = Dim("b", { min: 4, max: 20 });

test.each<[DynamicShapes, string]>([
  [[{ [-1]: b }], "[4, s27] s27: VR[2, int_oo]"],
  [[{ [-2]: b }], "[s77, 6] s77: VR[2, int_oo]"],
  [[{ [-1]: bounded }], "[4, s27] s27: VR[4, 20]"],
  [[{ [-1]: Dim.AUTO }], "[4, 6] "],
  [[{ [-1]: 6 }], "[4, 6] "],
  [[{ [-1]: Dim("b", { min: 9 }) }], "6 not in range [9, int_oo]"],
])("dims at the end: %j", (spec, wanted) => {
  expect(exported(spec)).toBe(wanted);
});

test.each<[string, DynamicShapes, (n: IntLike) => BoolLike, string]>([
  [
    "eq",
    [{ [-1]: b }],
    (n) => eq(n, 6),
    "You marked L['x'].size()[1] as dynamic but your code specialized it",
  ],
  [
    "gt",
    [{ [-1]: b }],
    (n) => gt(n, 3),
    "Not all values of L['x'].size()[1] = L['x'].size()[1] in the specified range satisfy the generated guard 4 <= L['x'].size()[1]",
  ],
  ["gt", [{ [-1]: bounded }], (n) => gt(n, 3), "[4, s27] s27: VR[4, 20]"],
  [
    "lt",
    [{ [-1]: bounded }],
    (n) => lt(n, 8),
    "in the specified range 4 <= L['x'].size()[1] <= 20 satisfy the generated guard 4 <= L['x'].size()[1] and L['x'].size()[1] <= 7",
  ],
  ["mod", [{ [-1]: b }], (n) => eq(mod(n, 3), 0), "satisfy the generated guard (L['x'].size()[1] % 3) == 0."],
])("a guard %s of one of %j", (_, spec, guard, wanted) => {
  expect(exported(spec, guard)).toContain(wanted);
});

test("relations from the end are refused", () => {
  const d = Dim("d");
  expect(exported([{ 0: d, [-1]: d.add(2) }])).toContain(
    "the dim d + 2 is given for a dimension that is counted",
  );
  expect(exported([{ 0: d, [-1]: d }])).toContain("is related to other sizes");
  expect(exported([{ [-1]: b, 1: d }])).toContain("dimension 1 is specified twice");
  expect(exported([{ [-3]: b }])).toContain("dimension -3 specified at `dynamic_shapes[0]` is out of range");
});
