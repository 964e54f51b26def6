/**
 * @file `@sconce/backend-gpujs/webgpu`: devices of WebGPU. Their types name those of the browser
 * (`GPUDevice`), which programs that only run the backend need not have.
 */
export { type GpuJsContext, type OpenWebgpuOptions, openWebgpu } from "./webgpu/open.js";
export type { WgslBuffer, WgslDevice } from "./webgpu/wgsl-device.js";
