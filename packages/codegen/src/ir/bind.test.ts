import { symbol } from "@sconce/symbolic";
import { expect, test } from "vitest";
import { scalarText } from "../text/scalar-text.js";
import { bindNest } from "./bind.js";
import { atom, axis, divide, flatIndex, size } from "./index-expr.js";
import { apply, cast, indexScalar, load, type Scalar } from "./scalar.js";

test("binding sizes leaves numbers, and one object where one was", () => {
  const n = size(symbol("s0"));
  const [i, j] = [axis("i0", n), axis("i1", n)];
  const shared = load(0, flatIndex([atom(i), atom(j)], [n, n]), "float32");
  const value = apply("mul", shared, apply("add", shared, cast(indexScalar(divide(atom(j), n)), "float32")));
  const bound = bindNest({ id: 0, output: 1, axes: [i, j], value, nodes: [] }, new Map([["s0", 7]]));
  expect(bound.axes.map(({ extent }) => extent.text)).toEqual(["7", "7"]);
  expect(scalarText(bound.value)).toContain("i0*7");
  const product = bound.value as Extract<Scalar, { kind: "call" }>;
  expect(product.args[0]).toBe((product.args[1] as typeof product).args[0]);
});
