import { expect, test } from "vitest";
import { deviceText } from "./device-text.js";

test("devices of gpu.js have the name of their interface, others their own", () => {
  expect(deviceText("webasm: gpu.js webasm")).toBe("gpu.js kernels in WebAssembly");
  expect(deviceText("webgl2: gpu.js webgl2 on ANGLE (Mesa)")).toBe("WebGL 2 on ANGLE (Mesa)");
  expect(deviceText("webgpu: NVIDIA, ampere")).toBe("WebGPU on NVIDIA, ampere");
  expect(deviceText("WebAssembly with SIMD: 2 threads")).toBe("WebAssembly with SIMD: 2 threads");
  expect(deviceText("the interpreter runs all calls")).toBe("the interpreter runs all calls");
});
