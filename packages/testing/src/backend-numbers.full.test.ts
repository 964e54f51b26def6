/**
 * @file The programs of `fixtures/backend-numbers` on two threads, and with gpu.js on the processor
 * and on WebGPU.
 */
import { backendNumbersSpec, OTHER_PLACES, WEBGPU } from "./backend-numbers.fixture.js";

for (const group of [
  "half-constants",
  "as-strided",
  "thresholds",
  "zero-factors",
  "empties",
  "logit-gradients",
])
  backendNumbersSpec(group, { ...OTHER_PLACES, ...WEBGPU });
