/** @file Kernels for a dozen operators on float32 tensors, as plain loops. */

import { type CallArgument, numbers, Tensor } from "sconce";

/** Computes one operator from its arguments. */
export type SmallKernel = (...args: readonly CallArgument[]) => Tensor | readonly Tensor[] | number;

/** Elements in row-major order, broadcast to a shape. */
function read(value: CallArgument, shape?: readonly number[]): Float32Array {
  if (!(value instanceof Tensor)) return new Float32Array(numbers.numel(shape ?? [])).fill(numberOf(value));
  const { strides, storageOffset } = value;
  const target = shape ?? value.shape;
  const dense = value
    .asStrided(target, numbers.broadcastStrides(value.shape, strides, target), storageOffset)
    .contiguous();
  return (dense.data as Float32Array).subarray(dense.storageOffset, dense.storageOffset + dense.numel);
}

const numberOf = (value: CallArgument): number =>
  typeof value === "object" && value !== null && "value" in value ? Number(value.value) : Number(value);
const tensor = (data: ArrayLike<number>, shape: readonly number[]): Tensor =>
  Tensor.from(data, shape, "float32");
const shapeOf = (value: CallArgument): readonly number[] => (value instanceof Tensor ? value.shape : []);

function broadcast(a: readonly number[], b: readonly number[]): number[] {
  const rank = Math.max(a.length, b.length);
  const size = (shape: readonly number[], d: number): number => shape[d - rank + shape.length] ?? 1;
  return Array.from({ length: rank }, (_, d) => (size(a, d) === 1 ? size(b, d) : size(a, d)));
}

const pointwise =
  (compute: (a: number, b: number) => number): SmallKernel =>
  (a, b = 0) => {
    const shape = broadcast(shapeOf(a), shapeOf(b));
    const [left, right] = [read(a, shape), read(b, shape)];
    return tensor(
      left.map((value, i) => compute(value, right[i]!)),
      shape,
    );
  };

/** `bias + a @ b`. */
function addmm(bias: CallArgument, a: CallArgument, b: CallArgument): Tensor {
  const [rows, inner] = shapeOf(a) as [number, number];
  const columns = shapeOf(b)[1]!;
  const [left, right, out] = [read(a), read(b), read(bias, [rows, columns]).slice()];
  for (let i = 0; i < rows; i++)
    for (let k = 0; k < inner; k++)
      for (let j = 0; j < columns; j++)
        out[i * columns + j]! += left[i * inner + k]! * right[k * columns + j]!;
  return tensor(out, [rows, columns]);
}

/** A convolution with stride and dilation 1, and `padding` zeros around. */
function convolution(
  input: CallArgument,
  weight: CallArgument,
  bias: CallArgument,
  padding: readonly number[],
): Tensor {
  const [count, channels, height, width] = shapeOf(input) as [number, number, number, number];
  const [filters, , tall, wide] = shapeOf(weight) as [number, number, number, number];
  const [top, left] = padding as [number, number];
  const shape = [count, filters, height + 2 * top - tall + 1, width + 2 * left - wide + 1] as const;
  const [x, w, b] = [read(input), read(weight), bias === null ? undefined : read(bias)];
  const out = new Float32Array(numbers.numel(shape));
  out.forEach((_, at) => {
    const [column, row] = [at % shape[3], Math.floor(at / shape[3]) % shape[2]];
    const filter = Math.floor(at / (shape[2] * shape[3])) % filters;
    const image = Math.floor(at / (shape[1] * shape[2] * shape[3]));
    let sum = b?.[filter] ?? 0;
    for (let c = 0; c < channels; c++)
      for (let i = 0; i < tall; i++)
        for (let j = 0; j < wide; j++) {
          const [y, z] = [row + i - top, column + j - left];
          if (y < 0 || z < 0 || y >= height || z >= width) continue;
          sum +=
            x[((image * channels + c) * height + y) * width + z]! *
            w[((filter * channels + c) * tall + i) * wide + j]!;
        }
    out[at] = sum;
  });
  return tensor(out, shape);
}

