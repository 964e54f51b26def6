/** @file Gradients of losses. */
import { type FakeTensor, float, type IntLike } from "@sconce/ir";
import { floorDiv, type SymEnv } from "@sconce/symbolic";
import { isIntegralDType } from "@sconce/tensor";
import { defineOp, type MetaContext, type OpDefinition } from "../rows/define-op.js";
import type { Emit, EmitArg } from "../rows/emit.js";
import { dtypeMismatch, invalidArgument, shapeMismatch } from "../rows/errors.js";
import { Arithmetic } from "../rules/arithmetic.js";
import { mayDiffer } from "../rules/comparison.js";
import { convert } from "../rules/decompose.js";
import { describeSizes } from "../rules/describe.js";
import { scalarTypeName } from "../rules/dtype-names.js";
import { elementwise } from "../rules/elementwise.js";
import { numelOf, rowMajorLike } from "../rules/fake.js";
import { REDUCTION } from "../rules/loss-reduction.js";
import { areOther, checkDimSize, isOther } from "../rules/operand-sizes.js";
import { castForMath, HALVES, heldNumber } from "../rules/opmath.js";
import { canCast, promoteOperands } from "../rules/promote.js";
import { countOf, opposite, quotient } from "../rules/size-math.js";

interface LossArgs {
  readonly grad_output: FakeTensor;
  readonly self: FakeTensor;
  readonly target: FakeTensor;
  readonly reduction: IntLike;
}

type Operands = readonly [grad: FakeTensor, self: FakeTensor, target: FakeTensor, weight: FakeTensor | null];

const gradient = ({ grad_output, self, target }: LossArgs, context: MetaContext): FakeTensor => {
  // The kernel writes in the dtype of the input.
  const dtype = promoteOperands([self, target, grad_output]);
  if (!canCast(dtype, self.dtype)) {
    const [from, to] = [dtype, self.dtype].map(scalarTypeName);
    throw dtypeMismatch(`result type ${from} can't be cast to the desired output type ${to}`);
  }
  return elementwise(context, [self, target, grad_output]);
};

/**
 * Computes in the dtype that PyTorch computes in: kernels that are `stepwise` round each step to
 * that of the operands, also where it is a half.
 */
function inMath(
  emit: Emit,
  args: LossArgs & { readonly weight?: FakeTensor | null },
  body: (t: Arithmetic, operands: Operands) => FakeTensor,
  isStepwise = false,
): FakeTensor {
  const { operands, result } = castForMath(
    emit,
    [args.grad_output, args.self, args.target, args.weight ?? null],
    isStepwise ? HALVES : [],
  );
  return convert(emit, body(new Arithmetic(emit), operands), result);
}

/** `value / numel` for the mean, else `value`. */
const normOf = (emit: Emit, self: FakeTensor, reduction: IntLike, value: number): EmitArg =>
  reduction === REDUCTION.mean ? quotient(emit, value, countOf(emit, self)) : float(value);

/** {@link normOf} as a stepwise kernel has it: rounded to the dtype of the operands. */
function heldNorm(emit: Emit, self: FakeTensor, reduction: IntLike, value: number): EmitArg {
  const norm = normOf(emit, self, reduction, value);
  if (emit.runsKernels !== true || !HALVES.includes(self.dtype)) return norm;
  const count = reduction === REDUCTION.mean ? numelOf(self.shape) : 1;
  if (typeof count === "number") return float(heldNumber(value / count, self.dtype));
  return emit("aten.full.default", [[], norm], { dtype: self.dtype });
}

const mse = defineOp({
  schema: "aten::mse_loss_backward(Tensor grad_output, Tensor self, Tensor target, int reduction) -> Tensor",
  meta: gradient,
  decompose: (emit, args) =>
    inMath(
      emit,
      args,
      (t, [grad, self, target]) => {
        if (emit.runsKernels === true && isIntegralDType(self.dtype)) {
          // The kernel converts the factor to the dtype, which cuts it.
          const factor = args.reduction === REDUCTION.mean ? floorDiv(2, numelOf(self.shape)) : 2;
          return t.mul(t.mul(t.sub(self, target), factor), grad);
        }
        const norm = heldNorm(emit, self, args.reduction, 2);
        return t.mul(t.mul(t.sub(self, target), norm), grad);
      },
      true,
    ),
});

/** As PyTorch's kernel chooses among three slopes, also for a limit that is NaN or negative. */
function smoothSlope(
  t: Arithmetic,
  [grad, x]: readonly [FakeTensor, FakeTensor],
  norm: EmitArg,
  beta: number,
): FakeTensor {
  const scaled = t.mul(grad, norm);
  const inside = t.div(t.mul(t.mul(x, norm), grad), float(beta));
  const above = t.where(t.compare("ge", x, float(beta)), scaled, inside);
  return t.where(t.compare("le", x, float(-beta)), t.unary("neg", scaled), above);
}

