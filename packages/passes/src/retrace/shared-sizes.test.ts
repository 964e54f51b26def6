import { shapeEnvOf, shareSizes } from "@sconce/trace";
import { expect, test } from "vitest";
import { programOf } from "../programs.fixture.js";

/** The nodes that are left, each with its arguments. */
function shared(
  body: string,
  ranges: Readonly<Record<string, number>> = {},
  partial: readonly string[] = [],
): string[] {
  const program = programOf(`graph(%x: f32[s77, 3]) {
    ${body}
  }`).with({
    rangeConstraints: new Map(
      Object.entries({ s77: 2, ...ranges }).map(([s, min]) => [s, { min, max: Infinity }]),
    ),
  });
  const graph = shareSizes(program.graph, shapeEnvOf(program), new Set(partial), new Map());
  const names = (arg: unknown): unknown =>
    Array.isArray(arg) ? arg.map(names) : ((arg as { name?: string }).name ?? arg);
  return [...graph.nodes()]
    .filter(({ op }) => op === "call_function")
    .map(({ name, args }) => `${name} ${JSON.stringify(args.map(names))}`);
}

test("the first node of a number replaces the others", () => {
  expect(
    shared(`%n: int(s77) = aten.sym_size.int(%x, 0)
    %a: int(2*s77) = operator.mul(%n, 2)
    %b: int(2*s77) = operator.mul(2, %n)
    %c: int(2*s77 + 1) = operator.add(%b, 1)
    %y: f32[2*s77] = aten.full.default([%b], 1)
    %z: f32[2*s77 + 1] = aten.full.default([%c], 1)
    return (%y, %z)`),
  ).toEqual([`n ["x",0]`, `a ["n",2]`, `c ["a",1]`, `y [["a"],1]`, `z [["c"],1]`]);
});

test("what only replaced nodes read stays", () => {
  expect(
    shared(`%n: int(s77) = aten.sym_size.int(%x, 0)
    %a: int(2*s77) = operator.mul(%n, 2)
    %one: int(s77 + 1) = operator.add(%n, 1)
    %b: int(2*s77) = operator.add(%one, %n)
    %y: f32[2*s77] = aten.full.default([%b], 1)
    return (%a, %y)`),
  ).toEqual([`n ["x",0]`, `a ["n",2]`, `one ["n",1]`, `y [["a"],1]`]);
});

test("numbers read from data are never shared", () => {
  const calls = shared(
    `%i: i64[] = aten.argmax.default(%x)
    %u: int(u0) = aten._local_scalar_dense.default(%i)
    %v: int(u0) = aten._local_scalar_dense.default(%i)
    return (%u, %v)`,
    { u0: 0 },
  );
  expect(calls).toHaveLength(3);
});

test("a graph without repeated numbers stays the same object", () => {
  const program = programOf(`graph(%x: f32[s77, 3]) {
    %n: int(s77) = aten.sym_size.int(%x, 0)
    return (%n)
  }`);
  expect(shareSizes(program.graph, shapeEnvOf(program), new Set(), new Map())).toBe(program.graph);
});

test("a part of a sum of several terms is not shared", () => {
  expect(
    shared(
      `%n: int(s77) = aten.sym_size.int(%x, 0)
    %part: int(s77 + 1) = operator.add(%n, 1)
    %sum: int(2*s77 + 1) = operator.add(%part, %n)
    %one: int(s77 + 1) = operator.add(%n, 1)
    return (%sum, %one)`,
      {},
      ["part"],
    ),
  ).toEqual([`n ["x",0]`, `part ["n",1]`, `sum ["part","n"]`, `one ["n",1]`]);
});
