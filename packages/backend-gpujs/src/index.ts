export {
  type CompileNestOptions,
  type Device,
  type DeviceBuffer,
  type DeviceKernel,
  judge,
  rangeOfTensor,
  type Verdict,
} from "@sconce/device-runtime";
export { type GpujsBackend, type GpujsBackendOptions, gpujsBackend, gpujsByName } from "./backend.js";
export type { Lane, Mode } from "./device/mode.js";
export { MODES, type ModeReport, type OpenDevice, type OpenOptions, reportModes } from "./modes.js";
export { type NestSource, nestSource } from "./nest-source.js";
