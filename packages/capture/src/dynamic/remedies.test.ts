import { isSconceError } from "@sconce/errors";
import type { Tensor } from "@sconce/tensor";
import { guard, sym, torch } from "@sconce/torch";
import { expect, test } from "vitest";
import { exportProgram } from "../export/export-program.js";
import { Dim } from "./dim.js";

function fixOf(model: (x: Tensor) => unknown, example: Tensor, dim: unknown): string | undefined {
  try {
    exportProgram(model, [example], { dynamicShapes: [{ 0: dim }] as never });
  } catch (error) {
    if (isSconceError(error, "CONSTRAINT_VIOLATION")) return error.fix;
    throw error;
  }
  return undefined;
}

const split = (x: Tensor): Tensor => {
  const [p, q] = x.split([2, sym.sub(x.size(0), 2)]) as unknown as [Tensor, Tensor];
  return p.sum().add(q.sum());
};
const three = (x: Tensor): Tensor => x.add(torch.ones(3, 1));
const small = (x: Tensor): Tensor => (guard(sym.le(x.size(0), 5)) ? x.add(1) : x.add(2));

test("a larger example is suggested only where it helps", () => {
  expect(fixOf(split, torch.ones(6, 2), Dim("n", { min: 3 }))).toBe(
    "use `Dim.AUTO` for n, or declare a range without the sizes that break it",
  );
  expect(fixOf(split, torch.ones(6, 2), Dim("n", { min: 4 }))).toBeUndefined();
  expect(fixOf(three, torch.ones(3, 2), Dim.DYNAMIC)).toBe(
    "use `Dim.AUTO` for L['x'].size()[0], or leave the size static",
  );
  expect(fixOf(three, torch.ones(3, 2), Dim("n"))).toBe("use 3 for n");
  expect(fixOf((x) => x.add(1), torch.ones(1, 2), Dim("n"))).toBe(
    "use 1 for n; if the size is to be dynamic, pass larger example sizes",
  );
  expect(fixOf((x) => x.add(1), torch.ones(2, 2), Dim("n"))).toBeUndefined();
  expect(fixOf(small, torch.ones(4, 2), Dim("n", { min: 2, max: 9 }))).toBe(
    'const n = Dim("n", { max: 5 }); if the size is to be dynamic, pass larger example sizes',
  );
  expect(fixOf(small, torch.ones(6, 2), Dim("n", { min: 6, max: 9 }))).toBeUndefined();
});

test.each([
  ["minified", (e: Tensor, s: Tensor) => e.add(s), ["ids", "mask"], "(e, s)"],
  ["renamed", (ids2: Tensor, mask: Tensor) => ids2.add(mask), ["ids", "mask"], "(ids2)"],
])("parameters that a bundler has %s are named, without an edit", (_, model, names, shown) => {
  const dynamicShapes = Object.fromEntries(names.map((name) => [name, null]));
  try {
    exportProgram(model, [torch.ones(3), torch.zeros(3)], { dynamicShapes });
    expect.fail("nothing was thrown");
  } catch (error) {
    if (!isSconceError(error, "BAD_DYNAMIC_SHAPES")) throw error;
    expect(error.fix).toContain(`if a bundler renamed the parameters ${shown}, give a list`);
    expect(error.edits).toBeUndefined();
  }
});
