/**
 * @file Calls with dtypes that PyTorch's CPU kernels refuse fail on every backend, in its words.
 */
import { cpuBackend } from "@sconce/backend-cpu";
import { gpujsBackend } from "@sconce/backend-gpujs";
import { wasmBackend } from "@sconce/backend-wasm";
import { cond, exportProgram, nn, torch } from "@sconce/capture";
import type { Backend, ExportedProgram, Value } from "@sconce/ir";
import { verify } from "@sconce/ir/verify";
import { defaultOperators } from "@sconce/ops";
import { callProblems, runDecompositions } from "@sconce/passes";
import { castTensor, type DType, Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";

const operators = defaultOperators();
const BACKENDS: readonly [name: string, open: () => Backend][] = [
  ["cpu", () => cpuBackend()],
  ["wasm", () => wasmBackend()],
  ["gpujs", () => gpujsBackend({ mode: "cpu" })],
];

type Model = (x: Tensor) => Tensor | readonly Tensor[];
const square = (dtype: DType): Tensor => Tensor.from([1, 0, 1, 1], [2, 2], dtype);
const F = nn.functional;

/** Models that PyTorch exports and refuses to run, and its messages. */
const REFUSED: readonly [name: string, model: Model, dtype: DType, message: string][] = [
  ["avg_pool2d", (x) => F.avgPool2d(x.unsqueeze(0), 2), "int8", "\"avg_pool2d\" not implemented for 'Char'"],
  ["mm", (x) => torch.mm(x, x), "bool", "\"addmm_impl_cpu_\" not implemented for 'Bool'"],
  ["matmul", (x) => x.matmul(x), "bool", "\"addmm_impl_cpu_\" not implemented for 'Bool'"],
  [
    "adaptive_max_pool2d",
    (x) => F.adaptiveMaxPool2d(x.unsqueeze(0), [1, 1]) as Tensor,
    "int8",
    "\"adaptive_max_pool2d\" not implemented for 'Char'",
  ],
  ["lerp", (x) => torch.lerp(x, x, 0.5), "int8", "\"lerp_kernel_scalar\" not implemented for 'Char'"],
  ["abs", (x) => x.abs(), "bool", "\"abs_cpu\" not implemented for 'Bool'"],
  ["abs_", (x) => x.clone().abs_(), "bool", "\"abs_cpu\" not implemented for 'Bool'"],
  ["pow", (x) => x.pow(x), "bool", "\"pow\" not implemented for 'Bool'"],
  ["topk", (x) => torch.topk(x, 1), "bool", "topk does not support bool dtypes on CPU"],
  ["gelu", (x) => F.gelu(x), "int32", "\"GeluKernelImpl\" not implemented for 'Int'"],
  ["relu", (x) => F.relu(x), "bool", "Boolean inputs not supported for relu"],
  ["lt", (x) => x.lt(x), "complex64", "\"lt_cpu\" not implemented for 'ComplexFloat'"],
  ["clamp", (x) => x.clamp(0, 1), "complex64", "clamp is not supported for complex types"],
  ["std", (x) => x.std(), "int64", "std and var only support floating point and complex dtypes"],
  ["mixed mm", (x) => torch.mm(x, x.double()), "float32", "expected m1 and m2 to have the same dtype"],
];

async function run(backend: Backend, program: ExportedProgram, inputs: readonly Value[]): Promise<unknown> {
  using executable = await backend.compile(program);
  return await executable.run(inputs);
}

describe.each(REFUSED)("%s", (_, model, dtype, message) => {
  const x = square(dtype);
  const program = exportProgram(model, [x], { onWarning: () => undefined });

  test("is exported, valid and lowered", () => {
    expect(verify(program)).toEqual([]);
    expect(callProblems(program, operators)).toEqual([]);
    expect(verify(runDecompositions(program))).toEqual([]);
  });

  test.each(BACKENDS)("%s refuses the call when it runs", async (_name, open) => {
    await expect(run(open(), program, [x])).rejects.toMatchObject({
      code: "DTYPE_MISMATCH",
      message: expect.stringContaining(message),
      where: expect.stringContaining("node "),
    });
  });
});

describe("a call that takes more dtypes than its decomposition", () => {
  // It becomes `logical_not`, `any` and `logical_not`.
  const eighths = (values: readonly number[]): Tensor =>
    castTensor(Tensor.from(values, [2], "float32"), "float8_e5m2");
  const program = exportProgram((x: Tensor) => x.all(), [eighths([1, 2])]);

  test.each(BACKENDS)("%s runs it", async (_name, open) => {
    for (const [values, all] of [
      [[1, 2], true],
      [[1, 0], false],
    ] as const) {
      const [result] = (await run(open(), program, [eighths(values)])) as [Tensor];
      expect(result.toArray()).toEqual([all]);
    }
  });
});

describe("a call in a branch", () => {
  const model = (x: Tensor): Tensor =>
    cond(
      x.any(),
      (y: Tensor) => y.logicalNot(),
      (y: Tensor) => y.abs(),
      [x],
    ) as Tensor;
  const program = exportProgram(model, [square("bool")]);

  test.each(BACKENDS)("%s refuses it only if the branch is taken", async (_name, open) => {
    const [result] = (await run(open(), program, [square("bool")])) as [Tensor];
    expect(result.toArray()).toEqual([false, true, false, false]);
    const zeros = Tensor.from([0, 0, 0, 0], [2, 2], "bool");
    await expect(run(open(), program, [zeros])).rejects.toThrow("\"abs_cpu\" not implemented for 'Bool'");
  });
});
