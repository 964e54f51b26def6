import type { DType } from "@sconce/tensor";
import { expect, test } from "vitest";
import { atom, axis, constant, type Index } from "./index-expr.js";
import { nestKey } from "./nest-key.js";
import { apply, constantScalar, load, type Scalar } from "./scalar.js";
import { scalarText } from "./scalar-text.js";

const i = axis("i0", constant(8));
const keyOf = (value: Scalar, output = 9) =>
  nestKey([{ id: 0, output, axes: [i], value, nodes: ["y"] }], (id) => (id < 5 ? "small" : "large"));
const read = (buffer: number, index: Index = atom(i), dtype: DType = "float32"): Scalar =>
  load(buffer, index, dtype);
/** A place that buffer 1 or another one has. */
const placeIn = (buffer: number): Index => {
  const scalar = read(buffer, atom(i), "int64");
  return atom({ kind: "value", scalar, key: `[${scalarText(scalar)}]`, bound: constant(8) });
};

test("nests on other buffers have the same key", () => {
  const first = keyOf(apply("add", read(0), read(1, placeIn(2))));
  const second = keyOf(apply("add", read(3), read(4, placeIn(1))), 7);
  expect(second.key).toBe(first.key);
  expect([first.buffers, second.buffers]).toEqual([
    [9, 0, 2, 1],
    [7, 3, 1, 4],
  ]);
});

test.each<[what: string, a: Scalar, b: Scalar]>([
  ["one buffer twice", apply("add", read(0), read(0)), apply("add", read(0), read(1))],
  ["a buffer of another kind", read(0), read(6)],
  ["another place", read(0), read(0, constant(3))],
  [
    "a place of another buffer",
    apply("add", read(0), read(1, placeIn(0))),
    apply("add", read(0), read(1, placeIn(2))),
  ],
  ["a number of another dtype", constantScalar(1, "float32"), constantScalar(1, "int32")],
  ["a zero of another sign", constantScalar(0, "float32"), constantScalar(-0, "float32")],
  ["a bool and a number", constantScalar(true, "bool"), constantScalar(1, "bool")],
  ["another function", apply("add", read(0), read(1)), apply("mul", read(0), read(1))],
  ["other operands", apply("sub", read(0), read(6)), apply("sub", read(6), read(0))],
  [
    "a condition and a start",
    {
      kind: "reduce",
      dtype: "float32",
      reduce: "sum",
      axes: [i],
      body: read(0),
      initial: constantScalar(0, "float32"),
    },
    { kind: "reduce", dtype: "float32", reduce: "sum", axes: [i], body: read(0) },
  ],
])("nests differ by %s", (_, a, b) => {
  expect(keyOf(a).key).not.toBe(keyOf(b).key);
});
