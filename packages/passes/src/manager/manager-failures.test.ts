import { SconceError } from "@sconce/errors";
import { edit, ref } from "@sconce/ir";
import { describe, expect, test } from "vitest";
import { rulePass } from "../builtin/rule-pass.js";
import { definePass, type Pass, repeat } from "../pass/pass.js";
import { context, graphOf, programOf } from "../programs.fixture.js";
import type { RefusedRewrite } from "../rewrite/context.js";
import { defineRule, type Rule } from "../rewrite/rule.js";
import { NoFixpoint } from "./fixpoint-errors.js";
import { PassManager, type PassManagerOptions } from "./pass-manager.js";

const program = programOf(`graph(%x: f32[2], %y: f32[2]) {
  %a: f32[2] = aten.neg.default(%x)
  %b: f32[2] = aten.relu.default(%a)
  %c: f32[2] = aten.mul.Tensor(%y, 1)
  return (%b, %c)
}`);
const passOf = (run: Pass["run"], name = "bad"): Pass => definePass({ name, doc: "-", run });
const owned = { ...context, ownerOf: () => "evil" };
const manager = (options: PassManagerOptions = {}): PassManager => new PassManager(owned, options);

function failure(run: () => unknown): SconceError {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(SconceError);
    return error as SconceError;
  }
  throw new Error("nothing failed");
}
/** Past the types, which passes in JavaScript do not have. */
const anything = (value: unknown): never => value as never;

describe("what a pass gives or does is refused with the pass, its plugin and the step", () => {
  test.each<[string, Pass, RegExp]>([
    ["nothing", passOf(() => anything(undefined)), /returned undefined, not a program/],
    ["a promise", passOf(() => anything(Promise.resolve(program))), /returned a promise, not a program/],
    [
      "a promise that fails",
      passOf(() => anything(Promise.reject(new Error("later")))),
      /returned a promise, not a program/,
    ],
    ["a graph", passOf(({ graph }) => anything(graph)), /returned an object of class Graph, not a program/],
    ["a plain object", passOf(() => anything({})), /returned a value of type object, not a program/],
    [
      "a program with fewer inputs",
      passOf(() => programOf("graph(%x: f32[2]) { %b: f32[2] = aten.relu.default(%x) return (%b, %x) }")),
      /number of user inputs changed from 2 to 1/,
    ],
    [
      "a change of its context",
      passOf((p, c) => {
        (c as { operators?: unknown }).operators = undefined;
        return p;
      }),
      /failed: Cannot assign to read only property 'operators'/,
    ],
    [
      "a change of its options",
      passOf((p, _, options) => {
        (options as { x?: unknown }).x = 1;
        return p;
      }),
      /failed: Cannot add property x/,
    ],
  ])("%s", (_, pass, message) => {
    const error = failure(() => manager().run(program, [pass]));
    expect(error.message).toMatch(message);
    expect(error.message).toContain('pass "bad" of plugin "evil" (step 1)');
  });
});

test("an observer that throws, now or later, is reported with the step", async () => {
  const same = passOf((p) => p, "same");
  const boo = (): never => {
    throw new TypeError("boo");
  };
  const error = failure(() => manager({ observers: [() => {}, boo] }).run(program, [same]));
  expect(error).toMatchObject({
    code: "OBSERVER_FAILED",
    message: 'observer 2 threw after pass "same" of plugin "evil" (step 1): boo',
    cause: expect.any(TypeError),
  });
  const own = new SconceError({ code: "STOP", message: "enough", fix: "go on" });
  const stop = (): never => {
    throw own;
  };
  expect(failure(() => manager({ observers: [stop] }).run(program, [same]))).toBe(own);
  const warnings: string[] = [];
  const later = new PassManager(
    { ...owned, warn: (text) => void warnings.push(text) },
    { observers: [() => anything(Promise.reject(new Error("later")))] },
  );
  expect(later.run(program, [same])).toBe(program);
  await new Promise((done) => setTimeout(done, 0));
  expect(warnings).toEqual(['observer 1 threw after pass "same" of plugin "evil" (step 1): later']);
});

