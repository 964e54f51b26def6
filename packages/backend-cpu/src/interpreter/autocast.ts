/**
 * @file Mixed precision regions: arguments in the dtypes that PyTorch's CPU autocast gives them.
 */
import { autocastDtype, type BoundArgs, isAutocastEligible } from "@sconce/ops";
import { castTensor, type DType, Tensor } from "@sconce/tensor";

/** The arguments as autocast casts them, or undefined for an operator that it does not know. */
export function autocastArguments(target: string, bound: BoundArgs, dtype: DType): BoundArgs | undefined {
  const wanted = autocastDtype(target, dtype, dtypesIn(Object.values(bound)));
  if (wanted === undefined) return undefined;
  return Object.fromEntries(Object.entries(bound).map(([name, value]) => [name, castTo(value, wanted)]));
}

function castTo(value: unknown, dtype: DType): unknown {
  if (Array.isArray(value)) return (value as readonly unknown[]).map((item) => castTo(item, dtype));
  return value instanceof Tensor && isAutocastEligible(value.dtype) ? castTensor(value, dtype) : value;
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
