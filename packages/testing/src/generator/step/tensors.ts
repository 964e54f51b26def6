/** @file Elements of generated programs. */
import { drawFrom } from "@sconce/passes";
import { type DType, dtypeInfo, numel, Tensor } from "@sconce/tensor";

/**
 * Random multiples of 1/4 in [-2, 2]: every dtype holds them exactly, and so are their sums.
 * Integers from -2 to 2.
 */
export function gridTensor(
  dtype: DType,
  shape: readonly number[],
  seed: number,
  requiresGrad = false,
): Tensor {
  const draw = drawFrom(seed);
  const { kind } = dtypeInfo(dtype);
  const values = Array.from({ length: numel(shape) }, () => {
    if (kind === "bool") return draw.integer(0, 1) === 1;
    return kind === "int" ? draw.integer(-2, 2) : draw.integer(-8, 8) / 4;
  });
  const tensor = Tensor.from(values, shape, dtype);
  return requiresGrad ? new Tensor({ dtype, shape, storage: tensor.storage, requiresGrad }) : tensor;
}

/** Integers from 0 to `below - 1`. */
export function indexTensor(shape: readonly number[], below: number, seed: number): Tensor {
  const draw = drawFrom(seed);
  return Tensor.from(
    Array.from({ length: numel(shape) }, () => draw.integer(0, below - 1)),
    shape,
    "int64",
  );
}
