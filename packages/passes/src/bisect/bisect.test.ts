import { type ExportedProgram, edit } from "@sconce/ir";
import { printIr } from "@sconce/ir/text";
import type { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { definePass, type Pass } from "../pass/pass.js";
import { context, programOf, ramp } from "../programs.fixture.js";
import { bisect, type Culprit } from "./bisect.js";
import type { BisectOptions } from "./options.js";

/** A pass that gives each call of an operator another target. */
const retarget = (from: string, to: string): Pass =>
  definePass({
    name: "wrong",
    doc: "Changes calls.",
    run: (program) =>
      program.with({
        graph: edit(program.graph, (e) => {
          for (const node of program.graph.nodes())
            if (node.target === from) e.replaceNode(node.name, { target: to });
        }),
      }),
  });

function culpritOf(program: ExportedProgram, pass: Pass, options: BisectOptions = {}): Culprit {
  const { culprit } = bisect(program, [pass], context, options);
  expect(culprit).toBeDefined();
  return culprit!;
}
const graphOf = ({ reproducer }: Culprit): string => printIr(reproducer.program.graph).trim();

describe("programs are shrunk", () => {
  test("to the call that fails, with its parameter and the value that the rest gave it", () => {
    const program = programOf(`graph(%p_w: f32[2, 2], %p_v: f32[2, 2], %x: f32[2, 2]) {
  %exp: f32[2, 2] = aten.exp.default(%x)
  %mul: f32[2, 2] = aten.mul.Tensor(%exp, %p_w)
  %add: f32[2, 2] = aten.add.Tensor(%mul, %p_v)
  return (%add, %exp)
}`);
    const culprit = culpritOf(program, retarget("aten.mul.Tensor", "aten.div.Tensor"), {
      inputs: [[ramp([2, 2])]],
    });
    expect(graphOf(culprit)).toBe(`graph(%p_w: f32[2, 2], %exp: f32[2, 2]) {
  %mul: f32[2, 2] = aten.mul.Tensor(%exp, %p_w)
  return (%mul)
}`);
    const { program: small, inputs } = culprit.reproducer;
    expect([...small.stateDict]).toEqual([["w", program.stateDict.get("w")]]);
    expect((inputs[0] as Tensor).toArray()).toEqual(
      [0.5, 1.5, 2.5, 3.5].map((x) => Math.fround(Math.exp(x))),
    );
  });

  test("with writes to buffers", () => {
    const program = programOf(
      `graph(%b_n: f32[2, 2], %x: f32[2, 2]) {
  %sin: f32[2, 2] = aten.sin.default(%x)
  %add_: f32[2, 2] = aten.add_.Tensor(%b_n, %sin)
  %cos: f32[2, 2] = aten.cos.default(%x)
  return (%cos)
}`,
      "TRAINING",
    );
    const culprit = culpritOf(program, retarget("aten.add_.Tensor", "aten.sub_.Tensor"));
    expect(culprit.error.message).toMatch(/"n" after the run/);
    expect(graphOf(culprit)).toMatch(/^graph\(%b_n: .*\) \{\n {2}%add_: .*\n {2}return \(.*\)\n\}$/);
  });

  test("two calls far from each other that only fail together", () => {
    const both = definePass({
      name: "both",
      doc: "Throws where there is a sine and a cosine.",
      run: (program) => {
        const calls = program.opHistogram();
        if (calls.has("aten.sin.default") && calls.has("aten.cos.default")) throw new Error("both");
        return program;
      },
    });
    const chain = Array.from({ length: 30 }, (_, i) => {
      const target = i === 3 ? "sin" : i === 27 ? "cos" : "neg";
      return `%n${i}: f32[2] = aten.${target}.default(${i === 0 ? "%x" : `%n${i - 1}`})`;
    });
    const culprit = culpritOf(programOf(`graph(%x: f32[2]) { ${chain.join("\n")} return (%n29) }`), both);
    expect(culprit.kind).toBe("error");
    expect(graphOf(culprit)).toBe(`graph(%n2: f32[2], %n26: f32[2]) {
  %n3: f32[2] = aten.sin.default(%n2)
  %n27: f32[2] = aten.cos.default(%n26)
  return ()
}`);
    expect(culprit.tries).toBeLessThan(80);
  });

  test("lists stay whole: an item is not taken from what is not there", () => {
    const program = programOf(`graph(%x: f32[4]) {
  %neg: f32[4] = aten.neg.default(%x)
  %split: (f32[2], f32[2]) = aten.split.Tensor(%neg, 2)
  %getitem: f32[2] = operator.getitem(%split, 0)
  %getitem_1: f32[2] = operator.getitem(%split, 1)
  %mul: f32[2] = aten.mul.Tensor(%getitem, %getitem_1)
  return (%mul)
}`);
    const swap = definePass({
      name: "swap",
      doc: "Takes another item.",
      run: (p) =>
        p.graph.find("getitem_1") === undefined
          ? p
          : p.with({
              graph: edit(p.graph, (e) =>
                e.replaceNode("getitem_1", { args: [p.graph.node("getitem_1").args[0]!, 0] }),
              ),
            }),
    });
    expect(graphOf(culpritOf(program, swap))).toBe(`graph(%neg: f32[4]) {
  %split: (f32[2], f32[2]) = aten.split.Tensor(%neg, 2)
  %getitem_1: f32[2] = operator.getitem(%split, 1)
  return (%getitem_1)
}`);
  });
});

test("what keeps the pipeline from running is thrown, and right passes have no culprit", () => {
  const program = programOf("graph(%x: f32[2]) { %sin: f32[2] = aten.sin.default(%x) return (%sin) }");
  const needs = definePass({ name: "needs", doc: "-", requires: "OTHER", run: (p) => p });
  expect(() => bisect(program, [needs], context)).toThrow(/needs a program in the OTHER dialect/);
  const right = definePass({
    name: "right",
    doc: "-",
    run: (p) => p.with({ graph: edit(p.graph, (e) => e.replaceNode("sin", { kwargs: {} })) }),
  });
  const { culprit, reports } = bisect(program, [right], context);
  expect([culprit, reports[0]]).toEqual([undefined, expect.objectContaining({ elements: 2, outputs: 1 })]);
});

test.each([0, -1, 1.5, Number.NaN])("%d programs are not what a search may try", (maxTries) => {
  const program = programOf("graph(%x: f32[2]) { %sin: f32[2] = aten.sin.default(%x) return (%sin) }");
  const search = (): unknown => bisect(program, [], context, { maxTries });
  expect(search).toThrow(expect.objectContaining({ code: "OPTION_VALUE" }));
});

test("what fails in another way is not the same failure", () => {
  const program = programOf(`graph(%x: f32[2]) {
  %sin: f32[2] = aten.sin.default(%x)
  %cos: f32[2] = aten.cos.default(%sin)
  return (%cos)
}`);
  const moody = definePass({
    name: "moody",
    doc: "Throws, of another kind when there is no cosine.",
    run: (p) => {
      throw p.graph.find("cos") === undefined ? new RangeError("no cosine") : new TypeError("cosine");
    },
  });
  const culprit = culpritOf(program, moody);
  expect(graphOf(culprit)).toContain("aten.cos.default");
  expect(culprit.error.cause).toBeInstanceOf(TypeError);
});
