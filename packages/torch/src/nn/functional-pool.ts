/** @file Pools of `nn.functional` (`torch/nn/functional.py`). */
import { float, toNumber } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import { deviceOfTensor } from "../functions/conversions.js";
import { invalidArgument } from "../functions/errors.js";
import { callMethod, callNn, callTorch } from "../functions/function-tables.js";
import { sizeOf, sizesOf, sizeText } from "../functions/sizes.js";
import { guard, type SymNumber, sym } from "../functions/sym.js";
import type { Size } from "../trace/sym-int.js";
import type { Body } from "./functional-activation.js";

/** Returns a value for each dimension: one value represents all. */
export const spread = <T>(value: T | readonly T[], length: number): readonly T[] =>
  Array.isArray(value) ? value : new Array<T>(length).fill(value as T);

/** Sizes where null is the size of the input. */
const withDefaults = (size: unknown, input: Tensor): unknown => {
  if (!Array.isArray(size)) return size;
  const sizes = sizesOf(input);
  return size.map((one, i) => one ?? sizes[sizes.length - size.length + i]);
};

const maxPool =
  (dims: number): Body =>
  ({ input, kernelSize, stride, padding, dilation, ceilMode, returnIndices }) => {
    const args = [input, kernelSize, stride ?? [], padding, dilation, ceilMode];
    if (!returnIndices) return callTorch(`max_pool${dims}d`, args);
    const name = `max_pool${dims}d_with_indices`;
    return dims === 1 ? callTorch(name, args) : callNn(name, args);
  };

const adaptiveMaxPool =
  (dims: number): Body =>
  ({ input, outputSize, returnIndices }) => {
    const name = `adaptive_max_pool${dims}d`;
    const results =
      dims === 1
        ? callTorch(name, [input, outputSize])
        : callNn(name, [input, withDefaults(outputSize, input)]);
    return returnIndices ? results : (results as readonly Tensor[])[0];
  };

const adaptiveAveragePool =
  (dims: number): Body =>
  ({ input, outputSize }) =>
    callNn(`adaptive_avg_pool${dims}d`, [input, withDefaults(outputSize, input)]);

const fractionalMaxPool =
  (dims: number): Body =>
  (args) => {
    const { input, kernelSize, outputRatio, returnIndices } = args;
    if (args["outputSize"] === null && outputRatio === null)
      throw invalidArgument(
        "functional.fractionalMaxPool",
        "no size is given",
        "give outputSize or outputRatio",
      );
    const ratios = spread(outputRatio as SymNumber, dims);
    const outputSize =
      args["outputSize"] ?? ratios.map((ratio, i) => sym.int(sym.mul(sizeOf(input, i - dims), ratio)));
    const samples = args["_randomSamples"] ?? randomSamples(input, dims);
    const results = callNn(`fractional_max_pool${dims}d`, [input, kernelSize, outputSize, samples]);
    return returnIndices ? results : (results as readonly Tensor[])[0];
  };

function randomSamples(input: Tensor, dims: number): unknown {
  const batch = input.ndim === dims + 1 ? 1 : sizeOf(input, 0);
  const options = { dtype: input.dtype, device: deviceOfTensor(input) };
  return callTorch("rand", [[batch, sizeOf(input, -dims - 1), dims]], options);
}

type Sizes = readonly Size[];

/** Returns the sizes before a max pool, by default the least that give the pool's. */
function unpooledSize(
  input: Tensor,
  kernel: Sizes,
  stride: Sizes,
  padding: Sizes,
  given: Sizes | null,
): Sizes {
  const first = input.ndim - kernel.length;
  const least = kernel.map((size, d) => {
    const steps = sym.mul(sym.sub(sizesOf(input)[first + d]!, 1), stride[d]!);
    return sym.sub(sym.add(steps, size), sym.mul(2, padding[d]!)) as Size;
  });
  if (given === null) return least;
  const sizes = given.length === kernel.length + 2 ? given.slice(2) : given;
  sizes.forEach((size, d) => {
    const low = sym.sub(least[d]!, stride[d]!);
    const high = sym.add(least[d]!, stride[d]!);
    if (sizes.length !== kernel.length || !guard(sym.and(sym.lt(low, size), sym.lt(size, high))))
      throw invalidArgument(
        "functional.maxUnpool",
        `the output size ${sizeText(size)} of dimension ${d} does not fit`,
        `use a size between ${sizeText(low)} and ${sizeText(high)}`,
      );
  });
  return sizes;
}

