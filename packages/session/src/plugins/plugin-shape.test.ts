import { ATEN } from "@sconce/ir";
import { defineOp } from "@sconce/ops";
import { definePass } from "@sconce/passes";
import { describe, expect, test } from "vitest";
import { createSconce } from "../index.js";

const open = (...plugins: readonly unknown[]) => createSconce({ plugins: plugins as never });
const pass = definePass({ name: "nothing", doc: "Nothing.", run: (program) => program });

describe("a plugin of another shape is refused, with the field that is wrong", () => {
  test.each<[string, unknown, string]>([
    ["null", null, "plugin 1 is null, not an object"],
    ["a list", [], "plugin 1 is a list, not an object"],
    ["no name", {}, "plugin 1 has a bad field name: expected a name, got undefined"],
    ["an empty name", { name: "" }, 'plugin 1 has a bad field name: expected a name, got ""'],
    ["an unknown field", { name: "p", opz: [] }, 'plugin "p" has a field "opz", which no plugin has'],
    ["passes as an object", { name: "p", passes: {} }, "a bad field passes: expected a list, got an object"],
    [
      "a pass that is null",
      { name: "p", passes: [null] },
      "a bad field passes[0]: expected an object, got null",
    ],
    [
      "a pass without run",
      { name: "p", passes: [pass, { ...pass, name: "b", run: "x" }] },
      'plugin "p" has a bad field passes[1].run: expected a function, got "x"',
    ],
    [
      "a pass that no pipeline can name",
      { name: "p", passes: [{ ...pass, name: "a,b" }] },
      'passes[0].name: expected a name of letters, digits, _ and -, got "a,b"',
    ],
    [
      "an option without default",
      { name: "p", passes: [{ ...pass, options: { a: { doc: "" } } }] },
      "passes[0].options.a.default: expected a string, number, boolean or list of strings, got undefined",
    ],
    [
      "an option with odd choices",
      { name: "p", passes: [{ ...pass, options: { a: { doc: "", default: "", choices: 3 } } }] },
      "passes[0].options.a.choices: expected a list of strings, or choices of a session",
    ],
    [
      "an option that is null",
      { name: "p", passes: [{ ...pass, options: { a: null } }] },
      "passes[0].options.a: expected an object, got null",
    ],
    [
      "a rule without pattern",
      { name: "p", rules: [{ name: "r", doc: "" }] },
      "rules[0].roots: expected a map",
    ],
    ["an op", { name: "p", ops: [{ target: 3 }] }, "ops[0].target: expected a name, got a number"],
    ["a dialect", { name: "p", dialects: [{ name: "D" }] }, "dialects[0].functional: expected a boolean"],
    ["a backend", { name: "p", backends: [{ name: "b" }] }, "backends[0].supports: expected a function"],
    [
      "a pytree type",
      { name: "p", pytreeTypes: [{ name: "T" }] },
      "pytreeTypes[0].flatten: expected a function",
    ],
    ["kernels as a list", { name: "p", kernels: [] }, "a bad field kernels: expected an object, got a list"],
    [
      "a decomposition",
      { name: "p", decompositions: { "aten.relu.default": 1 } },
      'a bad field decompositions["aten.relu.default"]: expected a function, got a number',
    ],
    [
      "a getter that throws",
      Object.defineProperty({ name: "p" }, "passes", {
        enumerable: true,
        get: () => {
          throw new Error("boo");
        },
      }),
      'plugin "p" threw when its field passes was read: boo',
    ],
    [
      "an unknown dialect",
      { name: "p", passes: [{ ...pass, requires: "MINE" }] },
      'plugin "p" has a pass "nothing" that names the dialect MINE, which nothing defines',
    ],
  ])("%s", (_, plugin, message) => {
    expect(() => open(plugin)).toThrow(expect.objectContaining({ code: "PLUGIN", fix: expect.any(String) }));
    expect(() => open(plugin)).toThrow(message);
  });

  test("clashes name both owners", () => {
    const mine = { ...ATEN, name: "MINE" };
    const cpu = createSconce().backends.get("cpu")!;
    const clash = (a: object, b: object) => () => open({ name: "a", ...a }, { name: "b", ...b });
    expect(clash({ dialects: [mine] }, { dialects: [mine] })).toThrow(
      'dialect "MINE" is defined by plugins "a" and "b"',
    );
    expect(clash({ dialects: [ATEN] }, {})).toThrow('dialect "ATEN" is defined by Sconce and by plugin "a"');
    expect(clash({ backends: [cpu] }, {})).toThrow('backend "cpu" is defined by Sconce and by plugin "a"');
    expect(clash({ passes: [{ ...pass, name: "repeat" }] }, {})).toThrow(
      'pass "repeat" is defined by Sconce',
    );
    expect(clash({ passes: [pass, pass] }, {})).toThrow('pass "nothing" is defined twice by plugin "a"');
    expect(() => createSconce({ backends: [cpu] })).toThrow(
      "by Sconce and by the `backends` of createSconce",
    );
    expect(() => open({ name: "a" }, { name: "a" })).toThrow('plugin "a" is defined twice');
  });

  test("what is done to a plugin later changes nothing", () => {
    const op = defineOp({ schema: "mylib::id(Tensor x) -> Tensor", decompose: (_, { x }) => x });
    const plugin = { name: "p", ops: [op], passes: [pass], decompositions: {} as Record<string, never> };
    const sconce = open(plugin);
    plugin.passes.push({ ...pass, name: "late" });
    plugin.decompositions["aten.nope.default"] = 1 as never;
    expect(sconce.passes.has("late")).toBe(false);
    expect(sconce.defaultDecompositions().has("mylib.id.default")).toBe(true);
  });
});
