/**
 * @file The backend's suite with 250 random programs, and 100 in software on WebGPU.
 */

import { backendSpec } from "@sconce/testing/vitest";
import { describe } from "vitest";
import { gpujsBackend } from "./index.js";
import { hasWebgpu } from "./webgpu/device.fixture.js";

const isThere = await hasWebgpu();

backendSpec(gpujsBackend({ mode: "webasm", name: "gpujs webasm" }), { programs: 150 });
describe.skipIf(!isThere)("in mode webgpu", () => {
  backendSpec(gpujsBackend({ mode: "webgpu", name: "gpujs webgpu" }), { programs: 60 });
});
