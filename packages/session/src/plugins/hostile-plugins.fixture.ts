/** @file A session and a program for plugins that do harm. */
import { isSconceError } from "@sconce/errors";
import type { ExportedProgram } from "@sconce/ir";
import { parseIr, printIr } from "@sconce/ir/text";
import type { Plugin } from "@sconce/passes";
import { Tensor } from "@sconce/tensor";
import { afterEach, beforeEach, expect } from "vitest";
import { createSconce } from "../index.js";

/** Values of the program's weight. */
export const weights = Tensor.from([1, 2, 3, 4], [4], "float32");
/** The program as text; its weight is `w`. */
export const TEXT = `sconce-ir 1
program "ATEN" {
  parameter "w": f32[4]
  input %p_w: PARAMETER "w"
  input %x: USER_INPUT
  output %b: USER_OUTPUT
}
graph(%p_w: f32[4], %x: f32[4]) {
  %a: f32[4] = aten.mul.Tensor(%x, %p_w)
  %b: f32[4] = aten.relu.default(%a)
  return (%b)
}`;

/** The program of the test that runs: each test gets a new one. */
export let program: ExportedProgram;
let before: { readonly text: string; readonly ir: string; readonly nodes: readonly unknown[] };
const seen = (one: ExportedProgram) => ({
  text: String(one),
  ir: printIr(one),
  nodes: structuredClone([...one.graph.nodes()].map(({ name, target, args }) => ({ name, target, args }))),
});
/** Makes a program before each test of a file, and checks after it that nothing of it changed. */
export function guardProgram(): void {
  beforeEach(() => {
    program = parseIr(TEXT, { tensors: new Map([["w", weights]]) });
    before = seen(program);
  });
  afterEach(() => {
    expect(seen(program)).toEqual(before);
    expect([...program.stateDict]).toEqual([["w", weights]]);
    expect(program.stateDict.get("w")).toBe(weights);
    expect([...(weights.data as Float32Array)]).toEqual([1, 2, 3, 4]);
    expect(createSconce().verify(program)).toEqual([]);
  });
}

/** Returns what a pipeline throws in a session with the plugin. */
export const failure = (plugin: Omit<Plugin, "name">, pipeline: string): Error => {
  const sconce = createSconce({ plugins: [{ name: "evil", ...plugin }] });
  try {
    sconce.transform(program, pipeline);
  } catch (error) {
    if (isSconceError(error)) return error;
    throw error;
  }
  throw new Error("nothing failed");
};
