/** @packageDocumentation An assembler for WebAssembly modules. */
export { type Comparison, Expression, i32, type Operand } from "./expression.js";
export { detectFeatures, type Features, relaxedProbe } from "./features.js";
export { FunctionBuilder, type Global, type Label } from "./function.js";
export { type FunctionInit, type MemoryLimits, ModuleBuilder } from "./module.js";
export type {
  Instruction,
  LaneInstruction,
  MemoryInstruction,
  MemoryLaneInstruction,
} from "./opcodes.js";
export type { Local, Signature, ValueType } from "./types.js";
