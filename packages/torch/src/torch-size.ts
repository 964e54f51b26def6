import type { IntLike } from "@sconce/symbolic";

/** Sizes as PyTorch prints them: `torch.Size([2, s77])`. */
export const torchSize = (sizes: readonly IntLike[]): string => `torch.Size([${sizes.join(", ")}])`;
