export { readSafetensors, type Safetensors, writeSafetensors } from "@sconce/tensor";
export { calledNamespaces } from "./pt2/called-namespaces.js";
export { LazyStorage, type StorageSource } from "./pt2/lazy-storage.js";
export {
  LOAD_PT2_OPTIONS,
  type LoadPt2Options,
  type NamesOptions,
  type PT2ArchiveContents,
  READ_OPTIONS as READ_PT2_OPTIONS,
  type ReadLimits,
  type ReadPt2Options,
} from "./pt2/options.js";
export { loadPt2, pt2ProgramNames, readPt2 } from "./pt2/read-at-once.js";
export type { PackagePt2Options, WritePt2Options } from "./pt2/write/options.js";
export type { ByteSource, RandomAccess } from "./source.js";
