import type { SymInt } from "@sconce/symbolic";

/** Sizes as PyTorch prints them: `torch.Size([2, s77])`. */
export const torchSize = (sizes: readonly SymInt[]): string => `torch.Size([${sizes.join(", ")}])`;
