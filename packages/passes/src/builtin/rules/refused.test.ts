import type { FakeTensor } from "@sconce/ir";
import { metaOf } from "@sconce/ops";
import { STATIC_ENV } from "@sconce/symbolic";
import { dtypeInfo } from "@sconce/tensor";
import { expect, test } from "vitest";
import { context, programOf } from "../../programs.fixture.js";
import { explainRule } from "../../rewrite/explain.js";
import { identityRules } from "./identities.js";

const { operators } = context;

/**
 * Where PyTorch 2.14 gives other bits for what a rule would put there; asked with all edge values.
 * Each line is a call of the value before it.
 */
test.each<[rule: string, inputs: string, calls: string[], reason: string]>([
  ["mul-1", "%x: c64[2]", ["mul.Tensor(%x, 1)"], "not a real tensor"],
  ["div-1", "%x: c64[2]", ["div.Tensor(%x, 1)"], "not a real tensor"],
  ["sub-0", "%x: c64[2]", ["sub.Tensor(%x, 0)"], "not a real tensor"],
  ["neg-twice", "%x: c64[2]", ["neg.default(%x)", "neg.default(%0)"], "not a real tensor"],
  ["add-0-integer", "%x: c64[2]", ["add.Tensor(%x, 0)"], "no integer"],
  ["add-negative-0", "%x: c64[2]", ["add.Tensor(%x, -0.0)"], "not a real tensor"],
  ["add-number-last", "%x: c64[2]", ["add.Tensor(1, %x)"], "x is complex64"],
  ["mul-number-last", "%x: f16[2]", ["mul.Tensor(2.1, %x)"], "the number is rounded to float16"],
  ["mul-number-last", "%x: bf16[2]", ["mul.Tensor(257, %x)"], "the number is rounded to bfloat16"],
  ["abs-neg", "%x: u8[2]", ["neg.default(%x)", "abs.default(%0)"], "no negative numbers"],
  ["add-neg", "%x: c64[2], %y: f32[2]", ["neg.default(%y)", "add.Tensor(%x, %0)"], "x is not a real tensor"],
  ["sub-neg", "%x: i32[2], %y: u8[2]", ["neg.default(%y)", "sub.Tensor(%x, %0)"], "-y wraps as uint8"],
  ["sub-neg", "%x: f32[2], %y: i8[2]", ["neg.default(%y)", "sub.Tensor(%x, %0)"], "the result is float32"],
  [
    "mul-neg-neg",
    "%x: i8[2], %y: i32[2]",
    ["neg.default(%x)", "neg.default(%y)", "mul.Tensor(%0, %1)"],
    "-x wraps as int8",
  ],
  ["div-power-of-two", "%x: f64[2]", ["div.Tensor(%x, 16383.999999999998)"], "not a power of two"],
  ["div-power-of-two", "%x: f64[2]", ["div.Tensor(%x, 8192.000000000002)"], "not a power of two"],
])("%s of %s", (name, inputs, calls, reason) => {
  const rule = identityRules.find((one) => one.name === name)!;
  const lines = calls.map((call, i) => `  %v${i} = aten.${call.replaceAll(/%(\d)/g, "%v$1")}`);
  const typed = (known: readonly string[]): string =>
    `graph(${inputs}) {\n${known.join("\n")}\n  return (%v${known.length - 1})\n}`;
  const done: string[] = [];
  for (const line of lines) {
    const { graph } = programOf(typed([...done, line]));
    const node = graph.node(`v${done.length}`);
    const resolve = ({ name: input }: { name: string }): FakeTensor =>
      graph.node(input).meta.val as FakeTensor;
    const val = metaOf(operators, node.target, node.args, node.kwargs, STATIC_ENV, resolve) as FakeTensor;
    done.push(line.replace(" =", `: ${dtypeInfo(val.dtype).abbreviation}[2] =`));
  }
  expect(explainRule(programOf(typed(done)), rule, operators).at(-1)!.reason).toContain(reason);
});

test("what is not a program is refused by a typed error", () => {
  const [rule] = identityRules;
  expect(() => explainRule(rule as never, rule as never, operators)).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENT" }),
  );
});
