/** @file Sliding windows: `im2col`, `col2im`, and the gradient of `unfold`. */
import { type FakeTensor, float, type IntLike } from "@sconce/ir";
import { add, eq, floorDiv, mul, ne, type SymEnv, sub } from "@sconce/symbolic";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit, EmitArg } from "../rows/emit.js";
import { invalidArgument, shapeMismatch } from "../rows/errors.js";
import { check, isAtMost, isBelow, isEqual, mayDiffer } from "../rules/comparison.js";
import { convert } from "../rules/decompose.js";
import { describeSize, describeSizes } from "../rules/describe.js";
import { wrapDim } from "../rules/dims.js";
import { emitNewZeros, emitRange, toContiguous } from "../rules/mask.js";
import { computationDType } from "../rules/promote.js";
import { sizeMath } from "../rules/size-math.js";

/** Kernel, dilation, padding and stride, height before width. */
interface Window {
  readonly kernel: readonly IntLike[];
  readonly dilation: readonly IntLike[];
  readonly padding: readonly IntLike[];
  readonly stride: readonly IntLike[];
}

function checkWindow(window: Window, name: string): void {
  for (const key of ["kernel", "dilation", "padding", "stride"] as const) {
    if (window[key].length !== 2) throw invalidArgument(`${name}: only 2D ${key} supported`);
    const least = key === "padding" ? 0 : 1;
    if (window[key].some((size) => typeof size === "number" && size < least)) {
      throw invalidArgument(`${key} should be greater than zero, but got ${describeSizes(window[key])}`);
    }
  }
}

/** Returns how many windows fit along dimension `d`. */
const windowCount = (size: IntLike, { kernel, dilation, padding, stride }: Window, d: 0 | 1): IntLike => {
  const reach = mul(dilation[d]!, sub(kernel[d]!, 1));
  return add(floorDiv(sub(sub(add(size, mul(2, padding[d]!)), reach), 1), stride[d]!), 1);
};

/**
 * Places of all window elements along one dimension: starts in a row, kernel offsets in a column.
 */
function emitPlaces(
  emit: Emit,
  size: IntLike,
  { kernel, dilation, padding, stride }: Window,
  d: 0 | 1,
  like: FakeTensor,
): FakeTensor {
  const kwargs = { dtype: "int64", device: like.device, pin_memory: false } as const;
  const padded = sizeMath(emit, "add", size, sizeMath(emit, "mul", padding[d]!, 2));
  const end = sizeMath(
    emit,
    "sub",
    padded,
    sizeMath(emit, "mul", dilation[d]!, sizeMath(emit, "sub", kernel[d]!, 1)),
  );
  const starts = emit("aten.arange.start_step", [0, end, stride[d]!], kwargs);
  const row = emit("aten.unsqueeze.default", [starts, 0]);
  const reach = sizeMath(emit, "mul", kernel[d]!, dilation[d]!);
  const offsets = emit("aten.arange.start_step", [0, reach, dilation[d]!], kwargs);
  return emit("aten.add.Tensor", [row, emit("aten.unsqueeze.default", [offsets, -1])]);
}

const asColumns = (emit: Emit, places: FakeTensor): FakeTensor =>
  emit("aten.unsqueeze.default", [emit("aten.unsqueeze.default", [places, -1]), -1]);

const constantPad = (
  emit: Emit,
  self: FakeTensor,
  [tall, wide]: readonly IntLike[],
  sign: 1 | -1,
): FakeTensor => {
  const [height, width] = [mul(tall!, sign), mul(wide!, sign)];
  return emit("aten.constant_pad_nd.default", [self, [width, width, height, height], float(0) as EmitArg]);
};

const im2col = defineOp({
  schema:
    "aten::im2col(Tensor self, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride) -> Tensor",
  decompose: (emit, { self, kernel_size, dilation, padding, stride }) => {
    const window = { kernel: kernel_size, dilation, padding, stride };
    checkWindow(window, "im2col()");
    checkImage(emit.env, self, window);
    const image = self.ndim === 4 ? self : emit("aten.unsqueeze.default", [self, 0]);
    const columns = emitIm2col(emit, image, window);
    return self.ndim === 4 ? columns : emit("aten.squeeze.dim", [columns, 0]);
  },
});

