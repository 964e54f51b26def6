import { rebuild } from "@sconce/ir";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import type { PassOptions } from "../options/spec.js";
import { passCall } from "../pass/pass.js";
import { context, programOf } from "../programs.fixture.js";
import { dtypeConversion as pass } from "./convert-dtype.js";

/** The notes of a conversion. */
function notes(program: ReturnType<typeof programOf>, options: PassOptions = { to: "float16" }): string[] {
  const texts: string[] = [];
  const note = (text: string): void => void texts.push(text);
  pass.run(program, { ...context, note }, passCall(pass, options).options);
  return texts;
}

const STACK = 'File "/home/me/model.py", line 9, in forward\n    y = x + 1e-8';
const withTraces = (program: ReturnType<typeof programOf>): ReturnType<typeof programOf> =>
  program.with({
    graph: rebuild(program.graph, (node) =>
      node.op === "call_function" ? { ...node, meta: { ...node.meta, stackTrace: STACK } } : true,
    ),
  });

const MASKED = programOf(`graph(%x: f32[2], %m: b8[2]) {
  %y: f32[2] = aten.add.Tensor(%x, 1e-08)
  %z: f32[2] = aten.masked_fill.Scalar(%y, %m, -1000000000)
  %w: f32[2] = aten.clamp.default(%z, -0.001, 60000.0)
  return (%w)
}`);

describe("numbers that a half does not hold are noted", () => {
  test("with the node and the line: a small epsilon, a large mask", () => {
    expect(notes(withTraces(MASKED))).toEqual([
      "other=1e-8 of %y = aten.add.Tensor, /home/me/model.py:9 becomes 0 in float16; compute in float32 there with the option keep, or change the number",
      "value=-1000000000 of %z = aten.masked_fill.Scalar, /home/me/model.py:9 becomes infinite in float16; compute in float32 there with the option keep, or change the number",
    ]);
  });

  test("bfloat16 has the range of float32, but not its largest numbers", () => {
    expect(notes(MASKED, { to: "bfloat16" })).toEqual([]);
    const program = programOf(`graph(%x: f32[2]) {
      %y: f32[2] = aten.clamp_min.default(%x, -3.4028234663852886e+38)
      return (%y)
    }`);
    expect(notes(program, { to: "bfloat16" })).toEqual([
      expect.stringMatching(/^min=-3.4028234663852886e\+38 of %y = \S+ becomes infinite in bfloat16;/),
    ]);
  });

  test("not where the call stays in float32, nor for infinities and integers of sizes", () => {
    expect(notes(MASKED, { to: "float16", keep: ["y", "aten.masked_fill.Scalar"] })).toEqual([]);
    const program = programOf(`graph(%x: f32[2], %m: b8[2]) {
      %y: f32[2] = aten.masked_fill.Scalar(%x, %m, -inf)
      %z: f32[2] = aten.slice.Tensor(%y, 0, 0, 9223372036854775807)
      %c: f32[2] = aten.add.Tensor(%z, 0.0)
      return (%c)
    }`);
    expect(notes(program)).toEqual([]);
  });

  test("factories, comparisons and keyword arguments", () => {
    const program = programOf(`graph(%x: f32[2]) {
      %k: f32[2] = aten.full.default([2], 1e+30, dtype=float32)
      %a: f32[2] = aten.add.Tensor(%x, %k, alpha=1e-20)
      %g: b8[2] = aten.gt.Scalar(%a, 70000)
      return (%g)
    }`);
    expect(notes(program).map((text) => text.split(" of ")[0])).toEqual([
      "fill_value=1e+30",
      "alpha=1e-20",
      "other=70000",
    ]);
  });

  test("elements of buffers that become infinite, and a constant that becomes 0", () => {
    const graph = `graph(%b_mask: f32[3], %c_eps: f32[], %x: f32[3]) {
      %a: f32[3] = aten.add.Tensor(%x, %b_mask)
      %b: f32[3] = aten.add.Tensor(%a, %c_eps)
      return (%b)
    }`;
    const given = withTraces(programOf(graph));
    const values = new Map([
      ["mask", Tensor.from([0, -1e9, 1e-12], [3], "float32")],
      ["eps", Tensor.from([1e-12], [], "float32")],
    ]);
    const replaced = (tensors: ReadonlyMap<string, Tensor>) =>
      new Map([...tensors].map(([name, tensor]) => [name, values.get(name) ?? tensor]));
    const program = given.with({
      stateDict: replaced(given.stateDict),
      constants: replaced(given.constants),
    });
    expect(notes(program)).toEqual([
      '"mask", /home/me/model.py:9: 1 of 3 elements becomes infinite in float16; compute in float32 there with the option keep',
      '"eps", /home/me/model.py:9: its value becomes 0 in float16; compute in float32 there with the option keep',
    ]);
  });

  test("many are counted", () => {
    const lines = Array.from({ length: 11 }, (_, i) => `%y${i + 1}: f32[2] = aten.add.Tensor(%y${i}, 1e-09)`);
    const program = programOf(`graph(%y0: f32[2]) {\n${lines.join("\n")}\nreturn (%y11)\n}`);
    expect(notes(program)).toHaveLength(9);
    expect(notes(program).at(-1)).toBe("3 more numbers become 0 or infinite in float16");
  });
});
