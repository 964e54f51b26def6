/**
 * @file The programs of `fixtures/backend-numbers` on the interpreter, in WebAssembly on one
 * thread. Half of them on two, and with gpu.js on the processor and on WebGPU.
 */
import { backendNumbersSpec, OTHER_PLACES, PLACES, WEBGPU } from "./backend-numbers.fixture.js";

backendNumbersSpec(PLACES);
backendNumbersSpec({ ...OTHER_PLACES, ...WEBGPU }, 2);
