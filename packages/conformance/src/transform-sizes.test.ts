/** @file Fourier transforms whose numbers of points only the data decide. */
import { createEvaluator } from "@sconce/backend-cpu";
import { FakeTensor } from "@sconce/ir";
import { defaultOperators } from "@sconce/ops";
import { createSconce } from "@sconce/session";
import { loadBackend } from "@sconce/session/backends";
import { printExpr } from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";

const session = createSconce({ backends: [await loadBackend("wasm", { threads: 1 })] });
const evaluate = createEvaluator({ operators: defaultOperators() });

/** Names, whether they take and give complex numbers, and the size of the result for `u` points. */
const LINES = [
  ["fft_fft", false, true, "u0"],
  ["fft_ifft", false, true, "u0"],
  ["fft_rfft", false, true, "((u0//2)) + 1"],
  ["fft_ihfft", false, true, "((u0//2)) + 1"],
  ["fft_irfft", true, false, "u0"],
  ["fft_hfft", true, false, "u0"],
] as const;
const SPACES = [
  ["fft_fft2", false, true],
  ["fft_ifft2", false, true],
  ["fft_rfft2", false, true],
  ["fft_irfft2", true, false],
  ["fft_fftn", false, true],
  ["fft_ifftn", false, true],
  ["fft_rfftn", false, true],
  ["fft_irfftn", true, false],
  ["fft_hfft2", true, false],
  ["fft_hfftn", true, false],
  ["fft_ihfft2", false, true],
  ["fft_ihfftn", false, true],
] as const;

function programOf(
  call: string,
  isComplex: readonly [boolean, boolean],
  shape: string,
  conditions = "",
): string {
  return `sconce-ir 1
program "TRAINING" { input %x: USER_INPUT input %k: USER_INPUT output %y: USER_OUTPUT }
graph(%x: f32[${shape}], %k: i64[]) {
  %u = aten.item.default(%k)
  ${conditions}
  %c = ${isComplex[0] ? "aten.complex.default(%x, %x)" : "aten.alias.default(%x)"}
  %z = ${call}
  %y = aten.${isComplex[1] ? "view_as_real" : "alias"}.default(%z)
  return (%y)
}`;
}

const x = (shape: readonly number[]): Tensor =>
  Tensor.from(
    Array.from({ length: shape.reduce((a, b) => a * b, 1) }, (_, i) => ((i * 7) % 11) - 4),
    [...shape],
    "float32",
  );

function expected(
  target: string,
  [takes, gives]: readonly [boolean, boolean],
  shape: readonly number[],
  rest: readonly unknown[],
): readonly number[] {
  const run = (name: string, args: readonly unknown[]): Tensor => evaluate(name, args as never) as Tensor;
  const input = takes ? run("aten.complex.default", [x(shape), x(shape)]) : x(shape);
  const result = run(target, [input, ...rest]);
  return [...(gives ? run("aten.view_as_real.default", [result]) : result).toFloat64Array()];
}

describe("sizes that only the data decide", () => {
  test.each(LINES)("%s", async (name, takes, gives) => {
    const target = `aten.${name}.default`;
    const complex = [takes, gives] as const;
    const program = session.transform(
      session.parseIr(programOf(`${target}(%c, %u)`, complex, "8")),
      "propagate-shapes",
    );
    // PyTorch does not export it: whether points are cut or added is not known.
    expect(program.graph.node("z").meta.val).toBeUndefined();
    for (const backend of ["cpu", "wasm"]) {
      using executable = await session.compile(program, backend);
      for (const points of [3n, 8n, 11n]) {
        const [result] = (await executable.run([x([8]), Tensor.from(points, { dtype: "int64" })])) as [
          Tensor,
        ];
        expect([...result.toFloat64Array()]).toEqual(expected(target, complex, [8], [Number(points)]));
      }
      await expect(executable.run([x([8]), Tensor.from(0n, { dtype: "int64" })])).rejects.toMatchObject({
        code: "INVALID_ARGUMENT",
      });
    }
  });

  test.each(LINES)("%s of fewer points", async (name, takes, gives, size) => {
    const target = `aten.${name}.default`;
    const conditions = `%g = operator.ge(%u, 2)
  %a = aten._assert_scalar.default(%g, "at least two")
  %l = operator.lt(%u, 8)
  %b = aten._assert_scalar.default(%l, "fewer")`;
    const program = session.transform(
      session.parseIr(programOf(`${target}(%c, %u)`, [takes, gives], "8", conditions)),
      "propagate-shapes",
    );
    const { val } = program.graph.node("z").meta;
    expect((val as FakeTensor).shape.map(printExpr)).toEqual([size]);
    for (const backend of ["cpu", "wasm"]) {
      using executable = await session.compile(program, backend);
      const [result] = (await executable.run([x([8]), Tensor.from(5n, { dtype: "int64" })])) as [Tensor];
      const wanted = expected(target, [takes, gives], [8], [5]);
      expect(result.toFloat64Array()).toHaveLength(wanted.length);
      result.toFloat64Array().forEach((value, i) => {
        expect(value).toBeCloseTo(wanted[i]!, 4);
      });
    }
  });

  test.each(SPACES)("%s", async (name, takes, gives) => {
    const target = `aten.${name}.default`;
    const program = session.transform(
      session.parseIr(programOf(`${target}(%c, [3, %u])`, [takes, gives], "4, 5")),
      "propagate-shapes",
    );
    expect(program.graph.node("z").meta.val).toBeUndefined();
    for (const backend of ["cpu", "wasm"]) {
      using executable = await session.compile(program, backend);
      for (const points of [-1n, 2n, 7n]) {
        const [result] = (await executable.run([x([4, 5]), Tensor.from(points, { dtype: "int64" })])) as [
          Tensor,
        ];
        expect([...result.toFloat64Array()]).toEqual(
          expected(target, [takes, gives], [4, 5], [[3, Number(points)]]),
        );
      }
    }
  });
});

test("a value that follows from an unknown one is not known", () => {
  const text = programOf("aten.fft_fft.default(%c, %u)", [false, true], "8");
  const program = session.transform(session.parseIr(text), "propagate-shapes");
  expect(program.graph.node("c").meta.val).toBeInstanceOf(FakeTensor);
  expect(program.graph.node("y").meta.val).toBeUndefined();
  expect(session.verify(program)).not.toEqual([]);
});

test.each([
  ["fft_fft", [0], 0],
  ["fft_rfft", [2, 0], 0],
  ["fft_ihfft", [0], 0],
  ["fft_irfft", [1], 0],
  ["fft_irfft", [0], -2],
  ["fft_fftn", [0, 2], 0],
  ["fft_irfftn", [2, 1], 0],
  ["fft_hfftn", [2, 0], 0],
] as const)("%s of %j has too few points", (name, shape, points) => {
  expect(() => evaluate(`aten.${name}.default`, [x(shape)])).toThrow(
    `Invalid number of data points (${points}) specified`,
  );
});
