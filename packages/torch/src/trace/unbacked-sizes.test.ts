import { exportProgram } from "@sconce/capture";
import { codeText } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { check } from "../functions/check.js";
import { sym } from "../functions/sym.js";
import { torch } from "../functions/torch.js";
import type { SymBool, SymInt } from "./sym-int.js";

const three = torch.tensor(3);
const read = (x: Tensor): SymInt => x.item() as unknown as SymInt;

/** The operators of a program, the messages of its assertions, and the range of `u0`. */
function facts(fn: (...args: Tensor[]) => unknown, args: Tensor[]): [string[], string[], unknown] {
  const program = exportProgram(fn, args, { checkSource: false });
  const calls = [...program.graph.nodes()].filter(({ op }) => op === "call_function");
  const asserts = calls.filter(({ target }) => target === "aten._assert_scalar.default");
  return [
    calls.filter((node) => !asserts.includes(node)).map(({ target }) => target),
    asserts.map(({ args: [, message] }) => /expression (.*) on node/.exec(String(message))![1]!),
    program.rangeConstraints.get("u0"),
  ];
}

// The facts of each program are those of PyTorch 2.14.
test.each<[string, (...args: Tensor[]) => unknown, string[], unknown]>([
  ["zeros", (x) => torch.zeros(read(x)), ["u0 >= 0"], { min: 0, max: Infinity }],
  [
    "zeros of a sum",
    (x) => torch.zeros(sym.add(read(x), 1)),
    ["u0 >= -1", "0 <= u0 + 1"],
    { min: -1, max: Infinity },
  ],
  ["zeros of a difference", (x) => torch.zeros(sym.sub(read(x), 1)), ["u0 >= 1"], { min: 1, max: Infinity }],
  ["expand", (x) => torch.ones(1).expand(read(x)), ["u0 >= 0"], { min: 0, max: Infinity }],
  ["arange", (x) => torch.arange(1, read(x)), ["u0 >= 1"], { min: 1, max: Infinity }],
  [
    "new zeros",
    (x) =>
      torch
        .ones(5, 3)
        .at(":")
        .clone()
        .newZeros([sym.add(read(x), 3)]),
    ["u0 >= -3", "0 <= u0 + 3"],
    { min: -3, max: Infinity },
  ],
])("a size that is read out of a tensor is not negative: %s", (_, fn, asserts, range) => {
  const [, found, u0] = facts(fn, [three]);
  expect([found, u0]).toEqual([asserts, range]);
});

test("a number that nothing uses is not read; one that is only checked is", () => {
  const dead = (x: Tensor): Tensor => {
    read(x);
    return x.add(1);
  };
  expect(facts(dead, [three]).slice(0, 2)).toEqual([["aten.add.Tensor"], []]);
  const checked = (x: Tensor): Tensor => {
    check(sym.ge(read(x), 2));
    return x.add(1);
  };
  expect(facts(checked, [three]).slice(0, 2)).toEqual([
    ["aten.item.default", "operator.ge", "aten.add.Tensor"],
    ["u0 >= 2"],
  ]);
});

test("a condition that is read is asserted as 1", () => {
  const fn = (x: Tensor): Tensor => {
    check(x.any().item() as unknown as SymBool);
    return x.add(1);
  };
  const program = exportProgram(fn, [torch.tensor([true])], { checkSource: false });
  // The text of PyTorch 2.14.
  expect(codeText(program.graph)).toContain(
    [
      "    sym_ite = torch.sym_ite(item, 1, 0);  item = None",
      "    ge = sym_ite >= 1",
      `    _assert_scalar_default = torch.ops.aten._assert_scalar.default(ge, "Runtime assertion failed for expression u0 >= 1 on node 'ge'");  ge = _assert_scalar_default = None`,
    ].join("\n"),
  );
});
