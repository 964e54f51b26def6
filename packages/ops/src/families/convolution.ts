/** @file The convolution operator: sizes, layout and checks. */
import type { FakeTensor, IntLike } from "@sconce/ir";
import { add, floorDiv, ge, gt, mul, or, type SymEnv, sub } from "@sconce/symbolic";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import { dtypeMismatch, invalidArgument, shapeMismatch } from "../rows/errors.js";
import { check, isEqual, mayDiffer, pythonLt } from "../rules/comparison.js";
import { describeSize, describeSizes } from "../rules/describe.js";
import { contiguousStridesOf, fake, numelOf } from "../rules/fake.js";
import { suggestMemoryFormat } from "../rules/memory-format.js";
import { areOther, checkDimSizes, unrecorded } from "../rules/operand-sizes.js";
import { askStrideOrder } from "../rules/stride-order.js";
import { viewOf } from "../rules/view-geometry.js";

/** The arguments that all general convolutions share. */
export interface ConvolutionArgs {
  readonly input: FakeTensor;
  readonly weight: FakeTensor;
  readonly bias: FakeTensor | null;
  readonly stride: readonly IntLike[];
  readonly padding: readonly IntLike[];
  readonly dilation: readonly IntLike[];
  readonly transposed: boolean;
  readonly output_padding: readonly IntLike[];
  readonly groups: IntLike;
}

const convolution = defineOp({
  schema:
    "aten::convolution(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool transposed, SymInt[] output_padding, SymInt groups) -> Tensor",
  tags: ["core"],
  meta: (args, { env }) => {
    checkConvolution(args, env);
    const [images, channels] = args.input.shape as readonly [IntLike, IntLike];
    // Of no channels PyTorch makes none, whatever the weight has.
    const filters = isEqual(env, channels, 0) ? 0 : outputChannels(args);
    const shape = [images, filters, ...outputSizes(args, env)];
    if (filters !== 0 && !isEqual(env, images, 0) && args.input.shape.some((size) => isEqual(env, size, 0)))
      throw shapeMismatch(
        `Only zero batch or zero channel inputs are supported, but got input shape: [${args.input.shape.map(describeSize).join(", ")}]`,
      );
    const made = fake({ dtype: args.input.dtype, shape, like: args.input });
    if (!isChannelsLastConvolution(args.input, args.weight, env)) return made;
    // PyTorch converts the row-major result.
    askStrideOrder(made, env);
    return viewOf(made, shape, channelsLastStrides(shape));
  },
});

const outputChannels = ({ weight, transposed, groups }: ConvolutionArgs): IntLike =>
  transposed ? mul(groups, weight.shape[1]!) : weight.shape[0]!;

/** A list of one value represents every spatial dimension. */
const at = (list: readonly IntLike[], i: number): IntLike => (list.length === 1 ? list[0]! : list[i]!);

function outputSizes(args: ConvolutionArgs, env: SymEnv): readonly IntLike[] {
  const { input, weight, transposed } = args;
  const sizes = input.shape.slice(2).map((size, i) => {
    const reach = mul(at(args.dilation, i), sub(weight.shape[i + 2]!, 1));
    const padding = mul(2, at(args.padding, i));
    const stride = at(args.stride, i);
    if (transposed) {
      const grown = add(sub(mul(sub(size, 1), stride), padding), reach);
      return add(add(grown, at(args.output_padding, i)), 1);
    }
    const fits = (): Error =>
      shapeMismatch(
        `Calculated padded input size per channel: (${describeSize(add(size, padding))}). Kernel size: ` +
          `(${describeSize(add(reach, 1))}). Kernel size can't be greater than actual input size`,
      );
    const [padded, kernel] = [add(size, padding), add(reach, 1)];
    // PyTorch's choice of a backend asks first, where there are example sizes.
    if (env.orFalse(pythonLt(padded, kernel))) throw fits();
    check(env, ge(padded, kernel), fits);
    return add(floorDiv(sub(sub(add(size, padding), reach), 1), stride), 1);
  });
  const tooSmall = (): Error =>
    shapeMismatch(
      `Given input size per channel: ${describeSizes(input.shape.slice(2))}. ` +
        `Calculated output size per channel: ${describeSizes(sizes)}. Output size is too small`,
    );
  check(
    env,
    sizes.map((size) => gt(size, 0)).reduce((a, b) => or(a, b)),
    tooSmall,
  );
  return sizes;
}

/** Returns whether the backends lay out images of this convolution by pixels. */
function isChannelsLastConvolution(input: FakeTensor, weight: FakeTensor, env: SymEnv): boolean {
  const rank = weight.ndim;
  if (rank > 4 || isEqual(env, numelOf(input.shape), 0)) return false;
  // A signal is run as an image of height 1, made row-major before its layout is looked at.
  const layouts = rank === 3 ? [asImage(weight)] : [input, weight];
  return layouts.some((tensor) => suggestMemoryFormat(tensor, env) === "channels_last");
}

function channelsLastStrides(shape: readonly IntLike[]): readonly IntLike[] {
  const [, channels, ...spatial] = shape;
  const last = contiguousStridesOf([shape[0]!, ...spatial, channels!]);
  return [last[0]!, 1, ...last.slice(1, -1)];
}

function asImage(weight: FakeTensor): FakeTensor {
  const [out, channels, size] = weight.shape as [IntLike, IntLike, IntLike];
  const [a, b, c] = weight.strides as [IntLike, IntLike, IntLike];
  const { dtype } = weight;
  return fake({ dtype, shape: [out, channels, 1, size], strides: [a, b, mul(size, c), c], like: weight });
}

