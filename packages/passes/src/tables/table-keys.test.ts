import type { FakeTensor } from "@sconce/ir";
import { describe, expect, test } from "vitest";
import { runDecompositions } from "../decompose/run-decompositions.js";
import { programOf } from "../programs.fixture.js";
import type { Decomposition } from "./decomposition.js";
import { type Decompositions, DecompositionTable, defaultDecompositions } from "./table.js";

const program = programOf(
  `graph(%x: f32[2, 2]) {
  %r: f32[2, 2] = aten.relu.default(%x)
  %s: f32[2, 2] = aten.silu.default(%r)
  return (%s)
}`,
  "TRAINING",
);
const clamp: Decomposition = (emit, { self }) => emit("aten.clamp_min.default", [self as FakeTensor, 0]);
const calls = (table?: Decompositions): string[] => [
  ...runDecompositions(program, table).opHistogram().keys(),
];
const refused = (table: unknown): { code: string; message: string; fix: string } => {
  try {
    runDecompositions(program, table as Decompositions);
  } catch (error) {
    return error as never;
  }
  throw new Error("nothing was refused");
};

describe("whatever maps operators to functions is a table", () => {
  test.each<[string, Decompositions]>([
    ["a plain Map", new Map<string, Decomposition>([["aten.relu.default", clamp]])],
    [
      "a plain object",
      { "aten.relu.default": (emit, { self }) => emit("aten.clamp_min.default", [self, 0]) },
    ],
    ["a table", new DecompositionTable([["aten.relu.default", clamp]])],
  ])("%s", (_, table) => {
    expect(calls(table)).toEqual(["aten.clamp_min.default", "aten.silu.default"]);
  });

  test("an empty Map and an empty object only functionalize", () => {
    for (const table of [new Map<string, Decomposition>(), {}])
      expect(calls(table)).toEqual(["aten.relu.default", "aten.silu.default"]);
  });

  test.each<[string, Decompositions]>([
    ["copy()", defaultDecompositions().copy()],
    ["new Map(table)", new Map(defaultDecompositions())],
    ["update()", new DecompositionTable().update(defaultDecompositions())],
    ["materialize()", defaultDecompositions().materialize()],
  ])("a copy by %s is edited without touching the other", (_, copied) => {
    const table = copied as Map<string, Decomposition>;
    const size = defaultDecompositions().size;
    expect(table.size).toBe(size);
    expect(table.delete("aten.silu.default")).toBe(true);
    expect(calls(table)).toEqual(["aten.relu.default", "aten.silu.default"]);
    expect(table.size).toBe(size - 1);
    expect(calls()).toEqual(["aten.relu.default", "aten.sigmoid.default", "aten.mul.Tensor"]);
  });

  test.each([[["aten.relu.default"]], [3], ["core"], [clamp]])("%s is not", (table) => {
    expect(refused(table)).toMatchObject({ code: "DECOMPOSITION_TABLE" });
  });
});

describe("keys that no call could have", () => {
  test.each([
    ["aten.rleu.default", /did you mean "aten.relu.default"/],
    ["aten.relu", /did you mean "aten.relu.default"/],
    ["relu", /did you mean "aten.relu.default"/],
    ["torch.ops.aten.relu.default", /did you mean "aten.relu.default"/],
    ["aten::relu", /did you mean "aten.relu.default"/],
    ["aten::add.Tensor", /did you mean "aten.add.Tensor"/],
    ["torch.ops.aten.add", /did you mean "aten.add.Tensor"|did you mean "aten.add/],
    ["operator.add", /write the overload out/],
    ["", /write the overload out/],
  ])("%s", (key, fix) => {
    const error = refused(new Map([[key, clamp]]));
    expect(error.code).toBe("DECOMPOSITION_TABLE");
    expect(error.message).toContain(`entry "${key}" is not an operator overload`);
    expect(error.fix).toMatch(fix);
  });

  test.each([
    ["aten.relu_.default", /did you mean "aten.relu.default"/],
    ["aten.relu.out", /did you mean "aten.relu.default"/],
    ["aten.add_.Tensor", /did you mean "aten.add.Tensor"/],
  ])("%s, which functionalization takes away first", (key, fix) => {
    const error = refused({ [key]: clamp });
    expect(error.message).toContain(`"${key}" can never apply`);
    expect(error.fix).toMatch(fix);
  });

  test("the default table's own entries of such overloads stay", () => {
    expect(
      defaultDecompositions().has("aten.relu6_.default") || defaultDecompositions().has("aten.silu_.default"),
    ).toBe(true);
    expect(calls(new Map(defaultDecompositions()))).toContain("aten.mul.Tensor");
  });

  test("keys that are not strings, and entries that are not functions", () => {
    expect(refused(new Map([[{} as string, clamp]])).message).toMatch(
      /a key of the decomposition table is not a string but of type object/,
    );
    for (const entry of [undefined, null, 1, "aten.neg.default"]) {
      const error = refused({ "aten.relu.default": entry });
      expect(error.message).toMatch(/entry "aten.relu.default" is .*, not a function/);
    }
  });
});

test("an entry for an operator without a row does not define it", () => {
  const program = programOf(
    "graph(%x: f32[2]) { %y: f32[2] = aten._test_check_tensor.default(%x) return (%y) }",
  );
  expect(() =>
    runDecompositions(program, { "aten._test_check_tensor.default": (_, { self }) => self as never }),
  ).toThrow(
    expect.objectContaining({
      code: "UNSUPPORTED_OPERATOR",
      fix: expect.stringContaining(
        'defineOp({ schema: "aten::_test_check_tensor(Tensor self) -> Tensor", decompose })',
      ),
    }),
  );
});
