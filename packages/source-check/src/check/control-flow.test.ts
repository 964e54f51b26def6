import { checkSource } from "@sconce/capture";
import { FakeTensor } from "@sconce/ir";
import { cond, map, scan, sym, TracedTensor, torch, whileLoop } from "@sconce/torch";
import { describe, expect, test } from "vitest";
import type { AnyFunction } from "../source/parse-function.js";

const t = new TracedTensor(new FakeTensor({ dtype: "float32", shape: [2, 3], strides: [3, 1] }));

describe("functions of control flow", () => {
  const own = { cond, map, scan, sym, torch, whileLoop };
  const inScope = (source: string): AnyFunction =>
    new Function(...Object.keys(own), `return (${source});`)(...Object.values(own)) as AnyFunction;

  test.each<[string, string[]]>([
    [
      "(x) => cond(x.sum().gt(0), ([a]) => (a.sum().gt(0) ? a : a.sin()), ([a]) => a, [[x]])",
      ["?: a.sum().gt(0)"],
    ],
    ["(x) => torch.checkpoint((y) => (y.gt(0) ? y : 1), x)", ["?: y.gt(0)"]],
    ["(x) => (torch.checkpoint((y) => y.gt(0), x) ? x : 1)", ["?: torch.checkpoint((y) => y.gt(0), x)"]],
    ["(x) => torch.switch(x.sum(), [(a) => a.sin(), (a) => (a.gt(0) ? a : a.cos())], [x])", ["?: a.gt(0)"]],
    [
      "(x) => { const k = torch.switch(x.sum(), [() => [3, x], () => [4, x]])[0]; return k === 3 ? x : 1; }",
      ["=== k === 3"],
    ],
    ["(x) => cond(x.sum().gt(0), (d) => (d.y.gt(0) ? d.y : 1), (d) => d.y, [{ y: x }])", ["?: d.y.gt(0)"]],
    ["(x) => cond(x.sum().gt(0), (a, b, c, d, e) => (e ? a : b), (a) => a, [x, x, x, x, x])", ["?: e"]],
    ["(x) => map(({ a }) => (a ? a : 1), { a: x })", ["?: a"]],
    ["(x) => map((row, [a]) => (a ? row : 1), x, [x])", ["?: a"]],
    ["(x) => scan(([c], { y }) => [[c ? c : 1], y ? y : 1], [x], { y: x })", ["?: c", "?: y"]],
    [
      "(x) => whileLoop((i) => sym.lt(i, 3), (i, y) => [sym.eq(i, 1) ? 1 : i, y], [0, x])",
      ["?: sym.eq(i, 1)"],
    ],
    [
      "(x) => { const k = cond(x.sum().gt(0), () => [3, x], () => [4, x], [])[0]; return k === 3 ? x : 1; }",
      ["=== k === 3"],
    ],
    [
      "(x) => whileLoop(({ i }) => sym.lt(i, 3), ({ i, y }) => [{ i: i === 1 ? 2 : i, y }], [{ i: 0, y: x }])",
      ["=== i === 1"],
    ],
    ["(x) => whileLoop((i) => sym.lt(i, 3), (i) => [i === 1 ? 2 : i], [x.ndim + 1])", ["=== i === 1"]],
    ["(x) => map((row, flag) => row.add(flag), x, x)", []],
    ["(x) => cond(x.sum().gt(0), (a, b) => (b === undefined ? a.sin() : a), (a) => a, [x])", []],
    ["(x) => whileLoop((i) => sym.lt(i, 3), (i, y) => [sym.add(i, 1), y.sin()], [0, x])", []],
  ])("%s", (source, errors) => {
    const found = checkSource(inScope(source), { args: [t] });
    expect(found.errors.map((one) => `${one.construct} ${one.code}`)).toEqual(errors);
    expect(found.unchecked).toEqual([]);
  });
});
