/**
 * @file The usual models wholly on gpu.js: at full size in WebAssembly, small ones on a WebGPU
 * device too.
 */
import { gpujsBackend, type Mode } from "@sconce/backend-gpujs";
import { runDecompositions } from "@sconce/passes";
import { createSconce } from "@sconce/session";
import type { Tensor } from "@sconce/tensor";
import { compareTensors } from "@sconce/tensor/compare";
import { describe, expect, test } from "vitest";
import { MODELS, type ModelName, model } from "./models.js";
import { hasWebgpu } from "./test-device.fixture.js";

const isThere = await hasWebgpu();
const small = MODELS.filter((name) => name.endsWith("-small"));

async function check(name: ModelName, mode: Mode): Promise<void> {
  const { program, inputs } = model(name);
  const wanted = (await (await createSconce().compile(program)).run(inputs)) as Tensor[];
  using executable = await gpujsBackend({ mode }).compile(program);
  const got = (await executable.run(inputs)) as Tensor[];
  const { nodes, kernels, regions, fallbacks } = executable.placement!();
  expect(nodes.filter(({ place }) => place === "host")).toEqual([]);
  expect({ regions, fallbacks }).toEqual({ regions: 1, fallbacks: [] });
  const calls = runDecompositions(program)
    .graph.nodes()
    .filter(({ op }) => op === "call_function").length;
  if (!name.startsWith("resnet")) expect(kernels).toBeLessThanOrEqual(calls / 3);
  wanted.forEach((tensor, i) => {
    expect(compareTensors(got[i]!, tensor, { rtol: 1e-4, atol: 1e-4, values: true })).toBeUndefined();
  });
}

test.each(MODELS)("%s in mode webasm", (name) => check(name, "webasm"));
describe.skipIf(!isThere)("on a WebGPU device", () => {
  test.each(small)("%s in mode webgpu", (name) => check(name, "webgpu"));
});
