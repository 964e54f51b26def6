import type { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { Dim, type ExportOptions, exportProgram, torch } from "../index.js";

const pairs = (
  model: (...args: never[]) => unknown,
  args: readonly unknown[],
  dynamicShapes: ExportOptions["dynamicShapes"],
): string[] => {
  const program = exportProgram(model as never, args, { dynamicShapes, onWarning: () => {} });
  return program.equalityConstraints.map(([a, b]) => `${a.input}:${a.dim} = ${b.input}:${b.dim}`);
};

const both = (x: Tensor, y: Tensor): unknown => [x, y];

test("sizes with one dim are pairs; derived and other sizes are not [S-042]", () => {
  const n = Dim("n");
  const args = [torch.ones(4, 4), torch.ones(4, 8)];
  expect(pairs(both, args, [{ 0: n }, { 0: n }])).toEqual(["x:0 = y:0"]);
  expect(pairs(both, args, [{ 0: n, 1: n }, { 0: n }])).toEqual(["x:0 = x:1", "x:0 = y:0"]);
  expect(pairs(both, args, [{ 0: n }, { 1: n.mul(2) }])).toEqual([]);
  expect(pairs(both, args, [{ 0: n }, { 0: Dim("m") }])).toEqual([]);
});

test("sizes that the model requires to be equal are pairs, integers too [S-042]", () => {
  const sum = (x: Tensor, y: Tensor): Tensor => x.add(y);
  const shapes = [{ 0: Dim.AUTO }, { 0: Dim.AUTO }];
  expect(pairs(sum, [torch.ones(4), torch.ones(4)], shapes)).toEqual(["x:0 = y:0"]);
  const sized = (x: Tensor, n: number): Tensor => x.add(torch.ones(n));
  expect(pairs(sized, [torch.ones(4), 4], [{ 0: Dim.AUTO }, Dim.AUTO])).toEqual(["x:0 = n:null"]);
});
