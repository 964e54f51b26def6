import { expect, test } from "vitest";
import { Namespace } from "./namespace.js";

test.each<[string[], string[]]>([
  [
    ["add", "add", "add"],
    ["add", "add_1", "add_2"],
  ],
  [
    ["max", "max", "slice"],
    ["max_1", "max_2", "slice_1"],
  ],
  [
    ["add_", "add_"],
    ["add_", "add__1"],
  ],
  [
    ["conv2d", "conv2d"],
    ["conv2d", "conv2d_1"],
  ],
  [
    ["x_3", "x", "x_3"],
    ["x_3", "x", "x_4"],
  ],
  [
    ["a.b-c", "3d", ""],
    ["a_b_c", "_3d", "_unnamed"],
  ],
])("%j become %j, as in torch.fx", (wanted, names) => {
  const namespace = new Namespace();
  expect(wanted.map((name) => namespace.create(name))).toEqual(names);
});

test("names taken elsewhere count as reserved", () => {
  const namespace = new Namespace((name) => name === "add" || name === "add_1");
  expect(namespace.has("add")).toBe(true);
  expect(["add", "add", "mul"].map((name) => namespace.create(name))).toEqual(["add_2", "add_3", "mul"]);
});
