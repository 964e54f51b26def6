export { type GpujsBackend, type GpujsBackendOptions, gpujsBackend, gpujsByName } from "./backend.js";
export type { CompileNestOptions, Device, DeviceBuffer, DeviceKernel, Lane, Mode } from "./device/device.js";
export { MODES, type ModeReport, type OpenDevice, type OpenOptions, reportModes } from "./modes.js";
export { type NestSource, nestSource } from "./nest-source.js";
export { judge, type Verdict } from "./ranges/judge.js";
export { rangeOfTensor } from "./runtime/values.js";
