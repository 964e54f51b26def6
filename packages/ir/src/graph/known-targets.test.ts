import { describe, expect, test } from "vitest";
import { type DialectRules, GraphBuilder, type OpSchema, ref, TRAINING } from "../index.js";
import { parseGraph, parseIr } from "../text.js";

const TARGETS = ["aten.relu.default", "aten.add.Tensor", "aten.add.Scalar", "mylib.twice.default"];
const operators = {
  schemaOf: (target: string) => (TARGETS.includes(target) ? ({ target } as OpSchema) : undefined),
  tagsOf: () => [],
  targets: () => TARGETS,
};
const calling = (target: string): string =>
  `graph(%x: f32[2]) {\n  %a: f32[2] = ${target}(%x)\n  return (%a)\n}`;
const dialects = new Map<string, DialectRules>([
  [
    "MINE",
    {
      ...TRAINING,
      name: "MINE",
      pythonFunctions: new Set(["math.sin"]),
      higherOrder: new Set(["higher_order.mine"]),
    },
  ],
]);

describe("with a table of operators", () => {
  test.each([
    ["aten.rellu.default", "operator 'aten.rellu.default' is not known", 'did you mean "aten.relu.default"?'],
    ["aten.add.Tenso", "operator 'aten.add.Tenso' is not known", 'did you mean "aten.add.Tensor"?'],
    [
      "aten.relu",
      "'aten.relu' is not the name of an operator: namespace.name.overload",
      'did you mean "aten.relu.default"?',
    ],
    [
      '"odd target"',
      "'odd target' is not the name of an operator: namespace.name.overload",
      "name an overload",
    ],
    ["operator.ad", "function 'operator.ad' is not known", 'did you mean "operator.add"'],
    ["torch.sym_maxx", "function 'torch.sym_maxx' is not known", 'did you mean "torch.sym_max"'],
    [
      "higher_order.conds",
      "higher-order operator 'higher_order.conds' is not known",
      'did you mean "higher_order.cond"?',
    ],
  ])("%s is refused, with its place and a suggestion", (target, message, suggestion) => {
    const refused = expect.objectContaining({
      code: "UNKNOWN_TARGET",
      message: expect.stringContaining(message) as string,
      where: expect.stringContaining("line 2, column 16") as string,
      fix: expect.stringMatching(/unknownTargets: "allow"/) as string,
    });
    const text = calling(target);
    expect(() => parseGraph(text, { operators })).toThrow(refused);
    expect(() => parseGraph(text, { operators })).toThrow(
      expect.objectContaining({ fix: expect.stringContaining(suggestion) as string }),
    );
    expect(() => parseIr(`program "ATEN" {}\n${text}`, { operators })).toThrow(
      expect.objectContaining({ code: "UNKNOWN_TARGET", where: "line 3, column 16 (node a)" }),
    );
    const name = target.replaceAll('"', "");
    expect(() => new GraphBuilder({ operators }).call("a", name, [])).toThrow(
      expect.objectContaining({ code: "UNKNOWN_TARGET", where: "a" }),
    );
    expect(parseGraph(text, { operators, unknownTargets: "allow" }).node("a").target).toBe(name);
    expect(new GraphBuilder({ operators, unknownTargets: "allow" }).call("a", name, [])).toEqual(ref("a"));
  });

  test.each([
    "aten.relu.default",
    "mylib.twice.default",
    "otherlib.unknown.default",
    "operator.add",
    "math.ceil",
    "torch.sym_max",
    "higher_order.cond",
  ])("%s is kept", (target) => {
    expect(parseGraph(calling(target), { operators }).node("a").target).toBe(target);
  });

  test("nested graphs are read the same way", () => {
    const text = `graph(%x: f32[2]) {
  %body = get_attr body
  %w: (f32[2]) = higher_order.wrap(%body, %x)
  return (%w)

  graph body(%y: f32[2]) {
    %z: f32[2] = aten.rellu.default(%y)
    return (%z)
  }
}`;
    expect(() => parseGraph(text, { operators })).toThrow(
      expect.objectContaining({ code: "UNKNOWN_TARGET", where: "line 7, column 18 (node z)" }),
    );
  });

  test("a plugin's dialect adds functions and higher-order operators", () => {
    for (const target of ["math.sin", "higher_order.mine"]) {
      expect(() => parseGraph(calling(target), { operators })).toThrow("is not known");
      expect(parseGraph(calling(target), { operators, dialects }).node("a").target).toBe(target);
    }
  });
});

test("without a table the spelling of operators is checked, and the names of functions", () => {
  expect(parseGraph(calling("aten.rellu.default")).node("a").target).toBe("aten.rellu.default");
  for (const target of ["aten.relu", "relu", "aten.relu.default.out", "operator.ad", "higher_order.conds"]) {
    expect(() => parseGraph(calling(target))).toThrow(expect.objectContaining({ code: "UNKNOWN_TARGET" }));
    expect(() => new GraphBuilder().call("a", target, [])).toThrow(
      expect.objectContaining({ code: "UNKNOWN_TARGET" }),
    );
  }
});
