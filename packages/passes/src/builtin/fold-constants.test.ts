import type { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { context, programOf, run, textOf } from "../programs.fixture.js";
import { foldConstants } from "./fold-constants.js";

const values = (tensor: Tensor | undefined): number[] => [...(tensor!.data as Float32Array)];

describe("fold-constants", () => {
  test("computes what depends on tensor constants only, and lifts the result", () => {
    const program = programOf(`graph(%c_k: f32[2, 2], %x: f32[2, 2]) {
      %a: f32[2, 2] = aten.mul.Tensor(%c_k, 2)
      %b: f32[2, 2] = aten.relu.default(%a)
      %y: f32[2, 2] = aten.add.Tensor(%x, %b)
      return (%y)
    }`);
    const folded = run(foldConstants, program);
    expect(textOf(folded)).toMatchInlineSnapshot(`
      "graph(%c_k: f32[2, 2], %c__folded_0: f32[2, 2], %x: f32[2, 2]) {
        %y: f32[2, 2] = aten.add.Tensor(%x, %c__folded_0)
        return (%y)
      }"
    `);
    expect(folded.graphSignature.inputSpecs.map((spec) => `${spec.kind} ${spec.target}`)).toEqual([
      "CONSTANT_TENSOR k",
      "CONSTANT_TENSOR _folded_0",
      "USER_INPUT null",
    ]);
    expect(values(folded.constants.get("_folded_0"))).toEqual([1, 3, 5, 7]);
    expect(program.constants.has("_folded_0")).toBe(false);
  });

  test("takes no size that is none", () => {
    const program = programOf("graph(%c_k: f32[2, 2]) {\n  return (%c_k)\n}");
    expect(() => run(foldConstants, program, { "max-bytes": -1 })).toThrow(
      expect.objectContaining({ code: "PASS_OPTION" }),
    );
    expect(run(foldConstants, program, { "max-bytes": 0 })).toBe(program);
  });

  test("gives the same program back when nothing is constant", () => {
    const program = programOf(`graph(%p_w: f32[2, 2], %x: f32[2, 2]) {
      %t: f32[2, 2] = aten.permute.default(%p_w, [1, 0])
      %y: f32[2, 2] = aten.add.Tensor(%x, %t)
      return (%y)
    }`);
    expect(run(foldConstants, program)).toBe(program);
  });

  test("takes weights for constants when asked to, and equal calls for one", () => {
    const program = programOf(`graph(%p_w: f32[2, 2], %x: f32[2, 2]) {
      %t: f32[2, 2] = aten.permute.default(%p_w, [1, 0])
      %u: f32[2, 2] = aten.permute.default(%p_w, [1, 0])
      %y: f32[2, 2] = aten.add.Tensor(%x, %t)
      %z: f32[2, 2] = aten.add.Tensor(%y, %u)
      return (%z)
    }`);
    const folded = run(foldConstants, program, { weights: true });
    expect([...folded.constants.keys()]).toEqual(["_folded_0"]);
    expect(folded.graph.size).toBe(6);
  });

  test("never folds random calls, calls with effects, or factories alone", () => {
    const program = programOf(`graph(%c_k: f32[2, 2]) {
      %r: f32[2, 2] = aten.rand_like.default(%c_k)
      %ones: f32[2, 2] = aten.full.default([2, 2], 1)
      %y: f32[2, 2] = aten.add.Tensor(%r, %ones)
      return (%y)
    }`);
    expect(run(foldConstants, program)).toBe(program);
  });

  test("keeps results below the size limit", () => {
    const program = programOf(`graph(%c_k: f32[2, 2], %x: f32[2, 2]) {
      %big: f32[64, 2, 2] = aten.expand.default(%c_k, [64, 2, 2])
      %sum: f32[2, 2] = aten.sum.dim_IntList(%big, [0])
      %y: f32[2, 2] = aten.add.Tensor(%x, %sum)
      return (%y)
    }`);
    expect(run(foldConstants, program, { "max-bytes": 64 })).toBe(program);
    expect(values(run(foldConstants, program).constants.get("_folded_0"))).toEqual([32, 96, 160, 224]);
  });

  test.each([
    ["a result", "return (%b)", "%b: f32[2, 2] = aten.neg.default(%c__folded_0)"],
    [
      "what a result is a view of",
      "%c: f32[4] = aten.view.default(%b, [4])\nreturn (%c)",
      "aten.neg.default(%c__folded_0)",
    ],
  ])("%s is computed for each run: the caller may write to it", (_, end, line) => {
    const program = programOf(`graph(%c_k: f32[2, 2]) {
      %a: f32[2, 2] = aten.exp.default(%c_k)
      %b: f32[2, 2] = aten.neg.default(%a)
      ${end}
    }`);
    expect(textOf(run(foldConstants, program))).toContain(line);
  });

  test("says that it needs a backend", () => {
    const program = programOf("graph(%x: f32[2]) { return (%x) }");
    expect(() => foldConstants.run(program, { operators: context.operators }, {})).toThrow(/needs a backend/);
  });
});
