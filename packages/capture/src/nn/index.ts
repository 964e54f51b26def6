/** @file Modules, layers and what they are made of (`torch.nn`). */
export { type Functional, functional } from "./functional.js";
export * as init from "./init.js";
export {
  type BufferOptions,
  type LoadOptions,
  type LoadReport,
  Module,
  type StateOptions,
} from "./module.js";
export type { NamedModule, NamedTensor } from "./state.js";
export { Buffer, Parameter } from "./tensors.js";
