/** @file Names of backends: those of Sconce's packages, and what people call them. */

/** What installs each backend that has a package. */
export const BACKEND_PACKAGES: ReadonlyMap<string, string> = new Map([
  ["gpujs", "npm install @sconce/backend-gpujs gpu.js"],
]);

/** Other names of GPUs and their interfaces, with the backend that uses them. */
export const OTHER_NAMES: ReadonlyMap<string, string> = new Map(
  ["gpu", "gpu.js", "webgpu", "wgsl", "webgl", "webgl2"].map((name) => [name, "gpujs"]),
);