/**
 * `(x - mean) / sqrt(var + eps) * weight + bias`, by channels; the saved statistics are empty, as
 * PyTorch's.
 */
function batchNorm(input: CallArgument, ...rest: readonly CallArgument[]): readonly Tensor[] {
  const [weight, bias, mean, variance] = rest
    .slice(0, 4)
    .map((one) => (one === null ? undefined : read(one)));
  const [eps, shape] = [numberOf(rest[5]), shapeOf(input)];
  const inner = numbers.numel(shape.slice(2));
  const out = read(input).map((value, i) => {
    const c = Math.floor(i / inner) % shape[1]!;
    return ((value - mean![c]!) / Math.sqrt(variance![c]! + eps)) * (weight?.[c] ?? 1) + (bias?.[c] ?? 0);
  });
  return [tensor(out, shape), tensor([], [0]), tensor([], [0])];
}

/** The greatest element of each window, and its place in its image; windows lie side by side. */
function maxPool(input: CallArgument, window: CallArgument): readonly Tensor[] {
  const [count, channels, height, width] = shapeOf(input) as [number, number, number, number];
  const [tall, wide] = window as readonly [number, number];
  const shape = [count, channels, Math.floor(height / tall), Math.floor(width / wide)] as const;
  const x = read(input);
  const places = Array.from({ length: numbers.numel(shape) }, (_, at) => {
    const [column, row] = [at % shape[3], Math.floor(at / shape[3]) % shape[2]];
    const plane = Math.floor(at / (shape[2] * shape[3])) * height * width;
    let best = row * tall * width + column * wide;
    for (let i = 0; i < tall; i++)
      for (let j = 0; j < wide; j++) {
        const place = (row * tall + i) * width + column * wide + j;
        if (x[plane + place]! > x[plane + best]!) best = place;
      }
    return { plane, best };
  });
  const values = places.map(({ plane, best }) => x[plane + best]!);
  return [
    tensor(values, shape),
    Tensor.from(
      places.map(({ best }) => BigInt(best)),
      shape,
      "int64",
    ),
  ];
}

function permute(value: CallArgument, dims: CallArgument): Tensor {
  const { shape, strides, asStrided } = value as Tensor;
  const order = (dims as readonly number[]).map((dim) => (dim < 0 ? dim + shape.length : dim));
  return asStrided.call(
    value as Tensor,
    order.map((dim) => shape[dim]!),
    order.map((dim) => strides[dim]!),
  );
}

function view(value: CallArgument, sizes: CallArgument): Tensor {
  const known = (sizes as readonly number[]).filter((size) => size >= 0);
  const missing = (value as Tensor).numel / Math.max(1, numbers.numel(known));
  return tensor(
    read(value),
    (sizes as readonly number[]).map((size) => (size < 0 ? missing : size)),
  );
}

/** Kernels by operator. */
export const KERNELS: Readonly<Record<string, SmallKernel>> = {
  "aten.add.Tensor": pointwise((a, b) => a + b),
  "aten.sub.Tensor": pointwise((a, b) => a - b),
  "aten.mul.Tensor": pointwise((a, b) => a * b),
  "aten.div.Tensor": pointwise((a, b) => a / b),
  "aten.neg.default": pointwise((a) => -a),
  "aten.relu.default": pointwise((a) => (a < 0 ? 0 : a)),
  "aten.mm.default": (a, b) => addmm(0, a, b),
  "aten.addmm.default": (bias, a, b) => addmm(bias, a, b),
  "aten.convolution.default": (x, weight, bias, _stride, padding) =>
    convolution(x, weight, bias, padding as readonly number[]),
  "aten._native_batch_norm_legit_no_training.default": batchNorm,
  "aten.max_pool2d_with_indices.default": maxPool,
  "aten.permute.default": permute,
  "aten.view.default": view,
  "aten.sym_size.int": (value, dim) => shapeOf(value).at(Number(dim))!,
};
