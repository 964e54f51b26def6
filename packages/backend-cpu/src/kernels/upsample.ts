/**
 * @file Resampling: each dimension is a sparse matrix of one, two or four taps, applied (or transposed) in
 * turn.
 */
import { numel, type Tensor } from "@sconce/tensor";
import { finishOutput, readFloat64 } from "../dense.js";
import { defineKernels, emptyOutput, type KernelContext, kernel } from "../kernel.js";

type Mode = "nearest" | "nearest-exact" | "linear" | "cubic";

/** Output `o` is the sum over `t` of `weight[o * width + t] * input[index[o * width + t]]`. */
interface Taps {
  readonly inputs: number;
  readonly outputs: number;
  readonly width: number;
  readonly index: Int32Array;
  readonly weight: Float64Array;
}

interface Resampling {
  readonly mode: Mode;
  readonly align: boolean;
  /** Rounds coordinates as PyTorch does: to float32 unless the data are float64. */
  readonly round: (x: number) => number;
}

const WIDTHS: Readonly<Record<Mode, number>> = { nearest: 1, "nearest-exact": 1, linear: 2, cubic: 4 };

function tapsOf(inputs: number, outputs: number, scale: number | null, how: Resampling): Taps {
  const width = WIDTHS[how.mode];
  const index = new Int32Array(outputs * width);
  const weight = new Float64Array(outputs * width);
  for (let o = 0; o < outputs; o++) {
    const [first, weights] = tap(o, inputs, outputs, scale, how);
    for (let t = 0; t < width; t++) {
      index[o * width + t] = Math.min(Math.max(first + t, 0), inputs - 1);
      weight[o * width + t] = weights[t]!;
    }
  }
  return { inputs, outputs, width, index, weight };
}

function tap(
  o: number,
  inputs: number,
  outputs: number,
  scale: number | null,
  { mode, align, round }: Resampling,
): readonly [first: number, weights: readonly number[]] {
  if (mode === "nearest" || mode === "nearest-exact") {
    if (inputs === outputs) return [o, [1]];
    if (mode === "nearest" && outputs === 2 * inputs) return [o >> 1, [1]];
    const ratio = Math.fround(scale !== null && scale > 0 ? 1 / scale : inputs / outputs);
    return [Math.floor(Math.fround((mode === "nearest" ? o : o + 0.5) * ratio)), [1]];
  }
  if (mode === "linear" && inputs === outputs) return [o, [1, 0]];
  const position = source(o, inputs, outputs, scale, mode, align, round);
  const first = Math.floor(position);
  const t = round(position - first);
  return mode === "linear" ? [first, [1 - t, t]] : [first - 1, cubicWeights(t)];
}

function source(
  o: number,
  inputs: number,
  outputs: number,
  scale: number | null,
  mode: Mode,
  align: boolean,
  round: (x: number) => number,
): number {
  if (align) return outputs > 1 ? round(round((inputs - 1) / (outputs - 1)) * o) : 0;
  const ratio = round(scale !== null && scale > 0 ? 1 / scale : inputs / outputs);
  const position = round(round(ratio * (o + 0.5)) - 0.5);
  return mode === "linear" && position < 0 ? 0 : position;
}

/** Cubic convolution with a = -0.75. */
export function cubicWeights(t: number, round: (x: number) => number = (x) => x): readonly number[] {
  const a = -0.75;
  // Each operation is rounded by itself, which tells for halves only.
  const near = (x: number): number => round(round(round(round(round((a + 2) * x) - (a + 3)) * x) * x) + 1);
  const far = (x: number): number =>
    round(round(round(round(round(round(a * x) - 5 * a) * x) + 8 * a) * x) - 4 * a);
  const rest = round(1 - t);
  return [far(round(t + 1)), near(t), near(rest), far(round(rest + 1))];
}

/** Derivatives of {@link cubicWeights} by t. */
export function cubicSlopes(t: number): readonly number[] {
  const a = -0.75;
  const near = (x: number): number => (3 * (a + 2) * x - 2 * (a + 3)) * x;
  const far = (x: number): number => (3 * a * x - 10 * a) * x + 8 * a;
  return [far(t + 1), near(t), -near(1 - t), -far(2 - t)];
}

