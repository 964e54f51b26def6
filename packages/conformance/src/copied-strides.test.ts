/** @file Copies with given strides, on each backend. */
import { cpuBackend } from "@sconce/backend-cpu";
import { gpujsBackend } from "@sconce/backend-gpujs";
import { wasmBackend } from "@sconce/backend-wasm";
import { exportProgram, torch } from "@sconce/capture";
import type { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";

const BACKENDS = [cpuBackend(), wasmBackend({ threads: 1 }), gpujsBackend({ mode: "cpu" })];
const example = (): Tensor => torch.arange(6).reshape([2, 3]).to("float32");
const copyWith = (strides: readonly number[], isLast: boolean) =>
  exportProgram(
    (x: Tensor) => {
      const copy = torch.ops.prims.copy_strided.default(x, strides);
      return isLast ? copy : copy.add(0);
    },
    [example()],
  );

describe.each(BACKENDS)("$name", (backend) => {
  test.each([
    ["row-major", [3, 1]],
    ["turned", [1, 2]],
    ["with gaps", [8, 2]],
  ])("%s", async (_, strides) => {
    for (const isLast of [true, false]) {
      const program = copyWith(strides, isLast);
      using executable = await backend.compile(program);
      const [result] = (await executable.run([example()])) as [Tensor];
      expect([...result.toArray()]).toEqual([0, 1, 2, 3, 4, 5]);
      if (isLast) expect(result.strides).toEqual(strides);
      if (executable.placement)
        expect(executable.placement().nodes.every(({ place }) => place === "device")).toBe(true);
    }
  });

  test("elements that share memory are refused", async () => {
    using executable = await backend.compile(copyWith([0, 1], true));
    await expect(executable.run([example()])).rejects.toThrow(/refers to a single memory location/);
  });
});
