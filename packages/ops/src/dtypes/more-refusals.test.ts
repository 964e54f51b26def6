/**
 * @file Dtypes and numbers that other names of operators refuse, as PyTorch does (asked by hand).
 */
import { evaluate } from "@sconce/backend-cpu";
import { isSconceError } from "@sconce/errors";
import { complex, float } from "@sconce/ir";
import { type DType, Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";

const filled = (dtype: DType, shape: readonly number[] = [2]): Tensor =>
  Tensor.from(new Array(shape.reduce((a, b) => a * b, 1)).fill(1), shape, dtype);

/** The first line of what a call is refused with. */
function refusal(target: string, args: readonly unknown[], kwargs: object = {}): string | undefined {
  try {
    evaluate(`aten.${target}`, args as never, kwargs as never);
    return undefined;
  } catch (error) {
    if (isSconceError(error)) return error.message;
    throw error;
  }
}

const x = filled("float32");
const i = filled("int16");
const b = filled("bool");
const two = complex(0, 2);

describe("other names of an operator", () => {
  test.each(["and", "or", "xor"])("__%s__ and __i%s__ take no floats", (name) => {
    const message = `"bitwise_${name}_cpu" not implemented for 'Float'`;
    for (const prefix of ["", "i"]) {
      expect(refusal(`__${prefix}${name}__.Tensor`, [x, x])).toContain(message);
      expect(refusal(`__${prefix}${name}__.Scalar`, [x, 1])).toContain(message);
      expect(refusal(`__${prefix}${name}__.Tensor`, [b, b])).toBeUndefined();
    }
  });

  test.each(["sin", "cos", "tan", "sinh", "cosh", "tanh"])("arc%s_ does not write into integers", (name) => {
    expect(refusal(`arc${name}_.default`, [i])).toContain(
      "result type float32 can't be cast to the desired output type int16",
    );
    expect(refusal(`arc${name}_.default`, [filled("float64")])).toBeUndefined();
  });

  test.each(["less", "less_equal", "greater", "greater_equal", "not_equal"])(
    "%s_ writes into any dtype",
    (name) => {
      expect(refusal(`${name}_.Tensor`, [i, x])).toBeUndefined();
      expect(refusal(`${name}_.Scalar`, [i, float(1.5)])).toBeUndefined();
    },
  );
});

test.each([
  ["bitwise_right_shift.Tensor_Scalar", [x, 1], "\"rshift_cpu\" not implemented for 'Float'"],
  ["bitwise_right_shift_.Tensor_Scalar", [x, 1], "\"rshift_cpu\" not implemented for 'Float'"],
  ["bitwise_left_shift.Scalar_Tensor", [1, x], "\"lshift_cpu\" not implemented for 'Float'"],
  ["bitwise_right_shift.Tensor_Scalar", [i, 1], undefined],
  ["__ilshift__.Scalar", [b, true], "\"lshift_cpu\" not implemented for 'Bool'"],
  ["__ilshift__.Scalar", [filled("int8"), true], undefined],
  ["remainder.Scalar", [b, true], "\"remainder_cpu\" not implemented for 'Bool'"],
  ["clamp_min.default", [b, true], "\"clamp_min_scalar_cpu\" not implemented for 'Bool'"],
  ["clamp.Tensor", [b, b, b], "\"clamp_cpu\" not implemented for 'Bool'"],
  ["clamp.Tensor", [b, b, null], undefined],
  ["arctan2_.default", [i, i], "result type float32 can't be cast to the desired output type int16"],
  ["absolute_.default", [filled("complex64")], "In-place abs is not supported for complex tensors."],
  [
    "float_power_.Scalar",
    [x, 2],
    "the base given to float_power_ has dtype Float but the operation's result requires dtype Double",
  ],
  ["float_power_.Scalar", [filled("float64"), 2], undefined],
  [
    "float_power_.Tensor",
    [filled("float64"), filled("complex64")],
    "has dtype Double but the operation's result requires dtype ComplexDouble",
  ],
  ["isin.Tensor_Scalar", [x, true], "Unsupported input type encountered for isin(): Bool"],
  ["fft_irfft.default", [filled("bfloat16", [4])], "Unsupported dtype BFloat16"],
  ["fft_ifftn.default", [filled("float16", [4])], "Unsupported dtype Half"],
  ["soft_margin_loss.default", [i, i], "result type Float can't be cast to the desired output type Short"],
  [
    "soft_margin_loss_backward.default",
    [x, filled("uint8"), x, 0],
    "result type Float can't be cast to the desired output type Byte",
  ],
  ["bernoulli_.Tensor", [x, i], "\"bernoulli_tensor_cpu_p_\" not implemented for 'Short'"],
  ["native_dropout.default", [i, float(0.5), true], "can't be cast to the desired output type Short"],
  ["native_dropout.default", [i, float(0.5), false], undefined],
  ["linalg_vander.default", [b], "supports floating point, complex, and integer tensors, but got Bool"],
  [
    "rrelu_with_noise.default",
    [x, filled("float64"), 0.1, 0.2, true],
    "expected scalar type Float but found Double",
  ],
  ["rrelu_with_noise.default", [x, x, 0.3, 0.2, true], "Expected from <= to to be true"],
  [
    "index_copy.default",
    [x, 0, filled("int32", [1]), filled("float32", [1])],
    "index_copy_(): Expected a long tensor for index, but got Int",
  ],
  [
    "index_fill.int_Scalar",
    [b, 0, filled("int64", [1]), two],
    "Converting complex Scalar to non-complex type",
  ],
  ["fill.Scalar", [filled("float16", [1]), two], "value cannot be converted to type double without overflow"],
  ["eq.Tensor", [b, filled("uint16")], "romotion"],
  ["eq.Tensor", [x, filled("uint16")], undefined],
  [
    "convolution.default",
    [filled("int32", [1, 2, 4]), filled("int32", [2, 2, 2]), null, [1], [0], [1], true, [0], 1],
    "\"slow_conv_transpose2d_out_cpu\" not implemented for 'Int'",
  ],
  ["add.Scalar", [x, 2n ** 64n], "int too big to convert"],
  ["mul.Tensor", [x, -(2n ** 63n) - 1n], "can't convert negative int to unsigned"],
  ["add.Scalar", [x, 2n ** 64n - 1n], undefined],
] as const)("%s", (target, args, message) => {
  const refused = refusal(target, args);
  if (message === undefined) expect(refused).toBeUndefined();
  else expect(refused).toContain(message);
});