const smoothL1 = defineOp({
  schema:
    "aten::smooth_l1_loss_backward(Tensor grad_output, Tensor self, Tensor target, int reduction, float beta) -> Tensor",
  meta: gradient,
  decompose: (emit, args) =>
    inMath(emit, args, (t, [grad, self, target]) => {
      const norm = normOf(emit, self, args.reduction, 1);
      const x = t.sub(self, target);
      if (emit.runsKernels === true) return smoothSlope(t, [grad, x], norm, args.beta);
      const size = t.unary("abs", x);
      const scaled = t.mul(grad, norm);
      const near = t.compare("lt", size, float(args.beta));
      const inside = t.div(t.mul(scaled, x), float(args.beta));
      return t.where(near, inside, t.mul(scaled, t.unary("sign", x)));
    }),
});

const huber = defineOp({
  schema:
    "aten::huber_loss_backward(Tensor grad_output, Tensor self, Tensor target, int reduction, float delta) -> Tensor",
  meta: gradient,
  decompose: (emit, args) =>
    inMath(
      emit,
      args,
      (t, [grad, self, target]) => {
        const norm = heldNorm(emit, self, args.reduction, 1);
        const x = t.sub(self, target);
        if (emit.runsKernels === true) {
          const limit = heldNumber(args.delta, x.dtype);
          const above = t.where(t.compare("ge", x, float(limit)), float(limit), x);
          return t.mul(t.mul(t.where(t.compare("le", x, float(-limit)), float(-limit), above), norm), grad);
        }
        const delta = float(args.delta);
        const low = t.compare("lt", x, float(-args.delta));
        const below = t.mul(t.mul(grad, opposite(emit, norm)), delta);
        const high = t.compare("gt", x, delta);
        const above = t.mul(t.mul(grad, norm), delta);
        return t.where(low, below, t.where(high, above, t.mul(t.mul(x, norm), grad)));
      },
      true,
    ),
});

/** `tensor / numel` for the mean. */
const averaged = (
  t: Arithmetic,
  tensor: FakeTensor,
  self: FakeTensor,
  { reduction }: LossArgs,
): FakeTensor => (reduction === REDUCTION.mean ? t.div(tensor, countOf(t.emit, self)) : tensor);

/** As PyTorch's kernel computes it, whose exponential may leave the range of the dtype. */
function marginSlope(
  t: Arithmetic,
  [grad, self, target]: readonly [FakeTensor, FakeTensor, FakeTensor],
  reduction: IntLike,
): FakeTensor {
  const power = t.unary("exp", t.mul(t.unary("neg", target), self));
  const scaled = t.mul(t.mul(target, power), heldNorm(t.emit, self, reduction, -1));
  return t.mul(t.div(scaled, t.add(power, float(1))), grad);
}

const softMargin = defineOp({
  schema:
    "aten::soft_margin_loss_backward(Tensor grad_output, Tensor self, Tensor target, int reduction) -> Tensor",
  meta: (args, context) => {
    gradient(args, context);
    // The kernel begins with `target * self`, whose strides the result has.
    return elementwise(context, [args.target, args.self, args.grad_output]);
  },
  decompose: (emit, args) =>
    inMath(
      emit,
      args,
      (t, [grad, self, target]) => {
        if (emit.runsKernels === true) return marginSlope(t, [grad, self, target], args.reduction);
        const scaled = t.mul(target, grad);
        return averaged(t, t.mul(scaled, t.sub(t.unary("sigmoid", t.mul(target, self)), 1)), self, args);
      },
      true,
    ),
});

const binaryCrossEntropy = defineOp({
  schema:
    "aten::binary_cross_entropy_backward(Tensor grad_output, Tensor self, Tensor target, Tensor? weight=None, int reduction=1) -> Tensor",
  meta: gradient,
  decompose: (emit, args) =>
    inMath(emit, args, (t, [grad, self, target, weight]) => {
      const scaled = t.mul(grad, t.sub(self, target));
      const variance = emit("aten.clamp.default", [t.mul(self, t.minus(1, self)), float(1e-12)]);
      const result = t.div(scaled, variance);
      return averaged(t, weight === null ? result : t.mul(result, weight), self, args);
    }),
});

interface NllArgs extends LossArgs {
  readonly weight: FakeTensor | null;
  readonly ignore_index: IntLike;
  readonly total_weight: FakeTensor;
}

/**
 * Minus the gradient at the target's class, zero elsewhere. PyTorch's decomposition multiplies by
 * that zero, which is NaN where a gradient is not finite; its kernel does not.
 */
