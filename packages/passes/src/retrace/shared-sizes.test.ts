import { expect, test } from "vitest";
import { runDecompositions } from "../decompose/run-decompositions.js";
import { programOf } from "../programs.fixture.js";

/** The nodes of a lowered program that compute sizes or take them, each with its arguments. */
function lowered(inputs: string, body: string): string[] {
  const program = programOf(`graph(${inputs}) {
    ${body}
  }`);
  const symbols = [...inputs.matchAll(/\b[su]\d+\b/g), ...body.matchAll(/\bu\d+\b/g)].map(([name]) => name);
  const { graph } = runDecompositions(
    program.with({
      rangeConstraints: new Map(symbols.map((s) => [s, { min: s.startsWith("u") ? 0 : 2, max: Infinity }])),
      dialect: "TRAINING",
    }),
  );
  const show = (arg: unknown): unknown =>
    Array.isArray(arg) ? arg.map(show) : ((arg as { name?: string }).name ?? arg);
  return graph
    .nodes()
    .filter(({ op }) => op === "call_function")
    .map(({ name, args }) => `${name} ${JSON.stringify(args.map(show))}`);
}

test("the first node of a number replaces the others", () => {
  expect(
    lowered(
      "%x: f32[s77, 3]",
      `%n: int(s77) = aten.sym_size.int(%x, 0)
    %a: int(2*s77) = operator.mul(%n, 2)
    %b: int(2*s77) = operator.mul(2, %n)
    %c: int(2*s77 + 1) = operator.add(%b, 1)
    %y: f32[2*s77] = aten.full.default([%b], 1)
    %z: f32[2*s77 + 1] = aten.full.default([%c], 1)
    return (%a, %y, %z)`,
    ),
  ).toEqual([
    `sym_size_int_1 ["x",0]`,
    `mul ["sym_size_int_1",2]`,
    `add ["mul",1]`,
    `full [["mul"],1]`,
    `full_1 [["add"],1]`,
  ]);
});

test("what only replaced nodes read stays", () => {
  expect(
    lowered(
      "%x: f32[s77, 3]",
      `%n: int(s77) = aten.sym_size.int(%x, 0)
    %one: int(s77 + 1) = operator.add(%n, 1)
    %m: int(s77) = operator.sub(%one, 1)
    %y: f32[s77] = aten.full.default([%m], 1)
    return (%y)`,
    ),
  ).toEqual([`sym_size_int_1 ["x",0]`, `add ["sym_size_int_1",1]`, `full [["sym_size_int_1"],1]`]);
});

test("numbers read from different data are not shared, their bounds are asserted", () => {
  const calls = lowered(
    "%x: f32[4, 3]",
    `%i: i64[] = aten.argmax.default(%x)
    %j: i64[] = aten.argmin.default(%x)
    %u: int(u0) = aten.item.default(%i)
    %v: int(u1) = aten.item.default(%j)
    return (%u, %v)`,
  );
  expect(calls.map((call) => call.split(" ")[0])).toEqual([
    ...["argmax", "argmin", "_local_scalar_dense", "ge", "_assert_scalar_default"],
    ...["_local_scalar_dense_1", "ge_1", "_assert_scalar_default_1"],
  ]);
});

test("a part of a sum of several terms is not shared", () => {
  expect(
    lowered(
      "%x: f32[s77, 3], %y: f32[s17, 3], %z: f32[s68, 3]",
      `%c: f32[s17 + s68 + s77, 3] = aten.cat.default([%x, %y, %z])
    %n: int(s17 + s68 + s77) = aten.sym_size.int(%c, 0)
    %f: f32[s17 + s68 + s77] = aten.full.default([%n], 1)
    %p: int(s17) = aten.sym_size.int(%y, 0)
    %q: int(s68) = aten.sym_size.int(%z, 0)
    %s: int(s17 + s68) = operator.add(%p, %q)
    %g: f32[s17 + s68] = aten.full.default([%s], 1)
    return (%f, %g)`,
    ).slice(3),
  ).toEqual([
    `cat [["x","y","z"]]`,
    `add_8 ["sym_size_int_4","sym_size_int_5"]`,
    `add_9 ["add_8","sym_size_int_3"]`,
    `full [["add_9"],1]`,
    `add_5 ["sym_size_int_4","sym_size_int_5"]`,
    `full_1 [["add_5"],1]`,
  ]);
});
