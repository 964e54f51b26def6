/** @file The programs of `fixtures/backend-numbers` with gpu.js on WebGPU. */
import { backendNumbersSpec, WEBGPU } from "./backend-numbers.fixture.js";

for (const group of [
  "half-constants",
  "as-strided",
  "thresholds",
  "zero-factors",
  "empties",
  "logit-gradients",
])
  backendNumbersSpec(group, WEBGPU);
