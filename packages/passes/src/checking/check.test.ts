import { type ExportedProgram, edit, type NodePatch, ref } from "@sconce/ir";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { checkPasses } from "../bisect/check-passes.js";
import { dtypeConversion } from "../builtin/convert-dtype.js";
import { deadCodeElimination } from "../builtin/dce.js";
import { PassManager } from "../manager/pass-manager.js";
import type { PassOptions } from "../options/spec.js";
import { definePass, type Pass, passCall } from "../pass/pass.js";
import { context, programOf } from "../programs.fixture.js";
import type { CheckOptions } from "./options.js";

const TEXT = `graph(%p_w: f32[2, 2], %x: f32[2, 2]) {
  %relu: f32[2, 2] = aten.relu.default(%x)
  %mul: f32[2, 2] = aten.mul.Tensor(%relu, %p_w)
  %neg: f32[2, 2] = aten.neg.default(%x)
  %add: f32[2, 2] = aten.add.Tensor(%mul, %neg)
  return (%add)
}`;

/** A pass that changes the call of one node. */
const changing = (name: string, change: NodePatch, more: Partial<Pass> = {}): Pass =>
  definePass({
    name: "wrong",
    doc: "Changes a call.",
    ...more,
    run: (program) =>
      program.with({
        graph: edit(program.graph, (e) => e.replaceNode(name, change)),
      }),
  });

const check = (program: ExportedProgram, ...passes: readonly Pass[]) => checkPasses(program, passes, context);

describe("passes are checked", () => {
  test("equal numbers, and how many were compared", () => {
    const { reports } = check(programOf(TEXT), changing("neg", { kwargs: {} }), deadCodeElimination);
    expect(reports).toEqual([
      {
        pass: "wrong",
        step: 0,
        runs: 1,
        refused: 0,
        outputs: 1,
        inputs: 0,
        state: 0,
        elements: 4,
        coverage: expect.objectContaining({ wholeRuns: 2, regions: 0 }),
      },
      expect.objectContaining({
        pass: "dce",
        runs: 0,
        elements: 0,
        skipped: "the program did not change",
      }),
    ]);
  });

  test("the first output and the first node that differ are named, with the numbers", () => {
    const wrong = changing("mul", { target: "aten.sub.Tensor" });
    expect(() => check(programOf(TEXT), deadCodeElimination, wrong)).toThrow(
      /^pass "wrong" \(step 2\) changed numbers, run 1 on \(float32\[2, 2\]\): output 0 \(%add\): .*first: \[0, 0\] is .*; the first node that differs is %mul = aten.sub.Tensor: .*expected/,
    );
  });

  test("a node that replaces another under a new name represents it", () => {
    const wrong = definePass({
      name: "wrong",
      doc: "relu becomes abs.",
      run: (program) =>
        program.with({
          graph: edit(program.graph, (e) => {
            const old = program.graph.node("relu");
            const origin = { pass: "wrong", from: ["relu"] };
            e.insertBefore("relu", {
              ...old,
              name: "abs_1",
              target: "aten.abs.default",
              meta: { ...old.meta, origin },
            });
            e.replaceAllUses("relu", ref("abs_1"));
            e.remove("relu");
          }),
        }),
    });
    expect(() => check(programOf(TEXT), wrong)).toThrow(
      /node that differs is %abs_1 = aten.abs.default, %relu before/,
    );
  });

  test("a change within the tolerance passes, and a tolerance can be given", () => {
    const slightly = changing("add", { kwargs: { alpha: 1.0001 } });
    expect(() => check(programOf(TEXT), slightly)).toThrow(/PASS_CHANGED|changed numbers/);
    const options = { check: { rtol: 1e-2, atol: 1e-2 } };
    expect(new PassManager(context, options).run(programOf(TEXT), [slightly])).toBeDefined();
  });

  test("passes that change numbers on purpose are left out, or held to a reported bound", () => {
    const purposely: Pass = { ...dtypeConversion, changesNumbers: true };
    const seen: unknown[] = [];
    const run = (changed?: { rtol: number; atol: number }) =>
      new PassManager(context, {
        check: { changed },
        observers: [({ check }) => seen.push([check?.skipped, check?.tolerance])],
      }).run(programOf(TEXT), [purposely]);
    run();
    run({ rtol: 0.1, atol: 0.1 });
    expect(seen).toEqual([
      ["the pass changes numbers on purpose", undefined],
      [undefined, { rtol: 0.1, atol: 0.1 }],
    ]);
    expect(() => run({ rtol: 0, atol: 0 })).toThrow(/changed numbers/);
  });

  describe("a pass that computes in a narrower dtype", () => {
    const SUM = `graph(%x: f32[4, 8]) {
      %s: f32[4, 8] = aten._softmax.default(%x, 1, false)
      %y: f32[4, 8] = aten.mul.Tensor(%s, %x)
      return (%y)
    }`;
    const report = (options: CheckOptions, call: PassOptions = {}, pass: Pass = dtypeConversion) => {
      const { reports } = checkPasses(programOf(SUM), [passCall(pass, call)], context, options);
      return reports[0]!;
    };

    test.each([{}, { to: "float16" }, { io: true }, { to: "float16", io: true }])(
      "is compared within that dtype's rounding: %j",
      (call) => {
        const { skipped, tolerance, runs, refused, elements } = report({}, call);
        expect([skipped, tolerance?.precision]).toEqual([undefined, call.to ?? "bfloat16"]);
        expect([runs, refused, elements]).toEqual([1, 0, 32]);
      },
    );

    test("is held to a tolerance that was given", () => {
      expect(() => report({ rtol: 1e-6, atol: 1e-6 })).toThrow(/changed numbers/);
      expect(() => report({ changed: { rtol: 0, atol: 0 } })).toThrow(/changed numbers/);
      expect(report({ changed: { rtol: 0.1, atol: 0.1 } }).runs).toBe(1);
    });

    test("may not change more than that, and the node that does is named", () => {
      const { steps: _, ...atOnce } = dtypeConversion;
      const wrong: Pass = {
        ...atOnce,
        run: (program, ...rest) =>
          changing("y", { target: "aten.sub.Tensor" }).run(dtypeConversion.run(program, ...rest), ...rest),
      };
      const failure = (): unknown => report({}, { io: true }, wrong);
      expect(failure).toThrow(/is %y = aten.sub.Tensor/);
    });
  });

  test("a program that fails after the pass", () => {
    const wrong = changing("add", {
      target: "aten.mm.default",
      args: [1, 2],
    });
    const unverified = new PassManager(context, { check: true, verify: false });
    expect(() => unverified.run(programOf(TEXT), [wrong])).toThrow(/the program: fails now: /);
  });
});

