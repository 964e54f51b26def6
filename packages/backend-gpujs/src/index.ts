export type { CompileNestOptions, Device, DeviceBuffer, DeviceKernel, Lane, Mode } from "./device.js";
export { type GpuJsContext, type OpenWebgpuOptions, openWebgpu } from "./webgpu/open.js";
export type { WgslBuffer, WgslDevice } from "./webgpu/wgsl-device.js";