describe("repetitions that never converge stop early", () => {
  const rounds = (pass: readonly Pass[], max: number): { error: NoFixpoint; steps: number } => {
    let steps = 0;
    // Recording takes another object with the same content for the same program.
    const run = (): unknown =>
      manager({ record: false, observers: [() => void steps++] }).run(program, [repeat(pass, max)]);
    const error = failure(run);
    expect(error).toBeInstanceOf(NoFixpoint);
    return { error: error as NoFixpoint, steps };
  };
  const retarget = (from: string, to: string): Pass =>
    passOf(
      (p) => {
        const graph = edit(p.graph, (e) => {
          for (const { name, target } of p.graph.nodes())
            if (target === from) e.replaceNode(name, { target: to });
        });
        return graph === p.graph ? p : p.with({ graph });
      },
      `to-${to.split(".")[1]}`,
    );

  test("passes that undo each other, with the plugin", () => {
    const there = retarget("aten.relu.default", "aten.sigmoid.default");
    const back = retarget("aten.sigmoid.default", "aten.relu.default");
    const { error, steps } = rounds([there, back], 1000);
    expect(error.message).toBe(
      'round 4 leads back to an earlier program: "to-sigmoid" of plugin "evil", "to-relu" of plugin "evil"',
    );
    expect(error.changes.map(({ isSame }) => isSame)).toEqual([false, false]);
    expect([error.program, steps]).toEqual([program, 8]);
  });

  test("a program that comes back after several rounds", () => {
    const circle = passOf((p) => {
      const next = new Map([
        ["aten.relu.default", "aten.sigmoid.default"],
        ["aten.sigmoid.default", "aten.tanh.default"],
        ["aten.tanh.default", "aten.relu.default"],
      ]).get(p.graph.node("b").target)!;
      return p.with({ graph: edit(p.graph, (e) => e.replaceNode("b", { target: next })) });
    });
    expect(rounds([circle], 1000).steps).toBe(8);
  });

  test("a pass that never gives the same object back", () => {
    const other = passOf((p) => p.with({ graph: graphOf(p.graph.nodes(), p.graph.subgraphs) }));
    const { error } = rounds([other], 1000);
    expect(error.message).toBe('round 4 gives another object for the same program: "bad" of plugin "evil"');
    expect([error.fix, error.changes[0]!.isSame]).toEqual([
      "return the program that the pass was given when nothing changed",
      true,
    ]);
  });

  test("a program that grows", () => {
    const growing = passOf((p) => {
      const graph = edit(p.graph, (e) => {
        const { op, target, meta } = p.graph.node("a");
        e.replaceAllUses("a", e.insertAfter("a", { op, target, args: [ref("a")], meta: { val: meta.val! } }));
      });
      return p.with({ graph });
    });
    const { error, steps } = rounds([growing], 1000);
    expect([error.message, steps]).toEqual([
      'the program grows in each of 8 rounds, to 14 nodes: "bad" of plugin "evil"',
      8,
    ]);
  });
});

describe("rewrites that the driver refuses are reported", () => {
  const rule = (name: string, match: string, replace: string | Rule["replace"]): Rule =>
    defineRule({ name, doc: "-", match, replace: replace as string });
  const refusedBy = (
    ...rules: readonly Rule[]
  ): { refused: readonly RefusedRewrite[]; notes: readonly string[] } => {
    let seen: { refused: readonly RefusedRewrite[]; notes: readonly string[] } | undefined;
    manager({ observers: [(event) => (seen = event)] }).run(program, [
      rulePass({ name: "rules", doc: "-", rules }),
    ]);
    return seen!;
  };

  test.each<[string, Rule, object]>([
    [
      "because an output would be an input",
      rule("one", "aten.mul.Tensor($x, 1)", "$x"),
      { node: "c", kind: "aliasing", reason: "an output would be the input %y itself" },
    ],
    [
      "because the dtype is another",
      rule("cast", "aten.relu.default($x)", "aten._to_copy.default($x, dtype=float64)"),
      { node: "b", kind: "type", reason: "would give float64 instead of float32" },
    ],
    [
      "because an operator refuses the operands",
      rule("mm", "aten.relu.default($x)", "aten.mm.default($x, $x)"),
      {
        node: "b",
        kind: "operator",
        reason: "mat1 must be a 2D tensor, got 1D; got self: float32[2], mat2: float32[2]",
      },
    ],
  ])("%s", (_, one, expected) => {
    const { refused, notes } = refusedBy(one);
    expect(refused).toEqual([
      expect.objectContaining({ rule: one.name, plugin: "evil", graph: "", ...expected }),
    ]);
    expect(notes).toEqual([
      `rule ${one.name} fires nowhere; it is refused at %${refused[0]!.node}, ${refused[0]!.reason}`,
    ]);
  });

  test("not because of what the rule itself says, and not at places where it fires after all", () => {
    const own = rule("own", "aten.relu.default($x)", () => "not today");
    const right = rule("right", "aten.neg.default($x)", "aten.mul.Tensor($x, -1)");
    expect(refusedBy(own, right)).toMatchObject({ refused: [], notes: [] });
  });

  test.each<[string, Rule["replace"], RegExp]>([
    [
      "a node",
      (_, __, { root }) => anything(root),
      /gives an object with name, op, .* which is not a value that its emitter gave/,
    ],
    ["a node of another graph", () => anything({ kind: "node", name: "nope" }), /gives the node %nope/],
    ["a number", () => anything(3), /./],
    ["nothing", () => anything(undefined), /gives undefined/],
    ["a promise", () => anything(Promise.resolve(1)), /gives a promise/],
    ["a tensor of another program", () => program.graph.node("a").meta.val!, /neither captured nor emitted/],
    [
      "an operand of another graph",
      (emit) => emit("aten.neg.default", [anything({ kind: "node", name: "nope" })]),
      /./,
    ],
  ])("%s instead of a value is a mistake of the rule, or refused with a reason", (what, replace, message) => {
    const one = rule("odd", "aten.relu.default($x)", replace);
    if (what === "a number") {
      expect(refusedBy(one).refused).toMatchObject([
        { kind: "type", reason: "the replacement is not a tensor" },
      ]);
      return;
    }
    const error = failure(() => refusedBy(one));
    expect(error.message).toMatch(message);
    expect(error.message).toMatch(
      /^pass "rules" of plugin "evil" \(step 1\) failed: rule "odd" of plugin "evil"/,
    );
    expect(error.message).toContain("%b");
  });
});