function checkImage(env: SymEnv, self: FakeTensor, window: Window): void {
  const empty = self.shape.slice(-3).some((size) => !env.guard(ne(size, 0)));
  if ((self.ndim !== 3 && self.ndim !== 4) || empty) {
    throw shapeMismatch(
      "Expected 3D or 4D (batch mode) tensor for input with possible 0 batch size and non-zero dimensions, but got: " +
        describeSizes(self.shape),
    );
  }
  const counts = ([0, 1] as const).map((d) => windowCount(self.shape[self.ndim - 2 + d]!, window, d));
  if (counts.some((count) => isAtMost(env, count, 0))) {
    throw shapeMismatch(
      `Given an input with spatial size ${describeSizes(self.shape.slice(-2))}, kernel_size=${describeSizes(window.kernel)}, ` +
        `dilation=${describeSizes(window.dilation)}, padding=${describeSizes(window.padding)}, ` +
        `stride=${describeSizes(window.stride)}, the calculated shape of the array of sliding blocks is ` +
        `${describeSizes(counts)}, but its components must be at least one.`,
    );
  }
}

function emitIm2col(emit: Emit, image: FakeTensor, window: Window): FakeTensor {
  const [batch, channels, height, width] = image.shape as readonly [IntLike, IntLike, IntLike, IntLike];
  const rows = emitPlaces(emit, height, window, 0, image);
  const columns = emitPlaces(emit, width, window, 1, image);
  const padded = constantPad(emit, image, window.padding, 1);
  const places = [null, null, asColumns(emit, rows), columns];
  const blocks = emit("aten.index.Tensor", [emitWhole(emit, padded), places]);
  const sorted = emit("aten.permute.default", [blocks, [0, 1, 2, 4, 3, 5]]);
  const depth = sizeMath(emit, "mul", sizeMath(emit, "mul", channels, window.kernel[0]!), window.kernel[1]!);
  const count = sizeMath(emit, "mul", rows.shape[1]!, columns.shape[1]!);
  return emit("aten.reshape.default", [sorted, [batch, depth, count]]);
}

/**
 * Python's `image[:, :, ...]`: a full slice of a symbolic size is a call, of a number it is the
 * tensor itself.
 */
function emitWhole(emit: Emit, image: FakeTensor): FakeTensor {
  let result = image;
  for (const dim of [0, 1]) {
    if (typeof image.shape[dim] === "number") continue;
    result = emit("aten.slice.Tensor", [result, dim, 0, 9223372036854775807n]);
  }
  return result;
}

const col2im = defineOp({
  schema:
    "aten::col2im(Tensor self, SymInt[2] output_size, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride) -> Tensor",
  tags: ["core"],
  decompose: (emit, { self, output_size, kernel_size, dilation, padding, stride }) => {
    const window = { kernel: kernel_size, dilation, padding, stride };
    checkWindow(window, "col2im()");
    checkColumns(emit.env, self, output_size, window);
    const source = convert(emit, self, computationDType(self.dtype));
    const columns = self.ndim === 3 ? source : emit("aten.unsqueeze.default", [source, 0]);
    const image = emitCol2im(emit, columns, output_size, window);
    return convert(emit, self.ndim === 3 ? image : emit("aten.squeeze.dim", [image, 0]), self.dtype);
  },
});

function checkColumns(env: SymEnv, self: FakeTensor, output: readonly IntLike[], window: Window): void {
  if (output.length !== 2)
    throw invalidArgument(`It is expected output_size equals to 2, but got size ${output.length}`);
  const empty = self.shape.slice(-2).some((size) => isEqual(env, size, 0));
  if ((self.ndim !== 2 && self.ndim !== 3) || empty) {
    throw shapeMismatch(
      "Expected 2D or 3D (batch mode) tensor for input with possible 0 batch size and non-zero dimensions, but got: " +
        describeSizes(self.shape),
    );
  }
  const area = Number(window.kernel[0]) * Number(window.kernel[1]);
  const depth = self.shape.at(-2)!;
  if (typeof depth === "number" && depth % area !== 0) {
    throw shapeMismatch(
      "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got " +
        `input.size(1)=${depth} and kernel_size=${describeSizes(window.kernel)}.`,
    );
  }
  const count = mul(windowCount(output[0]!, window, 0), windowCount(output[1]!, window, 1));
  check(env, eq(self.shape.at(-1)!, count), () =>
    shapeMismatch(
      `Given output_size=${describeSizes(output)}, kernel_size=${describeSizes(window.kernel)}, expected size of input's ` +
        `dimension 2 to match the calculated number of sliding blocks ${describeSize(count)}, but got ${describeSize(self.shape.at(-1)!)}.`,
    ),
  );
}

