/** @file The first elements of rows, which one pass selects, against the interpreter. */
import { createEvaluator } from "@sconce/backend-cpu";
import type { Value } from "@sconce/ir";
import { parseIr } from "@sconce/ir/text";
import { defaultOperators } from "@sconce/ops";
import { CallProgram } from "@sconce/ops-cases";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { wasmBackend } from "./backend.js";

const operators = defaultOperators();
const evaluate = createEvaluator({ operators });
const backend = wasmBackend({ threads: 1 });
const ODD = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, -0];
/** Numbers of which many are equal, NaN, infinities and zeros of both signs. */
const number = (place: number): number => {
  const mixed = (Math.imul(place + 1, 2654435761) >>> 0) % 97;
  return mixed < ODD.length ? ODD[mixed]! : (mixed % 13) - 6;
};

test.each(
  [1, 2, 17, 64, 65, 90].flatMap((k) =>
    [0, 1].flatMap((dim) => [true, false].map((largest) => [k, dim, largest] as const)),
  ),
)("topk of %i along %i, largest %s", async (k, dim, largest) => {
  const shape = dim === 0 ? [90, 3] : [3, 90];
  const x = Tensor.from(
    Array.from({ length: 270 }, (_, i) => number(i)),
    shape,
    "float32",
  );
  const args = [x, k, dim, largest];
  const call = new CallProgram("aten.topk.default", args, {}, operators);
  using executable = await backend.compile(call.program);
  const own = (await executable.run(call.inputs as Value[])) as Tensor[];
  const reference = evaluate("aten.topk.default", args as never, {}) as Tensor[];
  expect(executable.placement!().nodes.map(({ place }) => place)).toEqual(["device"]);
  expect(own.map((tensor) => tensor.toArray())).toEqual(reference.map((tensor) => tensor.toArray()));
});

test("a sort beside the first elements of the same rows ranks all of them", async () => {
  const program = parseIr(`sconce-ir 1
program "ATEN" { input %x: USER_INPUT output %a: USER_OUTPUT output %b: USER_OUTPUT output %c: USER_OUTPUT }
graph(%x: f32[2, 5]) {
  %t: (f32[2, 2], i64[2, 2]) = aten.topk.default(%x, 2)
  %a: f32[2, 2] = operator.getitem(%t, 0)
  %s: (f32[2, 5], i64[2, 5]) = aten.sort.default(%x, 1, true)
  %b: f32[2, 5] = operator.getitem(%s, 0)
  %u: (f32[2, 3], i64[2, 3]) = aten.topk.default(%x, 3)
  %c: f32[2, 3] = operator.getitem(%u, 0)
  return (%a, %b, %c)
}`);
  using executable = await backend.compile(program);
  const x = Tensor.from([3, 1, 5, 2, 4, 0, -1, 7, 9, 8], [2, 5], "float32");
  const results = (await executable.run([x])) as Tensor[];
  expect(results.map((tensor) => tensor.toArray())).toEqual([
    [5, 4, 9, 8],
    [5, 4, 3, 2, 1, 9, 8, 7, 0, -1],
    [5, 4, 3, 9, 8, 7],
  ]);
});

/** Where a selection of elements runs, by the length of its rows and not of other dimensions. */
test.each([
  ["aten.topk.default", [5000, 8], [4, 1], "device"],
  ["aten.topk.default", [5000, 8], [64, 0], "device"],
  ["aten.topk.default", [5000, 8], [65, 0], "host"],
  ["aten.topk.default", [100, 8], [65, 0], "device"],
  ["aten.median.dim", [5000, 8], [1], "device"],
  ["aten.median.dim", [5000, 8], [0], "host"],
] as const)("%s of %j, %j, runs on the %s", async (target, shape, args, place) => {
  const x = Tensor.from(
    Array.from({ length: shape[0] * shape[1] }, (_, i) => number(i)),
    shape,
    "float32",
  );
  const call = new CallProgram(target, [x, ...args], {}, operators);
  using executable = await backend.compile(call.program);
  expect(executable.placement!().nodes.map((node) => node.place)).toEqual([place]);
  const own = (await executable.run(call.inputs as Value[])) as Tensor[];
  const reference = evaluate(target, [x, ...args] as never, {}) as Tensor[];
  expect(own.map((tensor) => tensor.toArray())).toEqual(reference.map((tensor) => tensor.toArray()));
});
