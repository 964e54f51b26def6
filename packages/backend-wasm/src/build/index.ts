/** @file What writes kernels to files takes from the backend. */

export { relaxedProbe } from "@sconce/wasm";
export { kernelsFor } from "../backend/kernels.js";
export { formOf, formsOf } from "../device/constants.js";
export type { Kernels } from "../device/device.js";
export { entriesOf, fillModuleOf, fillOf, moduleOf } from "../device/module.js";
export { elementsOf } from "../device/transfer.js";
export { hostFunctions } from "../emit/host-functions.js";
export { WASM } from "../emit/target.js";
export type { KernelCode, KernelImport, PreparedBuffer, UnitCount } from "../kernel-code.js";
export { type NestWork, TIME_OF_PRODUCT, totalWork, workOf } from "../threads/large.js";
