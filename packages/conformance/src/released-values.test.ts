/**
 * @file Every backend releases a value after its last use: the values in use after each step of a
 * run.
 */
import { gpujsBackend } from "@sconce/backend-gpujs";
import type { Progress } from "@sconce/errors";
import type { Executable } from "@sconce/ir";
import { createSconce } from "@sconce/session";
import { Tensor } from "@sconce/tensor";
import { afterAll, describe, expect, test } from "vitest";
import { openTestDevice } from "./test-device.fixture.js";

const gpu = await openTestDevice();
afterAll(() => gpu?.dispose());

const sconce = createSconce({
  backends: [
    gpujsBackend({ name: "gpujs:cpu", mode: "cpu" }),
    gpujsBackend({ name: "gpujs:webasm", mode: "webasm" }),
    gpujsBackend({ name: "gpujs:webgpu", mode: "webgpu", devices: { webgpu: async () => gpu!.share() } }),
  ],
});
const VALUE_BYTES = 256;
/**
 * Each call is a kernel. `%b` is a result that is read again, `%a` is read long after it was made.
 */
const program = sconce.parseIr(`sconce-ir 1
program "ATEN" { input %x: USER_INPUT output %b: USER_OUTPUT output %f: USER_OUTPUT }
graph(%x: f32[64]) {
  %a: f32[64] = aten.cumsum.default(%x, 0)
  %b: f32[64] = aten.cumsum.default(%a, 0)
  %c: f32[64] = aten.cumsum.default(%b, 0)
  %d: f32[64] = aten.cumsum.default(%c, 0)
  %e: f32[64] = aten.cumsum.default(%d, 0)
  %f: f32[64] = aten.maximum.default(%e, %a)
  return (%b, %f)
}`);
const x = Tensor.from(new Array(64).fill(1), [64], "float32");

/**
 * How many values are in use at each report of progress: after each step, gpujs also at the end.
 */
async function inUse(executable: Executable, bytes: "hostBytes" | "deviceBytes"): Promise<number[]> {
  const seen: number[] = [];
  const onProgress = ({ done }: Progress): void => {
    if (done > 0) seen.push(executable.memory!()[bytes] / VALUE_BYTES);
  };
  await executable.run([x], { onProgress });
  return seen;
}

describe("values in use after each step", () => {
  test("on the interpreter, where what a step reads is released after the report", async () => {
    using executable = await sconce.compile(program, "cpu");
    expect(await inUse(executable, "hostBytes")).toEqual([1, 2, 3, 4, 4, 4]);
  });

  test.each(["gpujs:cpu", "gpujs:webasm", ...(gpu === undefined ? [] : ["gpujs:webgpu"])])(
    "on %s",
    async (backend) => {
      using executable = await sconce.compile(program, backend);
      for (let run = 0; run < 2; run++)
        expect(await inUse(executable, "deviceBytes")).toEqual([1, 2, 3, 3, 3, 2, 2]);
      expect(executable.memory!().deviceBytes).toBe(0);
    },
  );

  test.skipIf(gpu === undefined)(
    "WebGPU keeps the slots of the plan, one of which held the input",
    async () => {
      using executable = await sconce.compile(program, "gpujs:webgpu");
      for (let run = 0; run < 3; run++) {
        await executable.run([x]);
        // While a step reads one value and writes the next, `%a` and `%b` are alive too.
        expect(executable.memory!().keptBytes).toBe(4 * VALUE_BYTES);
      }
    },
  );
});