function checkConvolution(args: ConvolutionArgs, env: SymEnv): void {
  const { input, weight, bias, groups, transposed } = args;
  const rank = weight.ndim;
  if (rank < 3) throw shapeMismatch("weight should have at least three dimensions");
  if (input.ndim !== rank) {
    throw shapeMismatch(
      `Expected ${rank}-dimensional input for ${rank}-dimensional weight ${describeSizes(weight.shape)}, ` +
        `but got ${input.ndim}-dimensional input of size ${describeSizes(input.shape)} instead`,
    );
  }
  if (input.dtype !== weight.dtype) {
    throw dtypeMismatch(`Input type (${input.dtype}) and weight type (${weight.dtype}) should be the same`);
  }
  if (bias !== null && input.dtype !== bias.dtype) {
    throw dtypeMismatch(`Input type (${input.dtype}) and bias type (${bias.dtype}) should be the same`);
  }
  checkNumbers(args, rank - 2);
  const expected = transposed ? weight.shape[0]! : mul(weight.shape[1]!, groups);
  if (mayDiffer(env, input.shape[1]!, expected)) {
    throw shapeMismatch(
      `Given ${transposed ? "transposed=1" : `groups=${describeSize(groups)}`}, weight of size ` +
        `${describeSizes(weight.shape)}, expected input${describeSizes(input.shape)} to have ${describeSize(expected)} ` +
        `channels, but got ${describeSize(input.shape[1])} channels instead`,
    );
  }
  const channels = outputChannels(args);
  if (bias !== null && (bias.ndim !== 1 || mayDiffer(env, bias.shape[0]!, channels))) {
    throw shapeMismatch(
      `Given ${transposed ? "transposed=1, " : ""}weight of size ${describeSizes(weight.shape)}, expected bias to be ` +
        `1-dimensional with ${describeSize(channels)} elements, but got bias of size ${describeSizes(bias.shape)} instead`,
    );
  }
}

function checkNumbers(args: ConvolutionArgs, spatial: number): void {
  const { stride, padding, dilation, output_padding, groups, weight, transposed } = args;
  const lists = { stride, padding, dilation, ...(transposed ? { output_padding } : {}) };
  for (const [name, list] of Object.entries(lists)) {
    if (list.length !== 1 && list.length !== spatial) {
      throw invalidArgument(
        `expected ${name} to be a single integer value or a list of ${spatial} values to match the convolution ` +
          `dimensions, but got ${name}=${describeSizes(list)}`,
      );
    }
  }
  const negative = (list: readonly IntLike[], least: number): boolean =>
    list.some((value) => typeof value === "number" && value < least);
  if (negative(padding, 0)) throw invalidArgument("negative padding is not supported");
  if (transposed && negative(output_padding, 0))
    throw invalidArgument("negative output_padding is not supported");
  if (negative(stride, 1)) throw invalidArgument("non-positive stride is not supported");
  if (negative(dilation, 1)) throw invalidArgument("dilation should be greater than zero");
  if (negative([groups], 1)) throw invalidArgument("non-positive groups is not supported");
  const channels = weight.shape[0]!;
  if (typeof channels !== "number" || typeof groups !== "number") return;
  if (channels < groups || channels % groups !== 0) {
    throw shapeMismatch(
      `Given groups=${groups}, expected weight to be at least ${groups} at dimension 0 and divisible by it, ` +
        `but got weight of size ${describeSizes(weight.shape)} instead`,
    );
  }
}

/** Requires the gradient to have the sizes of what the convolution gives. */
function checkGradient(args: ConvolutionArgs & { readonly grad_output: FakeTensor }, env: SymEnv): void {
  const { grad_output: grad, input } = args;
  checkConvolution(args, env);
  if (grad.ndim !== input.ndim)
    throw shapeMismatch(
      `Expected input and grad_output to have the same number of dimensions, but got: ${input.ndim} and ${grad.ndim}`,
    );
  // Without elements PyTorch computes nothing, and compares nothing.
  if (input.shape.includes(0)) return;
  const channels = outputChannels(args);
  const shape = [input.shape[0]!, channels, ...outputSizes(args, env)];
  checkDimSizes(env, grad, shape, input.ndim - 2);
}

const convolutionBackward = defineOp({
  schema:
    "aten::convolution_backward(Tensor grad_output, Tensor input, Tensor weight, SymInt[]? bias_sizes, SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool transposed, SymInt[] output_padding, SymInt groups, bool[3] output_mask) -> (Tensor, Tensor, Tensor)",
  tags: ["core"],
  meta: (args, { env }) => {
    const { grad_output, input, weight, bias_sizes, output_mask } = args;
    checkGradient({ ...args, bias: null }, unrecorded(env));
    const [wantInput, wantWeight, wantBias] = output_mask;
    // The kernel makes a value for each channel, whatever these sizes are.
    const given = [grad_output.shape[1]!];
    const channels = bias_sizes === null || areOther(env, bias_sizes, given) ? given : bias_sizes;
    const channelsLast = isChannelsLastConvolution(input, weight, env);
    const gradient = (like: FakeTensor): FakeTensor =>
      fake({
        dtype: like.dtype,
        shape: like.shape,
        strides: (channelsLast ? channelsLastStrides : contiguousStridesOf)(like.shape),
        like,
      });
    return [
      wantInput ? gradient(input) : null,
      wantWeight ? gradient(weight) : null,
      wantBias ? fake({ dtype: grad_output.dtype, shape: channels, like: grad_output }) : null,
    ];
  },
});

/** Convolution as backends see it. */
export const convolutionOps: readonly OpDefinition[] = [convolution, convolutionBackward];
