export type { KernelBuffer, KernelCode, KernelImport, ModuleBuilder, WasmType } from "./kernel-code.js";
