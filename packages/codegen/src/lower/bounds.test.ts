/** @file Expressions that readers share or would double: how large nests become. */
import { parseGraph } from "@sconce/ir/text";
import { defaultOperators } from "@sconce/ops";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { evaluateLoops } from "../evaluate/evaluate.js";
import { printLoops } from "../ir/print-loops.js";
import { forEachScalar } from "../ir/traverse.js";
import { lowerToLoops } from "./lower.js";

const operators = defaultOperators();

/** A graph of so many steps from `%v0`, each of several lines. */
function lowered(type: (at: number) => string, count: number, step: (at: number) => string) {
  const lines = Array.from({ length: count }, (_, at) => step(at));
  const text = `graph(%v0: ${type(0)}) {\n${lines.join("\n")}\n  return (%v${count},)\n}`;
  const loops = lowerToLoops(parseGraph(text), { operators });
  const sizes = loops.nests.map(({ value }) => {
    let size = 0;
    forEachScalar(value, () => size++);
    return size;
  });
  const run = (values: readonly number[]): number[] => [
    ...(evaluateLoops(loops, [Tensor.from([...values])])[0] as Tensor).toFloat64Array(),
  ];
  return { loops, sizes, run, text: printLoops(loops) };
}
const scalar = (_: number): string => "f32[1]";

test("a value that is read twice is computed once, and has a name in the text", () => {
  const { text, run } = lowered(
    scalar,
    3,
    (at) => `  %v${at + 1}: f32[1] = aten.mul.Tensor(%v${at}, %v${at})`,
  );
  expect(text).toContain("((t0 = (b0[0] * b0[0]) * (b0[0] * b0[0])) * t0)");
  expect(run([1.5])).toEqual([Math.fround(1.5 ** 8)]);
});

describe("values get memory where an expression becomes too large", () => {
  test("a chain of squares: nests of bounded size", () => {
    const { sizes } = lowered(
      scalar,
      400,
      (at) => `  %v${at + 1}: f32[1] = aten.mul.Tensor(%v${at}, %v${at})`,
    );
    expect(sizes.length).toBeGreaterThan(3);
    expect(Math.max(...sizes)).toBeLessThan(200);
  });

  test("views between the readers: the same coordinates are one element", () => {
    const step = (at: number): string =>
      [
        `  %a${at}: f32[1] = aten.view.default(%v${at}, [1])`,
        `  %b${at}: f32[1, 1] = aten.unsqueeze.default(%v${at}, 0)`,
        `  %c${at}: f32[1] = aten.squeeze.dim(%b${at}, 0)`,
        `  %v${at + 1}: f32[1] = aten.mul.Tensor(%a${at}, %c${at})`,
      ].join("\n");
    const { sizes, run } = lowered(scalar, 12, step);
    expect(Math.max(...sizes)).toBeLessThan(40);
    expect(run([1.001])[0]).toBeCloseTo(1.001 ** 4096, 0);
  });

  test("a value joined with itself: the choices do not double each time", () => {
    const type = (at: number): string => `f32[${2 ** (at + 1)}]`;
    const { sizes, run } = lowered(
      type,
      12,
      (at) => `  %v${at + 1}: ${type(at + 1)} = aten.cat.default([%v${at}, %v${at}])`,
    );
    expect(sizes.length).toBeGreaterThan(1);
    expect(Math.max(...sizes)).toBeLessThan(1000);
    const values = run([3, 5]);
    expect(values).toHaveLength(8192);
    expect(values.every((value, at) => value === (at % 2 === 0 ? 3 : 5))).toBe(true);
  });

  test("pads of pads: choices are not nested without end", () => {
    const type = (at: number): string => `f32[${at + 2}]`;
    const { sizes, run } = lowered(
      type,
      40,
      (at) => `  %v${at + 1}: ${type(at + 1)} = aten.constant_pad_nd.default(%v${at}, [1, 0], 7.0)`,
    );
    expect(sizes.length).toBeGreaterThan(2);
    expect(run([3, 5])).toEqual([...new Array(40).fill(7), 3, 5]);
  });

  test("reshapes that do not cancel: indices do not double each time", () => {
    const shapes = [
      [6, 35],
      [10, 21],
    ];
    const step = (at: number): string => {
      const [rows, columns] = shapes[at % 2]!;
      return [
        `  %a${at}: f32[${rows}, ${columns}] = aten.view.default(%v${at}, [${rows}, ${columns}])`,
        `  %t${at}: f32[${columns}, ${rows}] = aten.permute.default(%a${at}, [1, 0])`,
        `  %k${at}: f32[${columns}, ${rows}] = aten.clone.default(%t${at}, memory_format=format(contiguous_format))`,
        `  %v${at + 1}: f32[210] = aten.view.default(%k${at}, [210])`,
      ].join("\n");
    };
    const { text, run } = lowered(() => "f32[210]", 24, step);
    expect(text.length).toBeLessThan(60_000);
    expect(run(Array.from({ length: 210 }, (_, at) => at)).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 210 }, (_, at) => at),
    );
  });
});
