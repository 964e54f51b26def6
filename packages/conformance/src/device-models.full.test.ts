/** @file The usual models, small, wholly on a WebGPU device. */
import { gpujsBackend } from "@sconce/backend-gpujs";
import { createSconce } from "@sconce/session";
import type { Tensor } from "@sconce/tensor";
import { compareTensors } from "@sconce/tensor/compare";
import { afterAll, describe, expect, test } from "vitest";
import { model } from "./models.js";
import { openTestDevice } from "./test-device.fixture.js";

const device = await openTestDevice();
afterAll(() => device?.dispose());

describe.skipIf(device === undefined)("models on a WebGPU device", () => {
  test.each(["bert4-small", "gpt2-small", "resnet18-small"] as const)("%s", async (name) => {
    const one = model(name);
    const wanted = (await (await createSconce().compile(one.program)).run(one.inputs)) as Tensor[];
    using executable = await gpujsBackend({ mode: "webgpu" }).compile(one.program);
    const got = (await executable.run(one.inputs)) as Tensor[];
    const host = executable.placement!().nodes.filter(({ place }) => place === "host");
    expect(host.filter(({ target }) => !target.includes("_assert_"))).toEqual([]);
    expect(executable.placement!()).toMatchObject({ regions: 1, fallbacks: [] });
    wanted.forEach((tensor, i) => {
      expect(compareTensors(got[i]!, tensor, { rtol: 1e-4, atol: 1e-4, values: true })).toBeUndefined();
    });
  });
});
