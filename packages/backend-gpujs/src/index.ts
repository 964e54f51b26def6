export type { CompileNestOptions, Device, DeviceBuffer, DeviceKernel, Lane, Mode } from "./device.js";
