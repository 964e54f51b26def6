/** @file The parts of a flame chart, and the trace. */

import { expect, test } from "vitest";
import type { ProfileRow } from "../engine/protocol.js";
import { flameOf } from "./flame.js";
import { traceText } from "./trace.js";

const row = (node: string, milliseconds: number, ...modules: string[]): ProfileRow => ({
  key: `:${node}`,
  nodes: [{ key: `:${node}`, node }],
  target: "aten.relu.default",
  milliseconds,
  place: "device",
  modules,
  kernel: undefined,
});

test("neighbors in one module share its part, and a module that comes again has two", () => {
  const { segments, depth, total } = flameOf([
    row("a", 1, "layer1", "conv"),
    row("b", 2, "layer1"),
    row("c", 3, "layer2"),
    row("d", 4, "layer1"),
  ]);
  const shown = segments.map(({ title, level, start, milliseconds }) => [
    title.split(" ")[0],
    level,
    start,
    milliseconds,
  ]);
  expect(shown).toEqual([
    ["layer1", 0, 0, 3],
    ["conv", 1, 0, 1],
    ["a", 2, 0, 1],
    ["b", 1, 1, 2],
    ["layer2", 0, 3, 3],
    ["c", 1, 3, 3],
    ["layer1", 0, 6, 4],
    ["d", 1, 6, 4],
  ]);
  expect([depth, total]).toEqual([3, 10]);
});

test("the trace has an event for each row, one behind the other, in microseconds", () => {
  const kernels = [{ flops: 8, bytes: 4, loops: "", source: "", language: "kernel" }];
  const rows = [
    { ...row("a", 1, "m"), kernel: 0 },
    { ...row("b", 2), place: "host" as const },
  ];
  const { traceEvents } = JSON.parse(traceText(rows, kernels));
  expect(traceEvents).toMatchObject([
    { ts: 0, dur: 1000, tid: 1, args: { node: "a", module: "m", flops: 8, bytes: 4 } },
    { ts: 1000, dur: 2000, tid: 2, args: { node: "b" } },
  ]);
});
