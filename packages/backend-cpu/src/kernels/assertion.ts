/** @file Run-time checks of programs. */
import { type ScalarLiteral, toNumber } from "@sconce/ir";
import { HOST_TENSORS } from "@sconce/ops";
import type { Tensor } from "@sconce/tensor";
import { detached } from "../kernel/copy.js";
import { assertionFailed } from "../kernel/errors.js";
import { defineKernels, emptyOutput, kernel, type RuntimeValue } from "../kernel/kernel.js";

function check(holds: boolean, message: string): null {
  if (!holds) throw assertionFailed(message);
  return null;
}

const truthOf = (value: RuntimeValue): boolean => HOST_TENSORS.isTrue(value);

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

const checkMetadata = kernel(
  "aten::_assert_tensor_metadata(Tensor a, SymInt[]? size=None, SymInt[]? stride=None, ScalarType? dtype=None, *, Device? device=None, Layout? layout=None) -> ()",
  ({ a, size, stride, dtype }) => {
    check(dtype === null || a.dtype === dtype, `Tensor dtype mismatch! Expected: ${dtype} Got: ${a.dtype}`);
    check(
      size === null || size.join() === a.shape.join(),
      `Tensor sizes mismatch! Expected: [${size}] Got: [${a.shape}]`,
    );
    return check(
      stride === null || stride.join() === a.strides.join(),
      `Tensor strides mismatch! Expected: [${stride}] Got: [${a.strides}]`,
    );
  },
);

const checkedRange = ({ dep_token: token, ...range }: RangeArgs & { readonly dep_token: Tensor }): Tensor => {
  checkRange(range);
  return detached(token);
};

export const assertionKernels = defineKernels([
  kernel("aten::_assert_scalar(Scalar self, str assert_msg) -> ()", ({ self, assert_msg }) =>
    check(truthOf(self), assert_msg),
  ),
  kernel("aten::_assert_async.msg(Tensor self, str assert_msg) -> ()", ({ self, assert_msg }) =>
    check(truthOf(self), assert_msg),
  ),
  kernel("aten::_assert_async(Tensor self) -> ()", ({ self }) =>
    check(truthOf(self), "Expected Tensor with single nonzero value, but got zero"),
  ),
  kernel(
    "aten::_functional_assert_async.msg(Tensor self, str assert_msg, Tensor dep_token) -> Tensor",
    (args) => {
      check(truthOf(args.self), args.assert_msg);
      return args.dep_token;
    },
  ),
  kernel(
    "aten::_functional_assert_scalar(Scalar self, str assert_msg, Tensor dep_token) -> Tensor",
    (args) => {
      check(truthOf(args.self), args.assert_msg);
      return detached(args.dep_token);
    },
  ),
  kernel(
    [
      "aten::_functional_sym_constrain_range(Scalar size, int? min, int? max, Tensor dep_token) -> Tensor",
      "aten::_functional_sym_constrain_range_for_size(Scalar size, int? min, int? max, Tensor dep_token) -> Tensor",
    ],
    checkedRange,
  ),
  kernel(
    "aten::_make_dep_token(*, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
    (_, context) => emptyOutput(context),
  ),
  kernel("aten::_print(str s) -> ()", ({ s }) => {
    console.log(s);
    return null;
  }),
  checkMetadata,
  kernel("aten::sym_constrain_range(Scalar size, *, int? min=None, int? max=None) -> ()", checkRange),
  kernel(
    "aten::sym_constrain_range_for_size(Scalar size, *, int? min=None, int? max=None) -> ()",
    ({ size, min, max }) => checkRange({ size, min: min ?? 0, max }),
  ),
]);
