import { expect, test } from "vitest";
import { add, atom, axis, constant, scale } from "./index-expr.js";
import { scalarText } from "./scalar-text.js";
import { exactIndex } from "./wide-index.js";

const i0 = atom(axis("i0", constant(100)));

test("indices within 32 bits stay indices", () => {
  expect(exactIndex(add(scale(i0, 20_000_000), constant(5))).kind).toBe("index");
  expect(exactIndex(constant(7)).kind).toBe("index");
});

test("others are sums of int64", () => {
  const wide = exactIndex(add(scale(i0, 30_000_000), constant(2 ** 40)));
  expect([wide.kind, wide.dtype]).toEqual(["call", "int64"]);
  expect(scalarText(wide)).toBe("((i0 * 30000000) + 1099511627776)");
  expect(exactIndex(constant(2 ** 31))).toMatchObject({ kind: "constant", dtype: "int64", value: 2 ** 31 });
});
