import { type LoopProgram, lowerToLoops, parseKernel, verifyKernel } from "@sconce/codegen";
import { defaultOperators } from "@sconce/ops";
import { describe, expect, test } from "vitest";
import type { Mode } from "../device/mode.js";
import { program } from "../programs.fixture.js";
import { dialectOf } from "./dialect.js";
import { canSay } from "./functions.js";
import { gridKernel } from "./grid-kernel.js";
import { type KernelSource, printGpujs } from "./print-gpujs.js";

function kernels(
  inputs: string,
  body: string,
  result: string,
  sizes = new Map<string, number>(),
  mode: Mode = "webasm",
): KernelSource[] {
  const loops: LoopProgram = lowerToLoops(program(inputs, body, result).graph, {
    operators: defaultOperators(),
  });
  const dialect = dialectOf(mode);
  return loops.nests.map((nest) => printGpujs(gridKernel(nest, loops, sizes, dialect), dialect));
}

test("axes that every index takes together are one; others are x, y and z", () => {
  const [relu] = kernels(
    "%x: f32[2, 3, 4, 5, 6]",
    "%relu: f32[2, 3, 4, 5, 6] = aten.relu.default(%x)",
    "relu",
  );
  expect(relu!.output).toEqual([720]);
  const [permuted] = kernels(
    "%x: f32[2, 3, 4]",
    "%permute: f32[4, 2, 3] = aten.permute.default(%x, [2, 0, 1])\n%relu: f32[4, 2, 3] = aten.relu.default(%permute)",
    "relu",
  );
  expect(permuted!.output).toEqual([6, 4]);
  expect(permuted!.source).toContain("b0[this.thread.y + this.thread.x * 4]");
});

test("more than three axes are counted by one and divided out", () => {
  const [mirrored] = kernels(
    "%x: f32[2, 3, 4, 5]",
    "%permute: f32[5, 4, 3, 2] = aten.permute.default(%x, [3, 2, 1, 0])\n%relu: f32[5, 4, 3, 2] = aten.relu.default(%permute)",
    "relu",
  );
  expect(mirrored!.output).toEqual([2, 3, 20]);
  expect(mirrored!.source).toContain("(Math.floor(this.thread.z / 4) | 0)");
});

test("what does not hang on a loop is computed before it, and long sums in groups", () => {
  const [, variance] = kernels("%x: f32[2, 4096]", "%var: f32[2] = aten.var.correction(%x, [1])", "var");
  expect(variance!.source).toMatchInlineSnapshot(`
    "function (b0, b1) {
      let a0 = 0;
      const t1 = b0[this.thread.x * 4096];
      const t2 = b1[this.thread.x];
      for (let k3 = 0; k3 < 8; k3++) {
        let a4 = 0;
        for (let k5 = 0; k5 < 512; k5++) {
          const t6 = ((b0[this.thread.x * 4096 + k3 * 512 + k5] - t1) - t2);
          a4 = (a4 + (t6 * t6));
        }
        a0 = (a0 + a4);
      }
      const t7 = (4096 - 1);
      const t8 = (0 > t7 || 0 != 0 ? 0 : t7);
      let a9 = 0;
      if (((a0 >= 8.271806125530277e-25) && (a0 < 8.507059173023462e+37))) {
        a9 = (a0 / t8);
      }
      else {
        let a10 = 0;
        let a11 = (-Infinity);
        for (let k12 = 0; k12 < 4096; k12++) {
          const t13 = Math.abs(b0[this.thread.x * 4096 + k12]);
          a11 = (t13 > a11 || t13 != t13 ? t13 : a11);
        }
        const t14 = ((a11 > 1) ? 8.271806125530277e-25 : 1.2089258196146292e+24);
        const t15 = (t1 * t14);
        let a16 = 0;
        for (let k17 = 0; k17 < 8; k17++) {
          let a18 = 0;
          for (let k19 = 0; k19 < 512; k19++) {
            a18 = (a18 + ((b0[this.thread.x * 4096 + k17 * 512 + k19] * t14) - t15));
          }
          a16 = (a16 + a18);
        }
        const t20 = (a16 / 4096);
        for (let k21 = 0; k21 < 8; k21++) {
          let a22 = 0;
          for (let k23 = 0; k23 < 512; k23++) {
            const t24 = (((b0[this.thread.x * 4096 + k21 * 512 + k23] * t14) - t15) - t20);
            a22 = (a22 + (t24 * t24));
          }
          a10 = (a10 + a22);
        }
        a9 = (((a10 / t8) / t14) / t14);
      }
      return a9;
    }"
  `);
});