const maxUnpool =
  (dims: number): Body =>
  ({ input, indices, kernelSize, stride, padding, outputSize }) => {
    const kernel = spread<Size>(kernelSize, dims);
    const steps = stride === null ? kernel : spread<Size>(stride, dims);
    const given = outputSize === null ? null : spread<Size>(outputSize, dims);
    const borders = spread<Size>(padding, dims);
    const size = unpooledSize(input, kernel, steps, borders, given);
    if (dims === 3) return callNn("max_unpool3d", [input, indices, size, steps, borders]);
    if (dims === 2) return callNn("max_unpool2d", [input, indices, size]);
    const operands = [callMethod(input, "unsqueeze", [-1]), callMethod(indices, "unsqueeze", [-1])];
    return callMethod(callNn("max_unpool2d", [...operands, [...size, 1]]) as Tensor, "squeeze", [-1]);
  };

const product = (values: readonly Size[]): Size => values.reduce((a, b) => sym.mul(a, b) as Size);

const powerPool =
  (dims: number): Body =>
  ({ input, normType, kernelSize, stride, ceilMode }) => {
    const norm = toNumber(normType);
    if (norm === 0) throw invalidArgument("functional.lpPool", "the norm is 0", "use another number");
    const pool = (x: unknown): Tensor =>
      callTorch(`max_pool${dims}d`, [x, kernelSize, stride ?? [], 0, 1, ceilMode]) as Tensor;
    const magnitude = (): Tensor => callMethod(input, "abs") as Tensor;
    if (norm === Number.POSITIVE_INFINITY) return pool(magnitude());
    if (norm === Number.NEGATIVE_INFINITY) return callMethod(pool(callMethod(magnitude(), "neg")), "neg");
    const average = dims === 1 ? callTorch : callNn;
    const powers = callMethod(input, "pow", [normType]);
    const given = stride === null ? [powers, kernelSize] : [powers, kernelSize, stride, 0, ceilMode];
    const options = stride === null ? { padding: 0, ceilMode } : {};
    const means = average(`avg_pool${dims}d`, given, options) as Tensor;
    const signs = callTorch("sign", [means]) as Tensor;
    const positive = callTorch("relu", [callTorch("abs", [means])]);
    const sums = callMethod(callMethod(signs, "mul", [positive]) as Tensor, "mul", [
      dims === 1
        ? Array.isArray(kernelSize)
          ? kernelSize[0]
          : kernelSize
        : product(spread<Size>(kernelSize, dims)),
    ]) as Tensor;
    return callMethod(sums, "pow", [float(1 / norm)]);
  };

/** The functions by PyTorch's name. */
export const POOLS: Readonly<Record<string, Body>> = Object.fromEntries([
  ...[1, 2, 3].flatMap((dims): [string, Body][] => [
    [`max_pool${dims}d`, maxPool(dims)],
    [`max_unpool${dims}d`, maxUnpool(dims)],
    [`lp_pool${dims}d`, powerPool(dims)],
    [`adaptive_max_pool${dims}d`, adaptiveMaxPool(dims)],
  ]),
  ...[2, 3].flatMap((dims): [string, Body][] => [
    [`adaptive_avg_pool${dims}d`, adaptiveAveragePool(dims)],
    [`fractional_max_pool${dims}d`, fractionalMaxPool(dims)],
  ]),
]);
