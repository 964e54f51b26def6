/** @packageDocumentation An assembler for WebAssembly modules. */
export { detectFeatures, type Features } from "./features.js";
export { FunctionBuilder, type Global, type Label, type Local } from "./function.js";
export { type FunctionInit, type MemoryLimits, ModuleBuilder } from "./module.js";
export type {
  Instruction,
  LaneInstruction,
  MemoryInstruction,
  MemoryLaneInstruction,
} from "./opcodes.js";
export type { Signature, ValueType } from "./types.js";