test("padding is guarded, not read", () => {
  const [conv] = kernels(
    "%x: f32[1, 1, 4, 4], %w: f32[1, 1, 3, 3]",
    "%convolution: f32[1, 1, 4, 4] = aten.convolution.default(%x, %w, none, [1, 1], [1, 1], [1, 1], false, [0, 0], 1)",
    "convolution",
  );
  expect(conv!.source).toMatchInlineSnapshot(`
    "function (b0, b1) {
      let a0 = 0;
      for (let k1 = 0; k1 < 1; k1++) {
        for (let k2 = 0; k2 < 3; k2++) {
          const t3 = (((this.thread.y + k2 - 1 >= 0) && (this.thread.y + k2 - 1 < 4)) ? 1 : 0);
          for (let k4 = 0; k4 < 3; k4++) {
            let a5 = 0;
            if (((t3 > 0.5) && ((this.thread.x + k4 - 1 >= 0) && (this.thread.x + k4 - 1 < 4)))) {
              a5 = b0[this.thread.y * 4 + this.thread.x + k2 * 4 + k4 - 5];
            }
            else {
              a5 = 0;
            }
            a0 = (a0 + (a5 * b1[k2 * 3 + k4]));
          }
        }
      }
      return a0;
    }"
  `);
});

test("one set of loops makes kernels for any sizes", () => {
  const dynamic = (rows: number): KernelSource[] =>
    kernels(
      "%x: f32[s0, 2]",
      "%cat: f32[2*s0, 2] = aten.cat.default([%x, %x])",
      "cat",
      new Map([["s0", rows]]),
    );
  expect(dynamic(3)[0]!.output).toEqual([2, 6]);
  expect(dynamic(5)[0]!.source).toContain("< 5");
});

test("results that are longer than textures are counted by one axis, which gpu.js folds", () => {
  const body =
    "%permute: f32[9000, 3] = aten.permute.default(%x, [1, 0])\n%relu: f32[9000, 3] = aten.relu.default(%permute)";
  const outputs = (mode: Mode): unknown =>
    kernels("%x: f32[3, 9000]", body, "relu", new Map(), mode)[0]!.output;
  expect(outputs("webasm")).toEqual([3, 9000]);
  expect(outputs("webgl2")).toEqual([27000]);
});

