/** @file Reports name the calls of the program that was given, whatever lowering makes of them. */
import { createEvaluator } from "@sconce/backend-cpu";
import { parseIr } from "@sconce/ir/text";
import { defaultOperators } from "@sconce/ops";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { prepare } from "./prepare.js";

const operators = defaultOperators();
const evaluate = createEvaluator({ operators }) as never;

const sourcesIn = async (head: string, body: string, state: Record<string, Tensor> = {}) => {
  const text = `sconce-ir 1\nprogram "TRAINING" {\n${head}\n}\n${body}`;
  const program = parseIr(text, { tensors: new Map(Object.entries(state)) });
  const prepared = await prepare(program, { operators, evaluate });
  if (prepared.program === undefined) throw new Error(prepared.reason);
  const calls = prepared.program.graph.nodes().filter(({ op }) => op === "call_function");
  return calls.map(({ name, target }) => [name, target, prepared.sources.get(name)]);
};

test("calls that lowering renames or divides lead back to those of the program", async () => {
  const found = await sourcesIn(
    "input %x: USER_INPUT input %w: USER_INPUT output %relu: USER_OUTPUT",
    `graph(%x: f32[2, 3], %w: f32[4, 3]) {
  %linear: f32[2, 4] = aten.linear.default(%x, %w)
  %relu_: f32[2, 4] = aten.relu_.default(%linear)
  %add: f32[2, 4] = aten.add.Tensor(%relu_, 1)
  %relu: f32[2, 4] = aten.relu.default(%add)
  return (%relu)
}`,
  );
  expect(found).toEqual([
    ["permute", "aten.permute.default", "linear"],
    ["mm", "aten.mm.default", "linear"],
    ["relu", "aten.relu.default", "relu_"],
    ["add", "aten.add.Tensor", "add"],
    ["relu_1", "aten.relu.default", "relu"],
  ]);
});

test("a folded batch norm leads back to the convolution", async () => {
  const ones = (shape: readonly number[]) =>
    Tensor.from(new Array<number>(shape.reduce((a, b) => a * b, 1)).fill(1), shape, "float32");
  const names = ["g", "b", "m", "v"];
  const state = { w: ones([2, 1, 1, 1]), ...Object.fromEntries(names.map((name) => [name, ones([2])])) };
  const found = await sourcesIn(
    `parameter "w": f32[2, 1, 1, 1]
${names.map((name) => `parameter "${name}": f32[2]`).join("\n")}
input %w: PARAMETER "w"
${names.map((name) => `input %${name}: PARAMETER "${name}"`).join("\n")}
input %x: USER_INPUT
output %n: USER_OUTPUT`,
    `graph(%w: f32[2, 1, 1, 1], ${names.map((name) => `%${name}: f32[2]`).join(", ")}, %x: f32[1, 1, 3, 3]) {
  %conv: f32[1, 2, 3, 3] = aten.conv2d.default(%x, %w)
  %n: f32[1, 2, 3, 3] = aten.batch_norm.default(%conv, %g, %b, %m, %v, false, 0.1, 1e-05, true)
  return (%n)
}`,
    state,
  );
  expect(found.map(([, target, source]) => [target, source])).toEqual([["aten.convolution.default", "conv"]]);
});
