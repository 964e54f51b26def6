/**
 * @file Activations at infinity and where float32 overflows, in the interpreter, as loops and on
 * gpu.js. Wanted: PyTorch's.
 */
import { cpuBackend } from "@sconce/backend-cpu";
import { evaluateLoops, lowerToLoops } from "@sconce/codegen";
import type { ExportedProgram } from "@sconce/ir";
import { parseIr } from "@sconce/ir/text";
import { defaultOperators } from "@sconce/ops";
import { runDecompositions } from "@sconce/passes";
import { type DType, Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { gpujsBackend } from "./index.js";

const operators = defaultOperators();
const NAN = Number.NaN;
/** At infinity, minus infinity and NaN: alike in all float dtypes, for one element and for 32. */
const ENDS: readonly (readonly [call: string, wanted: readonly number[]])[] = [
  ['gelu.default(%x, approximate="tanh")', [Infinity, NAN, NAN]],
  ["silu.default(%x)", [Infinity, NAN, NAN]],
  ["mish.default(%x)", [Infinity, NAN, NAN]],
  ["softplus.default(%x)", [Infinity, 0, NAN]],
  ["log_sigmoid.default(%x)", [0, -Infinity, NAN]],
  ["sigmoid.default(%x)", [1, 0, NAN]],
  ["hardswish.default(%x)", [Infinity, NAN, NAN]],
  ["erf.default(%x)", [1, -1, NAN]],
  ["special_ndtr.default(%x)", [1, 0, NAN]],
  ["elu.default(%x)", [Infinity, -1, NAN]],
];
const TYPES = { f64: "float64", f32: "float32", f16: "float16", bf16: "bfloat16" } as const;

const programOf = (call: string, type: string): ExportedProgram =>
  parseIr(`sconce-ir 1\nprogram "ATEN" {\ninput %x: USER_INPUT\noutput %y: USER_OUTPUT\n}
graph(%x: ${type}) {\n%y: ${type} = aten.${call}\nreturn (%y,)\n}`);
const numbersOf = (value: unknown): number[] => (value as Tensor).toArray().map((x) => Number(x) + 0);
const byInterpreter = async (program: ExportedProgram, x: Tensor): Promise<number[]> =>
  numbersOf((await (await cpuBackend().compile(program)).run([x]))[0]);
const asLoops = (program: ExportedProgram, x: Tensor): number[] =>
  numbersOf(evaluateLoops(lowerToLoops(runDecompositions(program).graph, { operators }), [x])[0]);

describe.each(Object.entries(TYPES))("%s", (short, dtype: DType) => {
  test.each(ENDS)("aten.%s at infinity", async (call, wanted) => {
    for (const count of [1, 32]) {
      const program = programOf(call, `${short}[${count}]`);
      for (const [at, from] of [Infinity, -Infinity, NAN].entries()) {
        const x = Tensor.from(new Array<number>(count).fill(from), [count], dtype);
        const all = new Array<number>(count).fill(wanted[at]!);
        expect(await byInterpreter(program, x)).toEqual(all);
        expect(asLoops(program, x)).toEqual(all);
      }
    }
  });
});

test("on gpu.js they are the same", async () => {
  for (const [call, wanted] of ENDS) {
    using executable = await gpujsBackend({ mode: "webasm" }).compile(programOf(call, "f32[3]"));
    const x = Tensor.from([Infinity, -Infinity, NAN], [3], "float32");
    expect([call, numbersOf((await executable.run([x]))[0])]).toEqual([call, wanted]);
  }
});

describe("float32 sigmoids whose divisor overflows are zero", () => {
  // Not the subnormal 2.2e-39 of a divisor that is a double.
  const at = [-88.7, -88.75, -89, -104];
  test.each([
    ["float32", "f32", [Math.fround(3.006635794144578e-39), 0, 0, 0]],
    ["float64", "f64", [3.006626321563833e-39, 2.8599954025e-39, 2.2273635617957434e-39, 6.8135568e-46]],
    ["bfloat16", "bf16", [3.6734198463196485e-39, 0, 0, 0]],
  ] as const)("%s", async (dtype, short, wanted) => {
    const program = programOf("sigmoid.default(%x)", `${short}[4]`);
    const x = Tensor.from(at, [4], dtype);
    for (const got of [await byInterpreter(program, x), asLoops(program, x)]) {
      got.forEach((value, i) => {
        if (wanted[i] === 0) expect(value).toBe(0);
        else expect(Math.abs(value / wanted[i]! - 1)).toBeLessThan(1e-5);
      });
    }
  });

  test.each([
    ["silu_backward.default(%g, %x)", "f32[1]", NAN],
    ["glu_backward.default(%g, %x, 0)", "f32[2]", NAN],
  ])("aten.%s of an infinite gradient", async (call, type, wanted) => {
    const program = parseIr(`sconce-ir 1\nprogram "ATEN" {\ninput %g: USER_INPUT\ninput %x: USER_INPUT
output %y: USER_OUTPUT\n}\ngraph(%g: f32[1], %x: ${type}) {\n%y: ${type} = aten.${call}\nreturn (%y,)\n}`);
    const g = Tensor.from([Infinity], [1], "float32");
    const x = Tensor.from(type === "f32[1]" ? [-89] : [1, -89], [type === "f32[1]" ? 1 : 2], "float32");
    const [y] = await (await cpuBackend().compile(program)).run([g, x]);
    expect(numbersOf(y)).toEqual(numbersOf(y).map(() => wanted));
  });
});
