export { readSafetensors, type Safetensors, writeSafetensors } from "@sconce/tensor";
export { calledNamespaces } from "./pt2/called-namespaces.js";
export { LazyStorage, type StorageSource } from "./pt2/lazy-storage.js";
export {
  READ_OPTIONS as READ_PT2_OPTIONS,
  type ReadLimits,
  type ReadPt2Options,
} from "./pt2/options.js";
export { readPt2 } from "./pt2/read-at-once.js";
export type { WritePt2Options } from "./pt2/write/options.js";
export type { ByteSource, RandomAccess } from "./source.js";
