import { describe, expect, test } from "vitest";
import { runDecompositions } from "../decompose/run-decompositions.js";
import { programOf, textOf } from "../programs.fixture.js";

const inverse = programOf(
  `graph(%x: f32[2, 2]) {
  %inv: f32[2, 2]{1, 2} = aten.linalg_inv.default(%x)
  return (%inv)
}`,
  "TRAINING",
);
const lowered = runDecompositions(inverse);

describe("ordered effects", () => {
  test("become with_effects, with a token as first input and output", () => {
    expect(lowered.graph.placeholders().map(({ name }) => name)).toEqual(["token", "x"]);
    const calls = [...lowered.graph.nodes()].filter(({ op }) => op === "call_function");
    expect(calls.map(({ name }) => name)).toEqual([
      "linalg_inv_ex",
      "getitem",
      "getitem_1",
      "with_effects",
      "getitem_2",
    ]);
    const { inputSpecs, outputSpecs } = lowered.graphSignature;
    expect(inputSpecs.map(({ kind }) => kind)).toEqual(["TOKEN", "USER_INPUT"]);
    expect(outputSpecs.map(({ kind, arg }) => `${kind} ${arg.name}`)).toEqual([
      "TOKEN getitem_2",
      "USER_OUTPUT getitem",
    ]);
  });

  test("lower to the same text again", () => {
    expect(String(runDecompositions(lowered))).toBe(String(lowered));
    expect(textOf(runDecompositions(lowered))).toBe(textOf(lowered));
  });

  test("leave other programs without tokens", () => {
    const plain = programOf(
      `graph(%x: f32[2, 2]) {
      %s: f32[2, 2] = aten.sin.default(%x)
      return (%s)
    }`,
      "TRAINING",
    );
    expect(runDecompositions(plain).graphSignature.inputSpecs.map(({ kind }) => kind)).toEqual([
      "USER_INPUT",
    ]);
  });
});