/** The kernels of antialiased resizing by their distance; the cubic one has a = -0.5. */
const FILTERS = {
  linear: (x: number): number => Math.max(1 - Math.abs(x), 0),
  cubic: (value: number): number => {
    const x = Math.abs(value);
    if (x < 1) return (1.5 * x - 2.5) * x * x + 1;
    return x < 2 ? ((-0.5 * x + 2.5) * x - 4) * x + 2 : 0;
  },
} as const;

/** Taps that reach as far as an output element covers the input, so that shrinking averages. */
function wideTaps(
  inputs: number,
  outputs: number,
  scale: number | null,
  align: boolean,
  mode: "linear" | "cubic",
): Taps {
  const ratio = align
    ? outputs > 1
      ? (inputs - 1) / (outputs - 1)
      : 0
    : scale !== null && scale > 0
      ? 1 / scale
      : inputs / outputs;
  const squeeze = ratio >= 1 ? 1 / ratio : 1;
  const support = WIDTHS[mode] / 2 / squeeze;
  const width = Math.ceil(support) * 2 + 1;
  const index = new Int32Array(outputs * width);
  const weight = new Float64Array(outputs * width);
  for (let o = 0; o < outputs; o++) {
    const centre = ratio * (o + 0.5);
    const first = Math.max(Math.trunc(centre - support + 0.5), 0);
    const count = Math.min(Math.min(Math.trunc(centre + support + 0.5), inputs) - first, width);
    let total = 0;
    for (let t = 0; t < count; t++) total += FILTERS[mode]((t + first - centre + 0.5) * squeeze);
    for (let t = 0; t < count; t++) {
      index[o * width + t] = first + t;
      const share = FILTERS[mode]((t + first - centre + 0.5) * squeeze);
      weight[o * width + t] = total === 0 ? share : share / total;
    }
  }
  return { inputs, outputs, width, index, weight };
}

/** Applies taps along a dimension of size `taps.inputs`, with `inner` elements after it. */
function applyTaps(
  x: Float64Array,
  { inputs, outputs, width, index, weight }: Taps,
  inner: number,
): Float64Array {
  const outer = x.length / (inputs * inner);
  const y = new Float64Array(outer * outputs * inner);
  for (let n = 0; n < outer; n++) {
    for (let o = 0; o < outputs; o++) {
      const to = (n * outputs + o) * inner;
      for (let t = 0; t < width; t++) {
        const factor = weight[o * width + t]!;
        if (factor === 0) continue;
        const from = (n * inputs + index[o * width + t]!) * inner;
        for (let i = 0; i < inner; i++) y[to + i]! += factor * x[from + i]!;
      }
    }
  }
  return y;
}

/** The transpose of {@link applyTaps}: gradients of outputs to gradients of inputs. */
function applyTransposed(
  g: Float64Array,
  { inputs, outputs, width, index, weight }: Taps,
  inner: number,
): Float64Array {
  const outer = g.length / (outputs * inner);
  const y = new Float64Array(outer * inputs * inner);
  for (let n = 0; n < outer; n++) {
    for (let o = 0; o < outputs; o++) {
      const from = (n * outputs + o) * inner;
      for (let t = 0; t < width; t++) {
        const factor = weight[o * width + t]!;
        if (factor === 0) continue;
        const to = (n * inputs + index[o * width + t]!) * inner;
        for (let i = 0; i < inner; i++) y[to + i]! += factor * g[from + i]!;
      }
    }
  }
  return y;
}

interface UpsampleArgs {
  readonly self?: Tensor;
  readonly input?: Tensor;
  readonly grad_output?: Tensor;
  readonly align_corners?: boolean;
  readonly scale_factors?: readonly number[] | null;
  readonly scales?: number | null;
  readonly scales_d?: number | null;
  readonly scales_h?: number | null;
  readonly scales_w?: number | null;
}

function scalesOf(args: UpsampleArgs, rank: number): readonly (number | null)[] {
  if (args.scale_factors) return args.scale_factors;
  if (rank === 1) return [args.scales ?? null];
  return [args.scales_d ?? null, args.scales_h ?? null, args.scales_w ?? null].slice(3 - rank);
}