function likelihoodGradient(emit: Emit, args: NllArgs): FakeTensor {
  const { self, weight, reduction, ignore_index } = args;
  const t = new Arithmetic(emit);
  const dim = self.ndim < 2 ? 0 : 1;
  let grad = reduction === REDUCTION.mean ? t.div(args.grad_output, args.total_weight) : args.grad_output;
  const first = self.ndim === 1 && args.target.ndim > 0;
  const classes = first ? emit("aten.select.int", [args.target, 0, 0]) : args.target;
  const target = emit("aten.unsqueeze.default", [classes, dim]);
  const counted = (): FakeTensor => emit("aten.ne.Scalar", [target, ignore_index]);
  const safe = t.where(counted(), target, 0);
  const zeros = emit("aten.zeros_like.default", [self]);
  const selected = emit("aten.scatter.value", [zeros, dim, safe, float(-1)]);
  if (self.ndim > grad.ndim && grad.ndim > 0) grad = emit("aten.unsqueeze.default", [grad, dim]);
  if (weight !== null) {
    const shape: EmitArg = self.shape.map((_, d) => (d === dim ? weight.shape[0]! : 1));
    grad = t.mul(grad, emit("aten.reshape.default", [weight, shape]));
  }
  if (emit.runsKernels !== true) return t.mul(selected, t.where(counted(), grad, 0));
  const slope = t.where(counted(), t.unary("neg", grad), 0);
  return t.where(t.compare("lt", selected, 0), slope, 0);
}

function checkLikelihood({ self, target, weight, total_weight }: NllArgs, { env }: MetaContext): FakeTensor {
  const batched = self.ndim > 1 || target.ndim > 0;
  if (batched && target.ndim === 0)
    throw invalidArgument("Dimension specified as 0 but tensor has no dimensions");
  const [images, , ...pixels] = self.shape;
  if (
    batched &&
    (mayDiffer(env, images!, target.shape[0]!) || areOther(env, pixels, target.shape.slice(1)))
  ) {
    throw shapeMismatch(
      `size mismatch (got input: ${describeSizes(self.shape)}, target: ${describeSizes(target.shape)})`,
    );
  }
  if (numelOf(total_weight.shape) !== 1) {
    throw shapeMismatch("expected total_weight to be a single element tensor");
  }
  const classes = self.shape[self.ndim < 2 ? 0 : 1] ?? 1;
  if (weight !== null && mayDiffer(env, numelOf(weight.shape), classes)) {
    throw shapeMismatch("weight tensor should be defined either for all or no classes");
  }
  return rowMajorLike(self);
}

/** One gradient; without a reduction one for each example, in PyTorch's words for either rank. */
function checkGradient({ grad_output: grad, self, target, reduction }: NllArgs, env: SymEnv): void {
  if (self.ndim === 1 || reduction !== REDUCTION.none) {
    if (grad.ndim > 1 || isOther(env, numelOf(grad.shape), 1))
      throw shapeMismatch(
        `Expected a single element grad_output tensor, but got: ${describeSizes(grad.shape)}`,
      );
  } else if (self.ndim === 2) {
    checkDimSize(env, grad, 1, 0, self.shape[0]!);
  } else if (grad.ndim !== 3) {
    throw shapeMismatch(
      `grad_output must have same dimension as target (3) but got dimension: ${describeSizes(grad.shape)}`,
    );
  } else if (areOther(env, grad.shape, target.shape)) {
    throw shapeMismatch(
      `size mismatch (got grad_output: ${describeSizes(grad.shape)} target: ${describeSizes(target.shape)}`,
    );
  }
}

const nll = defineOp({
  schema:
    "aten::nll_loss_backward(Tensor grad_output, Tensor self, Tensor target, Tensor? weight, int reduction, SymInt ignore_index, Tensor total_weight) -> Tensor",
  meta: (args, context) => {
    if (args.self.ndim > 2 || args.self.ndim === 0)
      throw shapeMismatch(`input tensor should be 1D or 2D, got ${args.self.ndim}D`);
    if (args.target.ndim > 1) {
      throw shapeMismatch(
        `0D or 1D target tensor expected, multi-target not supported, got ${args.target.ndim}D`,
      );
    }
    const result = checkLikelihood(args, context);
    checkGradient(args, context.env);
    return result;
  },
  decompose: likelihoodGradient,
});

const nll2d = defineOp({
  schema:
    "aten::nll_loss2d_backward(Tensor grad_output, Tensor self, Tensor target, Tensor? weight, int reduction, SymInt ignore_index, Tensor total_weight) -> Tensor",
  meta: (args, context) => {
    if (args.self.ndim !== 4) {
      throw shapeMismatch(
        `only batches of spatial inputs supported (4D tensors), but got input of dimension: ${args.self.ndim}`,
      );
    }
    if (args.target.ndim !== 3) {
      throw shapeMismatch(
        `only batches of spatial targets supported (3D tensors) but got targets of dimension: ${args.target.ndim}`,
      );
    }
    const result = checkLikelihood(args, context);
    checkGradient(args, context.env);
    return result;
  },
  decompose: likelihoodGradient,
});

/** Gradients of losses. */
export const lossBackwardOps: readonly OpDefinition[] = [
  mse,
  smoothL1,
  huber,
  softMargin,
  binaryCrossEntropy,
  nll,
  nll2d,
];
