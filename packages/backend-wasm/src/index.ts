export {
  autoBackend,
  reportWasm,
  type WasmReport,
  wasmBackend,
  wasmByName,
} from "./backend/backend.js";
export type { WasmBackendOptions } from "./backend/options.js";
export { type KernelCache, type MemoryCacheOptions, memoryCache } from "./cache/kernel-cache.js";
export { printedKernel, printedRows } from "./emit/printed-kernel.js";
export { WASM } from "./emit/target.js";
export type { KernelBuffer, KernelCode, KernelImport, PreparedBuffer } from "./kernel-code.js";
export { matrixKernel } from "./matrix/matrix.js";
export type { MatrixOptions } from "./matrix/options.js";
