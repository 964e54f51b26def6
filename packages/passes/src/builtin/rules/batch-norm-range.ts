/**
 * @file Batch norms whose numbers the weights of a layer do not hold. PyTorch computes `y * s + t`
 * of the result `y` of the layer. Weights times `s` give the same only where `s` and `t` are finite
 * and the products neither overflow nor become subnormal.
 */
import type { FakeTensor } from "@sconce/ir";
import type { DType, Tensor } from "@sconce/tensor";
import type { Captures, Match } from "../../rewrite/rule.js";

/** Returns the value of a placeholder that no run changes, if it is known. */
export type KnownValue = (placeholder: string) => Tensor | undefined;

/** Numbers of a dtype: products of weights and scales stay between its ends. */
interface Range {
  readonly largest: number;
  /** Scales beyond, or below one over it, could make weights subnormal. */
  readonly scale: number;
}
const WIDE: Range = { largest: 2 ** 127, scale: 2 ** 48 };
const RANGES: Readonly<Partial<Record<DType, Range>>> = {
  float16: { largest: 2 ** 15, scale: 2 ** 6 },
  float64: { largest: 2 ** 1023, scale: 2 ** 256 },
};

/** Returns why weights cannot take the numbers of a batch norm in, if they cannot. */
export function outOfRange(captures: Captures, match: Match, known: KnownValue): string | undefined {
  const tensorOf = (name: string): Tensor | undefined => {
    const source = match.source(name);
    const value = source === undefined ? undefined : known(source.name);
    return value?.hasValues === true && value.isLoaded ? value : undefined;
  };
  const variance = tensorOf("var");
  if (variance === undefined) return undefined;
  const numbersOf = (name: string): Float64Array | undefined => tensorOf(name)?.toFloat64Array();
  const { largest, scale: most } = RANGES[(captures["w"] as FakeTensor).dtype] ?? WIDE;
  const [gamma, beta, mean, bias] = ["gamma", "beta", "mean", "b"].map(numbersOf);
  const eps = match.number("eps") ?? 0;
  let largestScale = 0;
  for (const [c, spread] of variance.toFloat64Array().entries()) {
    const scale = (gamma?.[c] ?? 1) / Math.sqrt(spread + eps);
    const size = Math.abs(scale);
    if (size !== 0 && !(size >= 1 / most && size <= most))
      return `channel ${c} is multiplied by ${scale}, which the weights cannot take in`;
    const shift = ((bias?.[c] ?? 0) - (mean?.[c] ?? 0)) * scale + (beta?.[c] ?? 0);
    if (!(Math.abs(shift) < largest))
      return `${shift} is added to channel ${c}, which the bias does not hold`;
    largestScale = Math.max(largestScale, size);
  }
  const weights = tensorOf("w");
  if (weights === undefined || largestMagnitude(weights) * largestScale < largest) return undefined;
  return "the weights times the factors of the batch norm overflow";
}

/** Returns the largest magnitude of the elements, NaN aside. */
function largestMagnitude(tensor: Tensor): number {
  const { dtype, data, storageOffset: start, numel } = tensor;
  const numbers =
    dtype === "float32" && tensor.isContiguous
      ? (data as Float32Array).subarray(start, start + numel)
      : tensor.toFloat64Array();
  let largest = 0;
  // Millions of weights: an iterator takes five times as long.
  for (let at = 0; at < numbers.length; at++) {
    const size = Math.abs(numbers[at]!);
    if (size > largest) largest = size;
  }
  return largest;
}
