/** @file Calls of control flow whose branches are one graph, nested: each graph is visited once. */

import { wasmBackend } from "@sconce/backend-wasm";
import { typescriptText } from "@sconce/capture/typescript";
import type { Graph } from "@sconce/ir";
import { printIr } from "@sconce/ir/text";
import { verify } from "@sconce/ir/verify";
import { createSconce, save } from "@sconce/session";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";

const sconce = createSconce({ backends: [wasmBackend()] });
const { operators } = sconce;

const CALLS = `%body = get_attr body
  %c: (f32[4]) = higher_order.cond(%p, %body, %body, [%p, %x])
  %r: f32[4] = operator.getitem(%c, 0)
  return (%r)`;

/** The same where each branch has its own node, in a graph that writes to a view. */
const READ_TWICE = `%body = get_attr body
  %again = get_attr body
  %copy: f32[4] = aten.clone.default(%x)
  %view: f32[4] = aten.reshape.default(%copy, [4])
  %c: (f32[4]) = higher_order.cond(%p, %body, %again, [%p, %copy])
  %r: f32[4] = operator.getitem(%c, 0)
  %w: f32[4] = aten.relu_.default(%view)
  return (%r)`;

/** A graph whose calls take a graph of so many levels as both branches. */
function nested(levels: number, calls = CALLS): string {
  let inner = "graph body(%p: b8[], %x: f32[4]) {\n  %r: f32[4] = aten.sin.default(%x)\n  return (%r)\n}";
  for (let level = 1; level < levels; level++)
    inner = `graph body(%p: b8[], %x: f32[4]) {\n  ${calls}\n  ${inner}\n}`;
  return `program "TRAINING" {
  input %p: USER_INPUT
  input %x: USER_INPUT
  output %r: USER_OUTPUT
  call "" ((*, *), {}) -> * names ["p", "x"]
}
graph(%p: b8[], %x: f32[4]) {
  ${calls}
  ${inner}
}`;
}
const program = sconce.parseIr(nested(30));

/** Graphs in a graph, by the paths to them. */
const graphsIn = (graph: Graph): number =>
  [...graph.subgraphs.values()].reduce((count, inner) => count + 1 + graphsIn(inner), 0);

test("verifying, printing and lowering visit each graph once", () => {
  expect(verify(program, { operators })).toEqual([]);
  const lowered = sconce.transform(program, "decompose,cse,dce");
  expect(graphsIn(lowered.graph)).toBe(30);
  for (const text of [String(program), printIr(program), String(lowered), printIr(lowered)])
    expect(text.length).toBeLessThan(60_000);
  expect(typescriptText(program).length).toBeLessThan(30_000);
});

test.each(["cpu", "wasm"])("a run on %s", async (backend) => {
  const module = await sconce.module(program, { backend });
  const inputs = [Tensor.from([true], [], "bool"), Tensor.from([0, 1, 2, 3], [4], "float32")];
  const got = (await module.call(inputs)) as Tensor;
  expect([...got.toFloat64Array()]).toEqual([0, 1, 2, 3].map((x) => Math.fround(Math.sin(x))));
});

test("a run of a program whose graphs are each read by two nodes, and write", async () => {
  const module = await sconce.module(sconce.parseIr(nested(30, READ_TWICE)), { backend: "wasm" });
  const inputs = [Tensor.from([true], [], "bool"), Tensor.from([0, 1, 2, 3], [4], "float32")];
  const got = (await module.call(inputs)) as Tensor;
  expect([...got.toFloat64Array()]).toEqual([0, 1, 2, 3].map((x) => Math.fround(Math.sin(x))));
});

test("a .pt2 file, which repeats graphs, is refused where it would become too large", async () => {
  await expect(save(program)).rejects.toThrow(/repeat more than 16 MiB/);
  const small = sconce.parseIr(nested(4));
  const again = await sconce.load(await save(small));
  // Each argument has a node, which reads the same graph.
  expect(graphsIn(again.graph)).toBe(4);
  expect(graphsIn(sconce.transform(again, "decompose").graph)).toBe(4);
  expect(typescriptText(again).length).toBeLessThan(3000);
});