function emitCol2im(emit: Emit, columns: FakeTensor, output: readonly IntLike[], window: Window): FakeTensor {
  const { kernel, padding } = window;
  const area = Number(kernel[0]) * Number(kernel[1]);
  const [batch, depth] = columns.shape as readonly [IntLike, IntLike, IntLike];
  const channels = sizeMath(emit, "floordiv", depth, area);
  const blocks = [
    batch,
    channels,
    ...kernel,
    windowCount(output[0]!, window, 0),
    windowCount(output[1]!, window, 1),
  ];
  const split = emit("aten.reshape.default", [columns, blocks]);
  const values = emit("aten.permute.default", [split, [0, 1, 2, 4, 3, 5]]);
  const rows = asColumns(emit, emitPlaces(emit, output[0]!, window, 0, columns));
  const across = emitPlaces(emit, output[1]!, window, 1, columns);
  const size = output.map((length, d) =>
    sizeMath(emit, "add", length, sizeMath(emit, "mul", 2, padding[d]!)),
  );
  const zeros = emitNewZeros(emit, columns, [batch, channels, ...size]);
  const filled = emit("aten._unsafe_index_put.default", [zeros, [null, null, rows, across], values, true]);
  return constantPad(emit, filled, padding, -1);
}

/**
 * Returns whether dimensions that were not unfolded are wider in the input than in the gradient.
 */
const needsBroadcast = (env: SymEnv, grad: FakeTensor, sizes: readonly IntLike[], axis: number): boolean =>
  grad.ndim !== sizes.length + 1 ||
  sizes.some((size, d) => d !== axis && mayDiffer(env, size, grad.shape[d]!));

/** Adds the elements of all folds, those of the last offset first. */
function addFolds(
  emit: Emit,
  zeros: FakeTensor,
  grad: FakeTensor,
  axis: number,
  size: number,
  step: IntLike,
): FakeTensor {
  let sum = zeros;
  const count = grad.shape[axis]!;
  const shape = zeros.shape.map((length, d) => (d === axis ? count : length));
  for (let offset = size - 1; offset >= 0; offset--) {
    const starts = emit("aten.mul.Tensor", [emitRange(emit, count, grad, "int32"), step]);
    const places = emit("aten.add.Tensor", [starts, offset]);
    const lane = emit("aten.narrow.default", [emit("aten.select.int", [grad, -1, offset]), axis, 0, count]);
    const source = emit("aten.expand.default", [emit("aten.reshape.default", [lane, lane.shape]), shape]);
    sum = emit("aten.index_add.default", [sum, axis, places, source]);
  }
  return sum;
}

const unfoldBackward = defineOp({
  schema:
    "aten::unfold_backward(Tensor grad_in, SymInt[] input_sizes, int dim, int size, int step) -> Tensor",
  decompose: (emit, { grad_in, input_sizes, dim, size, step }) => {
    if (isAtMost(emit.env, step, 0)) throw invalidArgument(`step is ${describeSize(step)} but must be > 0`);
    if (input_sizes.length === 0) return emit("aten.squeeze_copy.dim", [grad_in, 0]);
    const axis = wrapDim(dim, input_sizes.length);
    const zeros = emitNewZeros(emit, grad_in, input_sizes);
    if (isBelow(emit.env, step, size) && needsBroadcast(emit.env, grad_in, input_sizes, axis)) {
      return toContiguous(emit, addFolds(emit, zeros, grad_in, axis, Number(size), step));
    }
    const places = emit("aten.unfold.default", [
      emitRange(emit, input_sizes[axis]!, grad_in, "int32"),
      0,
      size,
      step,
    ]);
    const flatPlaces = emit("aten.flatten.using_ints", [places]);
    const moved = emit("aten.movedim.int", [grad_in, -1, axis + 1]);
    const source = emit("aten.flatten.using_ints", [moved, axis, axis + 1]);
    const indices = [...new Array<null>(axis).fill(null), flatPlaces];
    return toContiguous(emit, emit("aten._unsafe_index_put.default", [zeros, indices, source, true]));
  },
});

export const columnOps: readonly OpDefinition[] = [im2col, col2im, unfoldBackward];
