/** @file Autocast regions become explicit casts. */
import { FakeTensor } from "@sconce/ir";
import { autocastDtype, type Emit, type EmitArg, isAutocastEligible } from "@sconce/ops";
import type { DType } from "@sconce/tensor";

export interface AutocastState {
  readonly dtype: DType;
}

/**
 * Returns the positional arguments with the casts that autocast would make, or undefined for
 * operators that it does not know. Arguments are cast from the last to the first, as C++ evaluates
 * them.
 */
export function castForAutocast(
  state: AutocastState,
  target: string,
  args: readonly EmitArg[],
  emit: Emit,
): readonly EmitArg[] | undefined {
  const dtype = autocastDtype(
    target,
    state.dtype,
    tensorsIn(args).map((tensor) => tensor.dtype),
  );
  if (dtype === undefined) return undefined;
  const cast = (value: EmitArg): EmitArg => {
    if (Array.isArray(value)) return (value as readonly EmitArg[]).map(cast);
    const eligible = value instanceof FakeTensor && value.dtype !== dtype && isAutocastEligible(value.dtype);
    return eligible ? emit("aten._to_copy.default", [value], { dtype }) : value;
  };
  const result = args.slice();
  for (let i = result.length - 1; i >= 0; i--) result[i] = cast(result[i]);
  return result;
}

function tensorsIn(args: readonly EmitArg[]): FakeTensor[] {
  return args.flatMap((arg) =>
    arg instanceof FakeTensor ? [arg] : Array.isArray(arg) ? tensorsIn(arg as readonly EmitArg[]) : [],
  );
}
