/**
 * @file Mixed precision regions: arguments in the dtypes that PyTorch's CPU autocast gives them.
 */
import { autocastDtype, type BoundArgs, isAutocastEligible } from "@sconce/ops";
import { type DType, Tensor } from "@sconce/tensor";

/**
 * Returns the arguments as autocast casts them, or undefined for an operator that it does not know.
 *
 * @param cast a copy in another dtype that keeps the order of memory, as kernels may depend on it
 */
export function autocastArguments(
  target: string,
  bound: BoundArgs,
  dtype: DType,
  cast: (tensor: Tensor, dtype: DType) => Tensor,
): BoundArgs | undefined {
  const wanted = autocastDtype(target, dtype, dtypesIn(Object.values(bound)));
  if (wanted === undefined) return undefined;
  const castTo = (value: unknown): unknown => {
    if (Array.isArray(value)) return (value as readonly unknown[]).map(castTo);
    const isCast = value instanceof Tensor && value.dtype !== wanted && isAutocastEligible(value.dtype);
    return isCast ? cast(value, wanted) : value;
  };
  return Object.fromEntries(Object.entries(bound).map(([name, value]) => [name, castTo(value)]));
}

function dtypesIn(values: readonly unknown[]): DType[] {
  return values.flatMap((value) =>
    value instanceof Tensor
      ? [value.dtype]
      : Array.isArray(value)
        ? dtypesIn(value as readonly unknown[])
        : [],
  );
}
