/** @file Softmax, its logarithm, and the form that gives zeros for rows without a finite value. */
import type { FakeTensor, IntLike } from "@sconce/ir";
import { isFloatDType } from "@sconce/tensor";
import { defineOp, type MetaContext, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { dtypeMismatch, shapeMismatch } from "../rows/errors.js";
import { Arithmetic } from "../rules/arithmetic.js";
import { isEqual } from "../rules/comparison.js";
import { convert } from "../rules/decompose.js";
import { describeSizes } from "../rules/describe.js";
import { wrapDim } from "../rules/dims.js";
import { fake, numelOf } from "../rules/fake.js";
import { areOther } from "../rules/operand-sizes.js";
import { castForMath } from "../rules/opmath.js";
import { computationDType } from "../rules/promote.js";

interface SoftmaxArgs {
  readonly self: FakeTensor;
  readonly dim: IntLike;
  readonly half_to_float: boolean;
}

/** The result is row-major whatever the layout of the input. */
const normalized =
  (name: string) =>
  ({ self, dim, half_to_float }: SoftmaxArgs, { env }: MetaContext): FakeTensor => {
    wrapDim(dim, self.ndim);
    if (half_to_float && self.dtype !== "float16" && self.dtype !== "bfloat16") {
      throw dtypeMismatch(`half_to_float is True but x.dtype is ${self.dtype}, expected half or bfloat16`);
    }
    // Nothing is computed without elements, so any dtype will do.
    if (!isFloatDType(self.dtype) && !isEqual(env, numelOf(self.shape), 0))
      throw dtypeMismatch(`"${name}" not implemented for '${self.dtype}'`);
    return fake({
      dtype: half_to_float ? computationDType(self.dtype) : self.dtype,
      shape: self.shape,
      like: self,
    });
  };

const softmaxCore = defineOp({
  schema: "aten::_softmax(Tensor self, int dim, bool half_to_float) -> Tensor",
  tags: ["core"],
  meta: normalized("softmax"),
});

const logSoftmaxCore = defineOp({
  schema: "aten::_log_softmax(Tensor self, int dim, bool half_to_float) -> Tensor",
  tags: ["core"],
  meta: normalized("log_softmax"),
});

type WithDType = {
  readonly self: FakeTensor;
  readonly dim: IntLike;
  readonly dtype: FakeTensor["dtype"] | null;
};

const converted = (emit: Emit, { self, dtype }: WithDType): FakeTensor => {
  if (dtype === null || dtype === self.dtype) return self;
  const { layout, device } = self;
  return emit("aten.to.dtype_layout", [self], { dtype, layout, device });
};

const softmax = defineOp({
  schema: "aten::softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor",
  tags: ["composite"],
  decompose: (emit, args) => emit("aten._softmax.default", [converted(emit, args), args.dim, false]),
});

const logSoftmax = defineOp({
  schema: "aten::log_softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor",
  tags: ["composite"],
  decompose: (emit, args) => emit("aten._log_softmax.default", [converted(emit, args), args.dim, false]),
});

const safeSoftmax = defineOp({
  schema: "aten::_safe_softmax(Tensor self, int dim, ScalarType? dtype=None) -> Tensor",
  meta: ({ self, dim, dtype }) => {
    wrapDim(dim, self.ndim);
    return fake({ dtype: dtype ?? self.dtype, shape: self.shape, like: self });
  },
  decompose: (emit, { self, dim, dtype }) => {
    const out = emit("aten.softmax.int", [self, dim, dtype ?? undefined]);
    const masked = emit("aten.eq.Scalar", [self, Number.NEGATIVE_INFINITY]);
    const maskedRows = emit("aten.all.dim", [masked, dim, true]);
    const zeros = emit("aten.zeros_like.default", [out]);
    return emit("aten.where.self", [maskedRows, zeros, out]);
  },
});

/** Returns the dtype of a gradient that was computed in another one than its input's. */
function gradientOf(
  { grad_output: grad, output, dim, input_dtype: dtype }: GradientArgs,
  { env }: MetaContext,
): FakeTensor {
  // The kernel of log_softmax does not compare them, and reads outside of its memory.
  if (areOther(env, grad.shape, output.shape))
    throw shapeMismatch(
      "Expected tensor for argument #1 'grad' to have same size as tensor for argument #2 'output'; but " +
        `${describeSizes(grad.shape)} does not equal ${describeSizes(output.shape)}`,
    );
  wrapDim(dim, grad.ndim);
  return fake({ dtype, shape: grad.shape, like: grad });
}
interface GradientArgs {
  readonly grad_output: FakeTensor;
  readonly output: FakeTensor;
  readonly dim: IntLike;
  readonly input_dtype: FakeTensor["dtype"];
}

const softmaxBackward = defineOp({
  schema:
    "aten::_softmax_backward_data(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype) -> Tensor",
  meta: gradientOf,
  decompose: (emit, { grad_output, output, dim, input_dtype }) => {
    const [grad, y] = castForMath(emit, [grad_output, output]).operands;
    const t = new Arithmetic(emit);
    const scaled = t.mul(grad, y);
    const sum = emit("aten.sum.dim_IntList", [scaled, [dim], true]);
    const result = convert(emit, t.sub(scaled, t.mul(y, sum)), input_dtype);
    return emit("aten.contiguous.default", [result]);
  },
});

const logSoftmaxBackward = defineOp({
  schema:
    "aten::_log_softmax_backward_data(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype) -> Tensor",
  meta: gradientOf,
  decompose: (emit, { grad_output, output, dim, input_dtype }) => {
    const [grad, y] = castForMath(emit, [grad_output, output]).operands;
    const t = new Arithmetic(emit);
    const probabilities = t.unary("exp", y);
    const sum = emit("aten.sum.dim_IntList", [grad, [dim], true]);
    return convert(emit, t.sub(grad, t.mul(probabilities, sum)), input_dtype);
  },
});

/** The softmax family. */
export const softmaxOps: readonly OpDefinition[] = [
  softmaxCore,
  logSoftmaxCore,
  softmax,
  logSoftmax,
  safeSoftmax,
  softmaxBackward,
  logSoftmaxBackward,
];
