/** @file The words that PyTorch has for layouts and memory formats, without `torch.`. */
import type { LayoutName, MemoryFormat } from "@sconce/ir";

export const LAYOUTS: readonly LayoutName[] = [
  "strided",
  "sparse_coo",
  "sparse_csr",
  "sparse_csc",
  "sparse_bsr",
  "sparse_bsc",
  "_mkldnn",
];

export const MEMORY_FORMATS: readonly MemoryFormat[] = [
  "contiguous_format",
  "preserve_format",
  "channels_last",
  "channels_last_3d",
];
