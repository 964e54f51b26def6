import { finish } from "@sconce/errors";
import { defaultOperators } from "@sconce/ops";
import { expect, test } from "vitest";
import { programOf } from "../programs.fixture.js";
import { refusedDTypeSteps } from "./refused-dtypes.js";

/** A product of boolean matrices, which PyTorch's kernels refuse. */
const product = (rows: number) =>
  programOf(`graph(%a: b8[2, 3], %b: b8[${rows}, 4]) {
    %y: b8[2, 4] = aten.einsum.default("ij,jk->ik", [%a, %b])
    return (%y)
  }`);

test("a call whose sizes do not fit says nothing of the dtypes of the next one", () => {
  const operators = defaultOperators().extend([]);
  const refused = (rows: number): string | undefined => finish(refusedDTypeSteps(product(rows), operators));
  // Its sizes are refused before its dtypes are seen.
  expect(refused(5)).toBeUndefined();
  expect(refused(3)).toContain("not implemented for 'Bool'");
  expect(refused(3)).toContain("not implemented for 'Bool'");
});