function upsample(mode: Mode, args: UpsampleArgs, context: KernelContext): Tensor {
  const out = emptyOutput(context);
  const source = (args.grad_output ?? args.self ?? args.input)!;
  const backward = args.grad_output !== undefined;
  const rank = source.ndim - 2;
  const exact = source.dtype === "float64";
  const how = { mode, align: args.align_corners ?? false, round: exact ? (x: number) => x : Math.fround };
  const scales = scalesOf(args, rank);
  const shape = source.shape.slice();
  const bytes = out.dtype === "uint8";
  let values = readFloat64(source);
  if (out.numel === 0) return out;
  // The last dimension first, as PyTorch does: it matters for bytes, which are rounded after each.
  for (let d = rank - 1; d >= 0; d--) {
    const [from, to] = [source.shape[d + 2]!, out.shape[d + 2]!];
    const taps = backward ? tapsOf(to, from, scales[d]!, how) : tapsOf(from, to, scales[d]!, how);
    const inner = numel(shape.slice(d + 3));
    values = backward ? applyTransposed(values, taps, inner) : applyTaps(values, taps, inner);
    if (bytes) values = values.map((x) => Math.min(255, Math.max(0, Math.round(x))));
    shape[d + 2] = to;
  }
  return finishOutput(out, values);
}

function upsampleWide(
  mode: "linear" | "cubic",
  args: UpsampleArgs & { self: Tensor },
  context: KernelContext,
): Tensor {
  const out = emptyOutput(context);
  const scales = scalesOf(args, 2);
  const shape = args.self.shape.slice();
  const bytes = out.dtype === "uint8";
  let values = readFloat64(args.self);
  for (const d of [3, 2]) {
    const taps = wideTaps(shape[d]!, out.shape[d]!, scales[d - 2]!, args.align_corners ?? false, mode);
    values = applyTaps(values, taps, numel(shape.slice(d + 1)));
    if (bytes) values = values.map((x) => Math.min(255, Math.max(0, Math.round(x))));
    shape[d] = out.shape[d]!;
  }
  return finishOutput(out, values);
}

const wideKernel = (mode: "linear" | "cubic") =>
  kernel<UpsampleArgs & { self: Tensor }>((args, context) => upsampleWide(mode, args, context));

const upsampleKernel = (mode: Mode) => kernel<UpsampleArgs>((args, context) => upsample(mode, args, context));
const [nearest, exact, linear, cubic] = (["nearest", "nearest-exact", "linear", "cubic"] as const).map(
  upsampleKernel,
) as [
  ReturnType<typeof upsampleKernel>,
  ReturnType<typeof upsampleKernel>,
  ReturnType<typeof upsampleKernel>,
  ReturnType<typeof upsampleKernel>,
];

export const upsampleKernels = defineKernels({
  "aten.upsample_nearest1d.default": nearest,
  "aten.upsample_nearest2d.default": nearest,
  "aten.upsample_nearest3d.default": nearest,
  "aten.upsample_nearest1d.vec": nearest,
  "aten.upsample_nearest2d.vec": nearest,
  "aten.upsample_nearest3d.vec": nearest,
  "aten._upsample_nearest_exact1d.default": exact,
  "aten._upsample_nearest_exact2d.default": exact,
  "aten._upsample_nearest_exact3d.default": exact,
  "aten._upsample_nearest_exact1d.vec": exact,
  "aten._upsample_nearest_exact2d.vec": exact,
  "aten._upsample_nearest_exact3d.vec": exact,
  "aten.upsample_linear1d.default": linear,
  "aten.upsample_bilinear2d.default": linear,
  "aten.upsample_trilinear3d.default": linear,
  "aten.upsample_linear1d.vec": linear,
  "aten.upsample_bilinear2d.vec": linear,
  "aten.upsample_trilinear3d.vec": linear,
  "aten.upsample_bicubic2d.default": cubic,
  "aten.upsample_bicubic2d.vec": cubic,
  "aten._upsample_bilinear2d_aa.default": wideKernel("linear"),
  "aten._upsample_bicubic2d_aa.default": wideKernel("cubic"),
  "aten.upsample_nearest1d_backward.default": nearest,
  "aten.upsample_nearest2d_backward.default": nearest,
  "aten.upsample_nearest3d_backward.default": nearest,
  "aten._upsample_nearest_exact1d_backward.default": exact,
  "aten._upsample_nearest_exact2d_backward.default": exact,
  "aten._upsample_nearest_exact3d_backward.default": exact,
  "aten.upsample_linear1d_backward.default": linear,
  "aten.upsample_bilinear2d_backward.default": linear,
  "aten.upsample_trilinear3d_backward.default": linear,
  "aten.upsample_bicubic2d_backward.default": cubic,
});