test("indices from tensors are named before they are used, and whole without bit operators, in WebGL", () => {
  const [rows] = kernels(
    "%x: f32[5, 3], %i: i64[4]",
    "%embedding: f32[4, 3] = aten.embedding.default(%x, %i)",
    "embedding",
    new Map(),
    "webgl2",
  );
  expect(rows!.source).toMatch(/const (t\d) = b1\[this\.thread\.y\];[\s\S]*b0\[whole\(\1\)/);
  expect(rows!.source).not.toContain("|");
});

test("bit operators of WebGL are for integers without a sign", () => {
  const inGl = dialectOf("webgl2");
  expect(canSay("bitwise_and", "int64", inGl)).toBe(false);
  expect(canSay("bitwise_and", "uint8", inGl)).toBe(true);
  expect(canSay("bitwise_or", "bool", inGl)).toBe(true);
  expect(canSay("shift_left", "uint8", inGl)).toBe(false);
  expect(canSay("bitwise_and", "int64", dialectOf("webasm"))).toBe(true);
});

test("functions of floats are ours in WebGL 2, where shaders leave NaN and infinities open", () => {
  const source = (body: string, mode: Mode): string =>
    kernels("%x: f32[4]", body, "y", new Map(), mode).at(-1)!.source;
  expect(source("%y: f32[4] = aten.pow.Tensor_Scalar(%x, 2.5)", "webgl2")).toContain("f_pow(t0, t1)");
  expect(source("%y: f32[4] = aten.amax.default(%x, [0], true)", "webgl2")).toContain("let a0 = -f_inf();");
  // Compilers would make a zero of it.
  expect(source("%y: f32[4] = aten.mul.Tensor(%x, 0)", "webgl2")).toContain("f_known_zero(t0, 0)");
  const [log, exp] = ["log", "exp"].map((fn) => canSay(fn as "log", "float32", dialectOf("headlessgl")));
  expect([log, exp]).toEqual([false, true]);
});

test("indices beyond 2^24 have no literals with a sign as arguments, which WebGL makes floats of", () => {
  const [flip] = kernels(
    "%x: f32[16777300]",
    "%flip: f32[16777300] = aten.flip.default(%x, [0])",
    "flip",
    new Map(),
    "webgl2",
  );
  expect(flip!.source).toContain("b0[iless(this.thread.x, 1, 16777299)]");
});

describe("texts of kernels", () => {
  /** The statements for a kernel's body; `%0` and `%1` are elements. */
  function printed(body: string, mode: Mode = "webasm"): string {
    const kernel = parseKernel(`kernel grid(64, 1, 1) size 1 {
      @b0: global read f32[64] of b0
      @out: global write f32[64]
      %x: index = thread 0
      %0: f32 = load @b0[%x]
      %1: f32 = load @b0[0]
      ${body}
    }`);
    verifyKernel(kernel);
    const lines = printGpujs(kernel, dialectOf(mode)).source.split("\n").slice(1, -1);
    return lines.map((line) => line.slice(2)).join("\n");
  }

  test("a test that is read once is a condition; others are numbers", () => {
    const once = "%2: b8 = lt %0, %1\n%3: f32 = select %2, 1:f32, 2:f32\n@out[0] = %3";
    expect(printed(once)).toMatchInlineSnapshot(`
      "const t0 = ((b0[this.thread.x] < b0[0]) ? 1 : 2);
      return t0;"
    `);
    const twice = "%2: b8 = lt %0, %1\n%3: f32 = cast %2\n%4: f32 = select %2, %3, 2:f32\n@out[0] = %4";
    expect(printed(twice)).toMatchInlineSnapshot(`
      "const t0 = ((b0[this.thread.x] < b0[0]) ? 1 : 0);
      const t1 = ((t0 > 0.5) ? t0 : 2);
      return t1;"
    `);
  });

  test("what reads a variable is computed before the variable changes", () => {
    const body = `var $0: f32 = 1:f32
      %2: f32 = add $0, %0
      $0 = %1
      %3: f32 = mul %2, $0
      @out[0] = %3`;
    expect(printed(body)).toMatchInlineSnapshot(`
      "let a0 = 1;
      const t1 = (a0 + b0[this.thread.x]);
      a0 = b0[0];
      const t2 = (t1 * a0);
      return t2;"
    `);
    const place = `var $0: index = -1
      %2: index = add $0, 1
      for %k: index = 0 to 4 step 1 {
        $0 = %k
      }
      %3: f32 = load @b0[%2]
      %4: f32 = load @b0[$0]
      %5: f32 = add %3, %4
      @out[0] = %5`;
    expect(printed(place)).toMatchInlineSnapshot(`
      "let a0 = -1;
      const t1 = (a0 | 0) + 1;
      for (let k2 = 0; k2 < 4; k2++) {
        a0 = k2;
      }
      const t3 = (b0[(t1 | 0)] + b0[(a0 | 0)]);
      return t3;"
    `);
  });

  test("indices are expressions wherever they are read", () => {
    const body = `%2: index = sub %x, 1
      %3: index = mul %2, 3
      %4: index = sub 5, %2
      %5: index = add %3, %4
      %6: f32 = load @b0[%5]
      %7: f32 = load @b0[%3]
      %8: f32 = add %6, %7
      @out[0] = %8`;
    expect(printed(body)).toMatchInlineSnapshot(`
      "const t0 = (b0[(this.thread.x - 1) * 3 + 5 - (this.thread.x - 1)] + b0[(this.thread.x - 1) * 3]);
      return t0;"
    `);
  });

  test("places become floats in locals, where shaders mix them with floats", () => {
    const body = `var $0: f32 = 0:f32
      for %k: index = 0 to 4 step 1 {
        %2: f32 = cast %k
        %3: f32 = add $0, %2
        $0 = %3
      }
      @out[0] = $0`;
    expect(printed(body)).toContain("(a0 + k1)");
    expect(printed(body, "webgl2")).toMatch(/const (t\d) = k1;\n.*\(a0 \+ \1\)/);
  });

  test("NaN, infinities and a zero with a sign", () => {
    const body = (value: string): string => `%2: f32 = mul %0, ${value}:f32\n@out[0] = %2`;
    const texts = (mode: Mode): string[] =>
      ["NaN", "-Infinity", "-0"].map((value) => /\* (.*)\);/.exec(printed(body(value), mode))![1]!);
    expect(texts("webasm")).toEqual(["(Infinity - Infinity)", "(-Infinity)", "(-0)"]);
    expect(texts("webgl2")).toEqual(["f_nan()", "-f_inf()", "f_minuszero()"]);
  });

  test.each([
    ["%2: f32 = mul %0, 2:f32", "ends with its element"],
    ["loop {\nbreak if true\n}\n@out[0] = %0", "has no loop"],
  ])("%s", (body, problem) => {
    expect(() => printed(body)).toThrow(problem);
  });
});
