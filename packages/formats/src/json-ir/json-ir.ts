/** @file JSON IR: a graph of tensors as JSON, and the program that it describes. */
export { type ExtractOptions, extractProgram } from "./extract.js";
export { type ProgramOptions, programOfIR } from "./program.js";
export { type ReadJsonIROptions, readJsonIR } from "./read.js";
export type {
  JsonIR,
  JsonIRAttribute,
  JsonIRGraph,
  JsonIRInput,
  JsonIRNode,
  JsonIRTensor,
} from "./types.js";
export { jsonIRText } from "./write.js";
