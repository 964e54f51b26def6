/** @file Sorts, scans and scatters have few iterations, and give what the evaluator gives. */
import {
  bindNest,
  evaluateLoops,
  lowerToLoops,
  printKernel,
  scheduleNest,
  unitIterations,
} from "@sconce/codegen";
import { parseGraph } from "@sconce/ir/text";
import { defaultOperators } from "@sconce/ops";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { runLoops } from "../run-loops.fixture.js";
import { WASM } from "./target.js";

const operators = defaultOperators();
const LENGTH = 203;
/** Values with many equals, zeros of both signs and NaN. */
const values = (count: number): number[] =>
  Array.from({ length: count }, (_, i) => {
    const value = ((i * 7919) % 31) - 15;
    return i % 29 === 3 ? Number.NaN : value === 0 && i % 2 === 0 ? -0 : value;
  });
const floats = (...shape: number[]): Tensor =>
  Tensor.from(values(shape.reduce((a, b) => a * b, 1)), shape, "float32");
const places = (count: number, below: number, shape = [count]): Tensor =>
  Tensor.from(
    Array.from({ length: count }, (_, i) => (i * 6007) % below),
    shape,
    "int64",
  );

const SORT = `%s: (f32[3, ${LENGTH}], i64[3, ${LENGTH}])`;
const [ROW, COLUMNS] = [`f32[3, ${LENGTH}]`, `f32[${LENGTH}, 3]`];
test.each<[string, string, string, Tensor[]]>([
  ["sort", ROW, `${SORT} = aten.sort.default(%x, 1)\n%a: i64[3, ${LENGTH}] = operator.getitem(%s, 1)`, []],
  [
    "falling",
    ROW,
    `${SORT} = aten.sort.default(%x, 1, true)\n%a: i64[3, ${LENGTH}] = operator.getitem(%s, 1)`,
    [],
  ],
  [
    "sort of columns",
    COLUMNS,
    `%s: (f32[${LENGTH}, 3], i64[${LENGTH}, 3]) = aten.sort.default(%x, 0)\n%a: f32[${LENGTH}, 3] = operator.getitem(%s, 0)`,
    [],
  ],
  ["cumsum", ROW, `%a: ${ROW} = aten.cumsum.default(%x, 1)`, []],
  ["cumprod of columns", COLUMNS, `%a: ${COLUMNS} = aten.cumprod.default(%x, 0)`, []],
  [
    "cummax",
    ROW,
    `%s: (${ROW}, i64[3, ${LENGTH}]) = aten.cummax.default(%x, 1)\n%a: i64[3, ${LENGTH}] = operator.getitem(%s, 1)`,
    [],
  ],
  [
    "scatter_add",
    "f32[50]",
    "%a: f32[50] = aten.scatter_add.default(%x, 0, %i, %v)",
    [places(LENGTH, 50), floats(LENGTH)],
  ],
  [
    "scatter",
    "f32[50]",
    "%a: f32[50] = aten.scatter.src(%x, 0, %i, %v)",
    [places(LENGTH, 50), floats(LENGTH)],
  ],
  [
    "scatter of fewer rows",
    "f32[4, 50]",
    "%a: f32[4, 50] = aten.scatter_add.default(%x, 1, %i, %v)",
    [places(60, 50, [2, 30]), floats(2, 30)],
  ],
  [
    "mean",
    "f32[50]",
    `%a: f32[50] = aten.scatter_reduce.two(%x, 0, %i, %v, "mean", include_self=false)`,
    [places(LENGTH, 50), floats(LENGTH)],
  ],
  [
    "index_put",
    "f32[50, 8]",
    "%a: f32[50, 8] = aten.index_put.default(%x, [%i], %v, true)",
    [places(LENGTH, 50), floats(LENGTH, 8)],
  ],
])("%s", (_, type, statements, more) => {
  const [index, source] = more;
  const inputs = index === undefined ? "" : `, %i: i64[${index.shape}], %v: f32[${source!.shape}]`;
  const program = lowerToLoops(parseGraph(`graph(%x: ${type}${inputs}) {\n${statements}\nreturn (%a,)\n}`), {
    operators,
  });
  const shape = JSON.parse(type.slice(3)) as number[];
  const tensors = [floats(...shape), ...more];
  expect(String(runLoops(program, tensors)[0])).toEqual(String(evaluateLoops(program, tensors)[0]));
  const sizes = new Map<string, number>();
  for (const nest of program.nests) {
    if (nest.hint === undefined) continue;
    const bound = bindNest(nest, sizes);
    const elements = bound.axes.reduce((count, { extent }) => count * extent.constant, 1);
    // A rank compares each element with all others, element by element.
    expect(unitIterations(bound)).toBeLessThan(16 * elements + 8 * LENGTH);
    expect(printKernel(scheduleNest(bound, { program, sizes, target: WASM }).kernel)).toMatch(/^kernel/);
  }
});
