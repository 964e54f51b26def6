import { symbol } from "@sconce/symbolic";
import { expect, test } from "vitest";
import { bindNest } from "./bind.js";
import { add, atom, axis, constant, divide, flatIndex, remainder, size } from "./index-expr.js";
import { apply, cast, constantScalar, indexScalar, load, type Scalar, select } from "./scalar.js";
import { scalarText } from "./scalar-text.js";

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

test("conditions on places fold where sizes decide them, and what they guarded goes", () => {
  const n = size(symbol("s0"));
  const i = axis("i0", n);
  const block = divide(atom(i), constant(64));
  const before = load(0, add(block, constant(-1)), "float32");
  const isFirst = apply("eq", indexScalar(block), constantScalar(0, "int64"));
  const value = select(isFirst, constantScalar(0, "float32"), before);
  const bound = (rows: number): string =>
    scalarText(bindNest({ id: 0, output: 1, axes: [i], value, nodes: [] }, new Map([["s0", rows]])).value);
  expect(bound(33)).toBe("0");
  expect(bound(100)).toContain("b0[");
});

test("of no elements nothing is computed: not a place modulo an extent of zero", () => {
  const n = size(symbol("s0"));
  const [i, k] = [axis("i0", n), axis("r0", n)];
  const element = load(0, remainder(add(atom(i), constant(3)), n), "float32");
  const none = bindNest({ id: 0, output: 1, axes: [i], value: element, nodes: [] }, new Map([["s0", 0]]));
  expect(scalarText(none.value)).toBe("0");
  const rolled = load(0, remainder(add(atom(k), constant(3)), n), "float32");
  const sum: Scalar = { kind: "reduce", dtype: "float32", reduce: "sum", axes: [k], body: rolled };
  const most: Scalar = { ...sum, reduce: "max", initial: constantScalar(-1, "float32") };
  const bound = (value: Scalar): string =>
    scalarText(bindNest({ id: 0, output: 1, axes: [], value, nodes: [] }, new Map([["s0", 0]])).value);
  expect(bound(sum)).toBe("0");
  expect(bound(most)).toBe("max[r0 < 0 from -1](0)");
});
