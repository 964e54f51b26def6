/** @file How weights are stored, as options say it. */
import type { CodeRange } from "../numbers/parameters.js";

/** How weights are stored. */
export interface WeightScheme {
  /** Bits of a code: 8, 4 or 2. @defaultValue 8 */
  readonly bits?: 8 | 4 | 2;
  /**
   * Elements along the inputs of a layer that share a scale: 32, 64, 128, all of an output channel
   * (`channel`), or `auto`: channels for 8 bits, 64 for 4 bits, 32 for 2 bits.
   * @defaultValue "auto"
   */
  readonly group?: WeightGroup;
  /** Whether the code of 0 is the middle of the range, so that no zero points are stored. */
  readonly symmetric?: boolean;
  /**
   * The scale of a group: `absmax` keeps the largest magnitude, `mse` searches that of the least
   * squared error, `gptq` makes the outputs of linear layers near, with `hessians`.
   * @defaultValue "absmax"
   */
  readonly scheme?: "absmax" | "mse" | "gptq";
  /**
   * `int` for codes, or the half-precision dtype that weights are stored in. @defaultValue "int"
   */
  readonly dtype?: "int" | "float16" | "bfloat16";
  /** The least scale. @defaultValue 2^-23 */
  readonly eps?: number;
}

/** The choices of `group`. */
export const WEIGHT_GROUPS = ["auto", "32", "64", "128", "channel"] as const;
/** Elements that share a scale; see {@link WeightScheme}. */
export type WeightGroup = (typeof WEIGHT_GROUPS)[number];

/** Returns the codes of a width; 8-bit symmetric ones leave out -128, as XNNPACK has them. */
export function codeRange(bits: number, isSymmetric: boolean): CodeRange {
  const half = 2 ** (bits - 1);
  return { min: bits === 8 && isSymmetric ? 1 - half : -half, max: half - 1 };
}

const AUTO = { 8: "channel", 4: "64", 2: "32" } as const;

/**
 * Returns the elements that share a scale in rows of some length. Where the group does not divide a
 * row, it is the largest divisor from half of the group on; a whole row where there is none.
 */
export function groupLength(group: WeightGroup, bits: 8 | 4 | 2, columns: number): number {
  const wanted = group === "auto" ? AUTO[bits] : group;
  if (wanted === "channel" || Number(wanted) >= columns) return columns;
  for (let length = Number(wanted); length >= Number(wanted) / 2; length--)
    if (columns % length === 0) return length;
  return columns;
}