describe("writes are compared", () => {
  const WRITES = `graph(%b_n: f32[2, 2], %x: f32[2, 2]) {
  %add_: f32[2, 2] = aten.add_.Tensor(%b_n, %x)
  %mul_: f32[2, 2] = aten.mul_.Tensor(%x, 2)
  %sin: f32[2, 2] = aten.sin.default(%x)
  return (%sin)
}`;

  test("to buffers", () => {
    expect(check(programOf(WRITES, "TRAINING"), changing("sin", { kwargs: {} })).reports[0]).toMatchObject({
      inputs: 1,
      state: 1,
      outputs: 1,
      elements: 12,
    });
    const wrong = changing("add_", { target: "aten.sub_.Tensor" });
    expect(() => check(programOf(WRITES, "TRAINING"), wrong)).toThrow(
      /"n" after the run: .*that differs is %add_/,
    );
  });

  test("to inputs", () => {
    const wrong = definePass({
      name: "wrong",
      doc: "Writes no more.",
      run: (program) =>
        program.with({
          graph: edit(program.graph, (e) => {
            e.replaceNode("mul_", { target: "aten.mul.Tensor" });
            e.replaceNode("sin", {
              args: [ref("mul_")],
            });
          }),
        }),
    });
    expect(() => check(programOf(WRITES, "TRAINING"), wrong)).toThrow(/input 0 after the run: /);
  });
});

describe("nothing is called equal that was not compared", () => {
  const same = changing("sin", { kwargs: {} });
  const sin = (type: string): ExportedProgram =>
    programOf(`graph(%x: ${type}) { %sin: ${type} = aten.sin.default(%x) return (%sin) }`);

  test("programs without numbers, and inputs that no program takes", () => {
    expect(() => check(sin("f32[0]"), same)).toThrow(/cannot be checked: the program gives no numbers/);
    const refused = { inputs: [[Tensor.empty([3], "float32")]] };
    expect(() => checkPasses(sin("f32[2]"), [same], context, refused)).toThrow(
      /cannot be checked: no inputs run on both programs: Expected input/,
    );
    expect(() => checkPasses(sin("f32[2]"), [same], context, { inputs: [] })).toThrow(/there are no inputs/);
  });

  test("without something to run programs with", () => {
    const alone = { operators: context.operators };
    expect(() => new PassManager(alone, { check: true }).run(sin("f32[2]"), [same])).toThrow(
      /this pass manager has no interpreter to check passes with/,
    );
  });
});
