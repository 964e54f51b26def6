import { expect, test } from "vitest";
import { SconceError } from "./index.js";

const at = (inner: string | undefined, outer: string): string | undefined =>
  new SconceError({ code: "SHAPE_MISMATCH", message: "no", where: inner, fix: "do" }).at(outer).where;

test.each([
  [undefined, 'node "mm" (aten.mm.default)', 'node "mm" (aten.mm.default)'],
  ["aten.mm.default", 'node "mm" (aten.mm.default)', 'node "mm" (aten.mm.default)'],
  [
    "aten.linear.default: aten.mm.default",
    'node "r" (aten.linear.default)',
    'node "r" (aten.linear.default): aten.mm.default',
  ],
  ["aten.mm", "aten.mm.default", "aten.mm.default: aten.mm"],
  ["x", "%x_1 = aten.exp.default", "%x_1 = aten.exp.default: x"],
  ["line 3", "model.sir", "model.sir: line 3"],
])("the place %j in %j is %j: nothing is repeated", (inner, outer, where) => {
  expect(at(inner, outer)).toBe(where);
});

test("an error names its section of the documentation, and keeps it at another place", () => {
  const error = new SconceError({ code: "NO_VALUES", message: "no", fix: "do" });
  expect(error.docs).toBe("errors/NO_VALUES");
  expect(error.at("%x").docs).toBe(error.docs);
});
