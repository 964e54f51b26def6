import { type ExportedProgram, FakeTensor, type Node } from "@sconce/ir";
import { add, floorDiv, type IntLike, mul, symbol } from "@sconce/symbolic";
import { SizeGuards, shapeEnvOf } from "@sconce/trace";
import { describe, expect, test } from "vitest";
import { runDecompositions } from "../decompose/run-decompositions.js";
import { programOf } from "../programs.fixture.js";

const s = symbol("s77");

/** A program with a dynamic input `x: f32[s77, 3]`, of size 8 in the example. */
function programWith(...guardsCode: string[]): ExportedProgram {
  const program = programOf(`graph(%x: f32[s77, 3]) {
    %y: f32[s77, 3] = aten.relu.default(%x)
    return (%y)
  }`);
  return program.with({
    guardsCode,
    rangeConstraints: new Map([["s77", { min: 2, max: Infinity }]]),
    symbolHints: new Map([["s77", 8]]),
  });
}

const tensor = (...shape: IntLike[]): FakeTensor => {
  const like = programWith().graph.node("x" as Node["name"]).meta.val as FakeTensor;
  return new FakeTensor({ ...like, shape, strides: shape.map(() => 1) });
};

/** Guards that a result of this size adds. */
function added(size: IntLike, ...guards: string[]): readonly string[] {
  const program = programWith(...guards);
  const found = new SizeGuards(program, shapeEnvOf(program));
  found.note(tensor(size, 3));
  return found.added;
}

describe("a size that may be 0 adds a guard", () => {
  test.each([
    [add(s, -2), "((-2) + L['x'].size()[0]) != 0"],
    [floorDiv(s, 4), "(L['x'].size()[0] // 4) != 0"],
  ])("%s", (size, guard) => {
    expect(added(size)).toEqual([guard]);
  });

  test("once", () => {
    const program = programWith();
    const guards = new SizeGuards(program, shapeEnvOf(program));
    guards.note([tensor(add(s, -2)), tensor(add(s, -2), 3)]);
    expect(guards.added).toHaveLength(1);
  });
});

describe("a size that cannot be 0 adds none", () => {
  test.each([
    ["a number", 4, []],
    ["a symbol of at least 2", s, []],
    ["by its range", mul(3, s), []],
    ["by a bound with a negative number", add(s, -2), ["(-12) + 6*L['x'].size()[0] >= 2"]],
    ["by a bound", add(s, -2), ["L['x'].size()[0] >= 3"]],
    ["by the same condition", add(s, -2), ["((-2) + L['x'].size()[0]) != 0"]],
    [
      "by divisors",
      floorDiv(s, floorDiv(s, 2)),
      ["(L['x'].size()[0] % 2) == 0", "(L['x'].size()[0] % (L['x'].size()[0] // 2)) == 0"],
    ],
  ] as const)("%s", (_, size, guards) => {
    expect(added(size, ...guards)).toEqual([]);
  });
});

describe("two sizes of inputs that lowering finds equal", () => {
  const program = programOf(`graph(%x: f32[2, s77, 3], %y: f32[2, 3, s17], %z: f32[2, s27, 4]) {
    %xy: f32[2, s77, s17] = aten.bmm.default(%x, %y)
    %xyz: f32[2, s77, 4] = aten.bmm.default(%xy, %z)
    %a: f32[2, s77, 4] = aten.silu.default(%xyz)
    return (%a)
  }`);
  const names = ["s77", "s17", "s27"];
  const lowered = runDecompositions(
    program.with({
      rangeConstraints: new Map(names.map((name) => [name, { min: 2, max: Infinity }])),
      symbolHints: new Map([
        ["s77", 8],
        ["s17", 5],
        ["s27", 5],
      ]),
    }),
  );

  test("are one symbol in the lowered program, which has their guard", () => {
    expect([...lowered.rangeConstraints.keys()]).toEqual(["s77", "s17"]);
    expect((lowered.graph.node("z").meta.val as FakeTensor).shape.map(String)).toEqual(["2", "s17", "4"]);
    expect(lowered.guardsCode).toEqual(["L['z'].size()[1] == L['y'].size()[2]"]);
  });
});
