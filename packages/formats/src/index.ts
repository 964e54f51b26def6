export type { ReadPt2Options } from "./pt2/read.js";
export { readPt2 } from "./pt2/read.js";
export type { ByteSource, RandomAccess } from "./source.js";
export { readSafetensors, type Safetensors, writeSafetensors } from "@sconce/tensor";
