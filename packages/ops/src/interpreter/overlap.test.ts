import { FakeTensor } from "@sconce/ir";
import { parseIr } from "@sconce/ir/text";
import type { TensorLayout } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { defaultOperators } from "../families/all.js";
import { overlapSuspects } from "./overlap.js";

/** Suspects of a graph: whether PyTorch refuses them, by the layouts of the graph. */
function verdicts(calls: string): readonly (readonly [read: string, isRefused: boolean])[] {
  const { graph } = parseIr(
    `sconce-ir 1\nprogram "ATEN" {\ninput %x: USER_INPUT\noutput %out: USER_OUTPUT\n}\n${calls}`,
  );
  const layoutOf = (name: string): TensorLayout => {
    const value = graph.node(name).meta.val;
    if (!(value instanceof FakeTensor)) throw new Error(`${name} is not a tensor`);
    const [shape, strides] = [value.shape.map(Number), value.strides.map(Number)];
    return { dtype: value.dtype, shape, strides, storageOffset: Number(value.storageOffset) };
  };
  return overlapSuspects(graph, defaultOperators()).map(
    ({ written, read, isRefused }) => [read, isRefused(layoutOf(written), layoutOf(read))] as const,
  );
}

describe("calls in place that read what they write to", () => {
  test("a mask in the memory is refused, where the value is that mask too", () => {
    expect(
      verdicts(`graph(%x: b8[4]) {
  %mask: b8[] = aten.select.int(%x, 0, 1)
  %out: b8[4] = aten.masked_fill_.Tensor(%x, %mask, %mask)
  return (%out)
}`),
    ).toEqual([["mask", true]]);
  });

  test("a value in the memory is not a suspect", () => {
    expect(
      verdicts(`graph(%x: b8[4]) {
  %value: b8[] = aten.select.int(%x, 0, 1)
  %mask: b8[4] = aten.logical_not.default(%x)
  %out: b8[4] = aten.masked_fill_.Tensor(%x, %mask, %value)
  return (%out)
}`),
    ).toEqual([]);
  });
});
