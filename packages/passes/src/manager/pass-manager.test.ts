import { SconceError } from "@sconce/errors";
import { graphVersions } from "@sconce/ir";
import { describe, expect, test } from "vitest";
import { commonSubexpressionElimination } from "../builtin/cse.js";
import { deadCodeElimination } from "../builtin/dce.js";
import { foldConstants } from "../builtin/fold-constants.js";
import { rulePass } from "../builtin/rule-pass.js";
import { definePass, repeat } from "../pass/pass.js";
import { context, graphOf, programOf, textOf } from "../programs.fixture.js";
import { defineRule } from "../rewrite/rule.js";
import { type PassEvent, PassManager } from "./pass-manager.js";

const program = programOf(`graph(%x: f32[2]) {
  %a: f32[2] = aten.neg.default(%x)
  %b: f32[2] = aten.neg.default(%x)
  return (%a)
}`);
const throwing = definePass({
  name: "throwing",
  doc: "Fails.",
  run: () => {
    throw new SconceError({ code: "BROKEN", message: "cannot go on", where: "%a", fix: "fix it" });
  },
});
const breaking = definePass({
  name: "breaking",
  doc: "Drops a node that is used.",
  run: (before) =>
    before.with({ graph: graphOf([...before.graph.nodes()].filter((node) => node.name !== "a")) }),
});

/** Puts `relu` in place of `neg`, and another pass back again. */
const swap = (name: string, from: string, to: string) =>
  rulePass({
    name,
    doc: "One operator for another.",
    rules: [
      defineRule({
        name: `${from}-${to}`,
        doc: "",
        match: `aten.${from}.default($x)`,
        replace: `aten.${to}.default($x)`,
      }),
    ],
  });

describe("repeat", () => {
  const forth = swap("forth", "neg", "relu");
  const back = swap("back", "relu", "neg");

  test("goes on until nothing changes", () => {
    const steps: string[] = [];
    const observers = [
      ({ pass, fired }: PassEvent) => steps.push(`${pass.name} ${[...fired].join(" ")}`.trim()),
    ];
    new PassManager(context, { observers }).run(program, [repeat([forth, deadCodeElimination])]);
    expect(steps).toEqual(["forth neg-relu,2", "dce", "forth", "dce"]);
  });

  test("names what still changes when the rounds are over", () => {
    expect(() => new PassManager(context).run(program, [repeat([forth, back], 3)])).toThrow(
      'the program still changes in round 3: "forth" (neg-relu 2x), "back" (relu-neg 2x)',
    );
  });
});

describe("what passes promise", () => {
  test("another dialect than ensured is refused", () => {
    const liar = definePass({
      name: "liar",
      doc: "",
      ensures: "ATEN",
      run: (before) => before.with({ dialect: "MINE" }),
    });
    expect(() => new PassManager(context).run(program, [liar])).toThrow(
      'pass "liar" (step 1) promises a program in the ATEN dialect and gave one in MINE',
    );
  });

  test("renamed inputs are reported", () => {
    const renaming = definePass({
      name: "renaming",
      doc: "",
      run: () =>
        programOf(`graph(%z: f32[2]) {
  %a: f32[2] = aten.neg.default(%z)
  return (%a)
}`),
    });
    expect(() => new PassManager(context).run(program, [renaming])).toThrow(
      /not valid after pass "renaming" \(step 1\): user input x is called z now/,
    );
    expect(new PassManager(context, { verify: false }).run(program, [renaming]).userInputs).toEqual([
      { name: "z" },
    ]);
  });

  test("external passes are verified by default", () => {
    expect(() => new PassManager(context).run(program, [breaking])).toThrow(
      /not valid after pass "breaking"/,
    );
  });
});

describe("PassManager", () => {
  test("runs passes in order and reports to observers what each did", () => {
    const seen: string[] = [];
    const manager = new PassManager(context, {
      verify: true,
      observers: [
        ({ pass, step, before, after }) =>
          seen.push(`${step} ${pass.name} ${before.graph.size}->${after.graph.size}`),
      ],
    });
    const result = manager.run(program, [commonSubexpressionElimination, deadCodeElimination]);
    expect(seen).toEqual(["0 cse 4->3", "1 dce 3->3"]);
    expect(result.graph.size).toBe(3);
    expect(program.graph.size).toBe(4);
  });

  test("names the pass and the step that failed, with the cause", () => {
    try {
      new PassManager(context).run(program, [deadCodeElimination, throwing]);
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({
        code: "PASS_FAILED",
        message: 'pass "throwing" (step 2) failed: cannot go on',
        where: "%a",
        fix: "fix it",
      });
      expect((error as Error).cause).toMatchObject({ code: "BROKEN" });
    }
  });

  test("verifies in between when asked, and only then", () => {
    expect(() => new PassManager(context, { verify: true }).run(program, [breaking])).toThrow(
      /not valid after pass "breaking" \(step 1\)/,
    );
    expect(new PassManager(context, { verify: false }).run(program, [breaking]).graph.size).toBe(3);
  });

  test("reports a pass that loses metadata", () => {
    const forgetful = definePass({
      name: "forgetful",
      doc: "Drops the metadata of all calls.",
      run: (before) =>
        before.with({
          graph: graphOf(
            [...before.graph.nodes()].map((node) => ({
              ...node,
              meta: node.op === "call_function" ? {} : node.meta,
            })),
          ),
        }),
    });
    expect(() => new PassManager(context, { verify: true }).run(program, [forgetful])).toThrow(
      /missing val field|lost its val/,
    );
  });

  test("keeps the history of changes by default, which leads back to the first version", () => {
    const result = new PassManager(context).run(program, [deadCodeElimination]);
    expect(result.history.map((entry) => entry.pass)).toEqual(["dce"]);
    const versions = [...graphVersions(result)];
    expect(versions.map((version) => version.pass)).toEqual(["dce", undefined]);
    expect(textOf(versions[1]!.graph)).toBe(textOf(program));
    const unrecorded = new PassManager(context, { record: false }).run(program, [deadCodeElimination]);
    expect(unrecorded.history).toEqual([]);
  });

  test("refuses a program in another dialect than a pass needs", () => {
    const training = program.with({ dialect: "TRAINING" });
    expect(() => new PassManager(context).run(training, [foldConstants])).toThrow(
      /needs a program in the ATEN dialect/,
    );
  });
});

describe("times of rules", () => {
  const pass = swap("forth", "neg", "relu");
  const timesOf = (timeRules: boolean): string[][] => {
    const times: string[][] = [];
    const observers = [({ ruleMilliseconds }: PassEvent) => times.push([...ruleMilliseconds.keys()])];
    new PassManager(context, { observers, timeRules }).run(program, [pass, deadCodeElimination]);
    return times;
  };

  test("are measured on request only, for the rules that a pass tries", () => {
    expect(timesOf(true)).toEqual([["neg-relu"], []]);
    expect(timesOf(false)).toEqual([[], []]);
  });
});
