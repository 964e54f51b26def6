/** @file Softmax and its relatives along one dimension. */
import { patternEncoder, type Tensor, valueTable } from "@sconce/tensor";
import { type Axis, axisOf } from "../kernel/axis.js";
import { finishOutput, type NumberArray, openOutput, readNumbers } from "../kernel/dense.js";
import { defineKernels, emptyOutput, type KernelContext, kernel } from "../kernel/kernel.js";

/**
 * Handles one line of a dimension: `size` elements from `start`, at a step of `step`, in both
 * arrays.
 */
type Line = (x: NumberArray, y: NumberArray, start: number, step: number, size: number) => void;

function alongLines(self: Tensor, dim: number, context: KernelContext, line: Line): Tensor {
  const out = emptyOutput(context);
  if (out.numel === 0) return out;
  const values = openOutput(out);
  const axis = axisOf(self.shape, dim);
  const x = readNumbers(self);
  eachLine(axis, (start) => line(x, values, start, axis.inner, axis.size));
  return finishOutput(out, values);
}

function eachLine({ outer, size, inner }: Axis, visit: (start: number) => void): void {
  if (size === 0) return;
  for (let o = 0; o < outer; o++) for (let n = 0; n < inner; n++) visit(o * size * inner + n);
}

function maximum(x: NumberArray, start: number, step: number, size: number): number {
  let max = Number.NEGATIVE_INFINITY;
  for (let i = 0, p = start; i < size; i++, p += step) if (x[p]! > max || Number.isNaN(x[p])) max = x[p]!;
  return max;
}

const softmaxLine: Line = (x, y, start, step, size) => {
  const max = maximum(x, start, step, size);
  let sum = 0;
  for (let i = 0, p = start; i < size; i++, p += step) {
    const e = Math.exp(x[p]! - max);
    y[p] = e;
    sum += e;
  }
  const scale = 1 / sum;
  for (let i = 0, p = start; i < size; i++, p += step) y[p]! *= scale;
};

/** A line of only -inf gives zeros. */
const safeSoftmaxLine: Line = (x, y, start, step, size) => {
  if (maximum(x, start, step, size) !== Number.NEGATIVE_INFINITY) softmaxLine(x, y, start, step, size);
};

/** PyTorch keeps the sum in the dtype when it takes halves along the last dimension: `round`. */
const logSoftmaxLine =
  (round: (x: number) => number): Line =>
  (x, y, start, step, size) => {
    const max = maximum(x, start, step, size);
    let sum = 0;
    for (let i = 0, p = start; i < size; i++, p += step) sum += Math.exp(x[p]! - max);
    const shift = Math.log(round(sum));
    // Beside a large greatest value the logarithm would be lost.
    for (let i = 0, p = start; i < size; i++, p += step) y[p] = x[p]! - max - shift;
  };

interface BackwardArgs {
  readonly grad_output: Tensor;
  readonly output: Tensor;
  readonly dim: number;
}

function backward(
  { grad_output: grad, output, dim }: BackwardArgs,
  context: KernelContext,
  term: (g: number, y: number) => number,
  element: (g: number, y: number, sum: number) => number,
): Tensor {
  const out = emptyOutput(context);
  const values = openOutput(out);
  const [g, y] = [readNumbers(grad), readNumbers(output)];
  const { size, inner, outer } = axisOf(output.shape, dim);
  // The kernel of the last dimension starts from the first term, the other one from 0.
  const initial = dim === -1 || dim === output.ndim - 1 ? -0 : 0;
  eachLine({ size, inner, outer }, (start) => {
    let sum = initial;
    for (let i = 0, p = start; i < size; i++, p += inner) sum += term(g[p]!, y[p]!);
    for (let i = 0, p = start; i < size; i++, p += inner) values[p] = element(g[p]!, y[p]!, sum);
  });
  return finishOutput(out, values);
}

export const softmaxKernels = defineKernels([
  kernel("aten::_softmax(Tensor self, int dim, bool half_to_float) -> Tensor", ({ self, dim }, context) =>
    alongLines(self, dim, context, softmaxLine),
  ),
  kernel(
    "aten::_safe_softmax(Tensor self, int dim, ScalarType? dtype=None) -> Tensor",
    ({ self, dim }, context) => alongLines(self, dim, context, safeSoftmaxLine),
  ),
  kernel(
    "aten::_log_softmax(Tensor self, int dim, bool half_to_float) -> Tensor",
    ({ self, dim }, context) => {
      const last = dim === -1 || dim === self.ndim - 1;
      const [encode, table] = [patternEncoder(self.dtype), valueTable(self.dtype)];
      const round = last && encode && table ? (x: number) => table[encode(x)]! : (x: number) => x;
      return alongLines(self, dim, context, logSoftmaxLine(round));
    },
  ),
  kernel(
    "aten::_softmax_backward_data(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype) -> Tensor",
    (args, context) =>
      backward(
        args,
        context,
        (g, y) => g * y,
        (g, y, sum) => y * (g - sum),
      ),
  ),
  kernel(
    "aten::_log_softmax_backward_data(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype) -> Tensor",
    (args, context) =>
      backward(
        args,
        context,
        (g) => g,
        (g, y, sum) => g - Math.exp(y) * sum,
      ),
  ),
]);
