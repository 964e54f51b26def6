import { type ExportedProgram, edit, type Graph, GraphBuilder, type Node } from "@sconce/ir";
import { parseIr } from "@sconce/ir/text";
import type { Emit } from "@sconce/ops";
import { builtinRules, decompose, definePass, defineRule, type Pass, type Plugin } from "@sconce/passes";
import type { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { createSconce } from "../index.js";
import { failure, guardProgram, program, TEXT, weights } from "./hostile-plugins.fixture.js";

guardProgram();

function graphOf(nodes: readonly Node[]): Graph {
  return new GraphBuilder({ unknownTargets: "allow" }).addAll(nodes).build();
}

const passOf = (run: Pass["run"]): Pass => definePass({ name: "bad", doc: "Harms.", run });
const withGraph = (change: (one: ExportedProgram) => Graph) =>
  passOf((one) => one.with({ graph: change(one) }));
/** Past the types, which plugins in JavaScript do not have. */
const writable = (value: unknown) => value as Record<string, never> & { set: unknown } & unknown[];

describe("a pass of a plugin", () => {
  test.each<[string, Pass, string, RegExp]>([
    [
      "that throws",
      passOf(() => {
        throw new Error("boo");
      }),
      "PASS_FAILED",
      /^pass "bad" of plugin "evil" \(step 1\) failed: boo$/,
    ],
    [
      "that throws no error",
      passOf(() => {
        throw "boo";
      }),
      "PASS_FAILED",
      /^pass "bad" of plugin "evil" \(step 1\) failed: boo$/,
    ],
    ["that returns null", passOf(() => null as never), "PASS_FAILED", /evil.* returned null, not a program/],
    [
      "that returns a promise",
      passOf((one) => Promise.resolve(one) as never),
      "PASS_FAILED",
      /evil.* returned a promise, not a program/,
    ],
    [
      "whose graph breaks the verifier",
      withGraph((one) => graphOf([...one.graph.nodes()].filter(({ name }) => name !== "a"))),
      "INVALID_PROGRAM",
      /not valid after pass "bad" of plugin "evil" \(step 1\)/,
    ],
    [
      "that renames an input",
      passOf(() => parseIr(TEXT.replaceAll("%x", "%z"), { tensors: new Map([["w", weights]]) })),
      "INVALID_PROGRAM",
      /plugin "evil" \(step 1\): user input x is called z now/,
    ],
    [
      "that renames an input and hides it behind a new dialect",
      passOf(() =>
        parseIr(TEXT.replaceAll("%x", "%z").replace("ATEN", "TRAINING"), {
          tensors: new Map([["w", weights]]),
        }),
      ),
      "INVALID_PROGRAM",
      /user input x is called z now/,
    ],
    [
      "that loses metadata",
      withGraph((one) => edit(one.graph, (e) => e.replaceNode("a", { meta: {} }))),
      "INVALID_PROGRAM",
      /evil/,
    ],
    [
      "that writes to arguments",
      passOf((one) => {
        writable(one.graph.node("a").args)[0] = 3;
        return one;
      }),
      "PASS_FAILED",
      /evil.* failed: Cannot assign to read only property/,
    ],
    [
      "that writes to metadata",
      passOf((one) => {
        writable(writable(one.graph.node("a").meta)["val"])["dtype"] = "int64" as never;
        return one;
      }),
      "PASS_FAILED",
      /evil.* failed: Cannot assign to read only property 'dtype'/,
    ],
    [
      "that changes the program itself",
      passOf((one) => {
        writable(one)["dialect"] = "MINE" as never;
        return one;
      }),
      "PASS_FAILED",
      /evil.* failed: Cannot assign to read only property 'dialect'/,
    ],
    [
      "that changes the signature",
      passOf((one) => {
        writable(one.graphSignature.inputSpecs).pop();
        return one;
      }),
      "PASS_FAILED",
      /evil.* failed: Cannot delete property/,
    ],
    [
      "that gives a tensor another shape",
      passOf((one) => {
        writable(one.stateDict.get("w"))["shape"] = [2, 2] as never;
        return one;
      }),
      "PASS_FAILED",
      /evil.* failed: Cannot assign to read only property 'shape'/,
    ],
    [
      "that empties the state",
      passOf((one) => {
        (one.stateDict as Map<string, Tensor>).clear();
        return one;
      }),
      "PASS_FAILED",
      /evil.* failed: Cannot clear entries of a program/,
    ],
    [
      "that changes the options of a built-in pass",
      passOf((one) => {
        writable(decompose.options)["table"] = {} as never;
        return one;
      }),
      "PASS_FAILED",
      /evil.* failed: Cannot assign to read only property 'table'/,
    ],
    [
      "that changes the pattern of a built-in rule",
      passOf((one) => {
        (builtinRules[0]!.roots as Map<string, never>).clear();
        return one;
      }),
      "PASS_FAILED",
      /evil.* failed: Cannot clear entries of a rule/,
    ],
    [
      "that throws what has no text",
      passOf(() => {
        throw Object.create(null);
      }),
      "PASS_FAILED",
      /evil.* failed: something that has no text/,
    ],
    [
      "that drops an output",
      passOf(() =>
        parseIr(TEXT.replace("  output %b: USER_OUTPUT\n", "").replace("(%b)", "()"), {
          tensors: new Map([["w", weights]]),
        }),
      ),
      "INVALID_PROGRAM",
      /"evil" \(step 1\): the number of user outputs changed from 1 to 0/,
    ],
  ])("%s is named", (_, pass, code, message) => {
    const error = failure({ passes: [pass] }, "bad");
    expect(error).toMatchObject({ code });
    expect(error.message).toMatch(message);
  });

  test("that gives a program with parts of another kind is named, with all of them", () => {
    const parts = {
      rangeConstraints: [],
      stateDict: null,
      graphSignature: 1,
      moduleCallGraph: {},
      history: 0,
    };
    for (const [part, value] of Object.entries(parts)) {
      const gives = passOf((one) => one.with({ [part]: value } as object));
      const error = failure({ passes: [gives] }, "bad");
      expect(error).toMatchObject({ code: "INVALID_PROGRAM" });
      expect(error.message).toMatch(new RegExp(`plugin "evil" \\(step 1\\): ${part} is `));
    }
    const all = passOf((one) => one.with(parts as object));
    for (const part of Object.keys(parts))
      expect(failure({ passes: [all] }, "bad").message).toContain(`${part} is `);
  });

  const values = (one: ExportedProgram) => one.stateDict.get("w")!.data as Float32Array;
  const written = 'pass "bad" of plugin "evil" (step 1) wrote to the values of "w"';

  test("that writes to a weight is named, and the values are put back", () => {
    const writes = passOf((one) => {
      values(one).fill(0);
      return one;
    });
    const error = failure({ passes: [writes] }, "bad");
    expect(error).toMatchObject({ code: "VALUES_WRITTEN", where: "w" });
    expect(error.message).toContain(written);
  });

  test("that writes to a weight is named when it is checked and bisected", () => {
    const writes = passOf((one) => {
      values(one).reverse();
      return one.with({ graph: edit(one.graph, (e) => e.replaceNode("b", { target: "aten.neg.default" })) });
    });
    const sconce = createSconce({ plugins: [{ name: "evil", passes: [writes] }] });
    for (const options of [{ check: true, verify: false }, { verify: true }])
      expect(() => sconce.transform(program, "bad", options)).toThrow(written);
    const { culprit } = sconce.bisect(program, "cse,bad");
    expect(culprit).toMatchObject({ pass: "bad", step: 1, kind: "written" });
    expect(culprit?.error.message).toContain(
      'pass "bad" of plugin "evil" (step 2) wrote to the values of "w"',
    );
    expect([...values(culprit!.reproducer.program)]).toEqual([1, 2, 3, 4]);
  });

  test("that writes to a weight and then throws, or returns nothing, does no harm either", () => {
    const throws = passOf((one) => {
      values(one)[3] = 9;
      throw new Error("boo");
    });
    expect(failure({ passes: [throws] }, "bad")).toMatchObject({ code: "PASS_FAILED" });
    expect([...values(program)]).toEqual([1, 2, 3, 4]);
    const forgets = passOf((one) => void values(one).fill(9) as never);
    expect(failure({ passes: [forgets] }, "bad")).toMatchObject({ code: "PASS_FAILED" });
  });

  test("a kernel that writes to a weight is found when all passes are verified", () => {
    const kernel = ({ self }: { self: Tensor }) => {
      (self.data as Float32Array).fill(7);
      return self;
    };
    const plugin: Plugin = { name: "evil", kernels: { "aten.relu.default": kernel as never } };
    const sconce = createSconce({ plugins: [plugin] });
    const text = TEXT.replace("mul.Tensor(%x, %p_w)", "relu.default(%p_w)").replace(
      "relu.default(%a)",
      "add.Tensor(%a, %x)",
    );
    const reading = parseIr(text, {
      tensors: new Map([["w", weights]]),
    });
    expect(() => sconce.transform(reading, "fold-constants{weights=true}", { verify: true })).toThrow(
      'pass "fold-constants" (step 1) wrote to the values of "w"',
    );
  });

  test("cannot change the sets and records of a program either", () => {
    const clears = passOf((one) => {
      (one.parameterNames as Set<string>).clear();
      return one;
    });
    expect(failure({ passes: [clears] }, "bad").message).toMatch(
      /evil.* failed: Cannot clear entries of a program/,
    );
    const writes = passOf((one) => {
      (one.opsetVersion as Record<string, number>)["aten"] = 99;
      return one;
    });
    expect(failure({ passes: [writes] }, "bad")).toMatchObject({ code: "PASS_FAILED" });
  });

  test("cannot change the defaults that later runs get", () => {
    const greedy = definePass({
      name: "bad",
      doc: "Harms.",
      options: { list: { default: [], doc: "a list" } },
      run: (one, _, { list }) => {
        writable(list).push("more" as never);
        return one;
      },
    });
    expect(failure({ passes: [greedy] }, "bad").message).toMatch(/evil.* Cannot add property 0/);
    expect(greedy.options["list"]!.default).toEqual([]);
  });

  test("that never converges is named with its plugin", () => {
    const flip = withGraph((one) => {
      const target =
        one.graph.node("b").target === "aten.relu.default" ? "aten.neg.default" : "aten.relu.default";
      return edit(one.graph, (e) => e.replaceNode("b", { target }));
    });
    expect(failure({ passes: [flip] }, "repeat{max=3}(bad)").message).toBe(
      'the program still changes in round 3: "bad" of plugin "evil"',
    );
  });

  test("is also held to the rules when it runs after others", () => {
    const error = failure({ passes: [passOf(() => undefined as never)] }, "cse,dce,bad");
    expect(error.message).toContain('pass "bad" of plugin "evil" (step 3)');
  });
});

describe("a rule of a plugin", () => {
  const ruleOf = (definition: object) =>
    defineRule({
      name: "worse",
      doc: "Harms.",
      match: "aten.relu.default($x)",
      replace: "aten.neg.default($x)",
      ...definition,
    });
  const rewrite = "rewrite{rules=[worse]}";

  test("that throws is named, in its guard and in its replacement", () => {
    const boo = () => {
      throw new Error("boo");
    };
    for (const part of [{ where: boo }, { replace: boo }]) {
      const error = failure({ rules: [ruleOf(part)] }, rewrite);
      expect(error.message).toContain('rule "worse" of plugin "evil" threw at %b: boo');
      expect(error.cause).toMatchObject({ code: "RULE" });
    }
  });

  test("that never converges is named", () => {
    const again = ruleOf({
      replace: (emit: Emit, { x }: { x: never }) =>
        emit("aten.relu.default", [emit("aten.neg.default", [x])]),
    });
    const error = failure({ rules: [again] }, rewrite);
    expect(error.message).toContain('rule "worse" of plugin "evil" never converges at %b');
    expect(error.cause).toMatchObject({ code: "REWRITE_DIVERGES" });
  });

  test("that writes to what it matched is refused", () => {
    const writing = ruleOf({
      where: (_: unknown, match: { root: { args: unknown[] } }) => {
        match.root.args[0] = 1;
        return true;
      },
    });
    expect(failure({ rules: [writing] }, rewrite).message).toMatch(
      /plugin "evil" threw at %b: Cannot assign/,
    );
  });
});
