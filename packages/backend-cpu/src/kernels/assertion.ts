/** @file Run-time checks of programs. */
import { type ScalarLiteral, toNumber } from "@sconce/ir";
import { HOST_TENSORS } from "@sconce/ops";
import type { DType, Tensor } from "@sconce/tensor";
import { assertionFailed } from "../kernel/errors.js";
import { defineKernels, kernel, type RuntimeValue } from "../kernel/kernel.js";

function check(holds: boolean, message: string): null {
  if (!holds) throw assertionFailed(message);
  return null;
}

const truthOf = (value: RuntimeValue): boolean => HOST_TENSORS.isTrue(value);

interface MetadataArgs {
  readonly a: Tensor;
  readonly size: readonly number[] | null;
  readonly stride: readonly number[] | null;
  readonly dtype: DType | null;
}

interface RangeArgs {
  readonly size: ScalarLiteral;
  readonly min: number | null;
  readonly max: number | null;
}

function checkRange({ size, min, max }: RangeArgs): null {
  const value = toNumber(size);
  const [low, high] = [min ?? Number.NEGATIVE_INFINITY, max ?? Number.POSITIVE_INFINITY];
  return check(value >= low && value <= high, `Invalid value range for ${value} between [${low}, ${high}].`);
}

function checkMetadata({ a, size, stride, dtype }: MetadataArgs): null {
  check(dtype === null || a.dtype === dtype, `Tensor dtype mismatch! Expected: ${dtype} Got: ${a.dtype}`);
  check(
    size === null || size.join() === a.shape.join(),
    `Tensor sizes mismatch! Expected: [${size}] Got: [${a.shape}]`,
  );
  return check(
    stride === null || stride.join() === a.strides.join(),
    `Tensor strides mismatch! Expected: [${stride}] Got: [${a.strides}]`,
  );
}

export const assertionKernels = defineKernels({
  "aten._assert_scalar.default": kernel<{ self: RuntimeValue; assert_msg: string }>(({ self, assert_msg }) =>
    check(truthOf(self), assert_msg),
  ),
  "aten._assert_async.msg": kernel<{ self: RuntimeValue; assert_msg: string }>(({ self, assert_msg }) =>
    check(truthOf(self), assert_msg),
  ),
  "aten._assert_async.default": kernel<{ self: RuntimeValue }>(({ self }) =>
    check(truthOf(self), "Expected Tensor with single nonzero value, but got zero"),
  ),
  "aten._functional_assert_async.msg": kernel<{ self: RuntimeValue; assert_msg: string; dep_token: Tensor }>(
    (args) => {
      check(truthOf(args.self), args.assert_msg);
      return args.dep_token;
    },
  ),
  "aten._assert_tensor_metadata.default": kernel<MetadataArgs>(checkMetadata),
  "aten.sym_constrain_range.default": kernel<RangeArgs>(checkRange),
  "aten.sym_constrain_range_for_size.default": kernel<RangeArgs>(({ size, min, max }) =>
    checkRange({ size, min: min ?? 0, max }),
  ),
});
