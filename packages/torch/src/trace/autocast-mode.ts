import type { DType } from "@sconce/tensor";

/** The state that a mixed precision region sets. */
export interface AutocastMode {
  /** The dtype of regions that name none. */
  readonly dtype: DType;
  /** Whether operators are cast; `false` also ends the effect of an outer region. */
  readonly enabled: boolean;
  /** Whether PyTorch keeps cast weights; while it traces it does only where it is asked to. */
  readonly cacheEnabled: boolean;
}

/** No region. */
export const NO_AUTOCAST: AutocastMode = { dtype: "bfloat16", enabled: false, cacheEnabled: false };

/** Options of `autocast`. */
export interface AutocastOptions {
  /**
   * The dtype that matrix products and the like run in.
   * @defaultValue that of the region around it, or `bfloat16` on the CPU and `float16` on `cuda`
   */
  readonly dtype?: DType | null | undefined;
  /**
   * Whether anything is cast: a region without ends the effect of one around it. @defaultValue true
   */
  readonly enabled?: boolean | undefined;
  /** What the program records of PyTorch's cache of cast weights; numbers are the same. */
  readonly cacheEnabled?: boolean | null | undefined;
}

/** A region as the code asks for it. */
export interface AutocastRegion extends AutocastOptions {
  readonly device: "cpu" | "cuda";
}
