/** @file The backend's suite with 500 random programs, in the modes that compute in different ways. */
import { gpujsBackend } from "@sconce/backend-gpujs";
import { describe } from "vitest";
import { hasWebgpu } from "../test-device.fixture.js";
import { backendSpec } from "./spec.js";

const isThere = await hasWebgpu();

backendSpec(gpujsBackend({ mode: "webasm", name: "gpujs webasm" }), { programs: 500 });
describe.skipIf(!isThere)("in mode webgpu", () => {
  backendSpec(gpujsBackend({ mode: "webgpu", name: "gpujs webgpu" }), { programs: 500 });
});
