/** @file Window functions, sample frequencies, and the closed `range` (`TensorFactories.cpp`). */
import { type FakeTensor, float, type IntLike } from "@sconce/ir";
import type { DType } from "@sconce/tensor";
import { isFloatDType } from "@sconce/tensor";
import { defineOp, type OpDefinition, type OpTag } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { dtypeMismatch, invalidArgument } from "../rows/errors.js";
import { numberOf } from "../rules/decompose.js";
import { created, type FactoryOptions, factoryKwargs, OPTIONS, type Options } from "../rules/options.js";

const DEFAULT: DType = "float32";
/** PyTorch keeps these in its graphs. */
const tags: readonly OpTag[] = ["not_in_default_table"];

/** What a window is asked for, with the numbers that some have. */
interface WindowArgs extends FactoryOptions {
  readonly window_length: IntLike;
  readonly periodic?: boolean;
  readonly alpha?: number;
  readonly beta?: number;
}

/**
 * The values at `n` points, of which the last belongs to the next period when the window is
 * periodic.
 */
type Shape = (emit: Emit, points: FakeTensor, n: number, args: WindowArgs) => FakeTensor;

/** Elementwise steps in the window's own dtype: each is rounded, as PyTorch's are. */
const times = (emit: Emit, x: FakeTensor, factor: number): FakeTensor =>
  emit("aten.mul.Tensor", [x, float(factor)]);
const plus = (emit: Emit, x: FakeTensor, value: number): FakeTensor =>
  emit("aten.add.Tensor", [x, float(value)]);
const cosine = (emit: Emit, x: FakeTensor): FakeTensor => emit("aten.cos.default", [x]);

const SHAPES: Readonly<Record<string, Shape>> = {
  bartlett: (emit, points, n) => {
    const rising = times(emit, points, 2 / (n - 1));
    const first = ((n - 1) >> 1) + 1;
    const up = emit("aten.slice.Tensor", [rising, 0, 0, first]);
    const down = plus(emit, times(emit, emit("aten.slice.Tensor", [rising, 0, first]), -1), 2);
    return emit("aten.cat.default", [[up, down]]);
  },
  blackman: (emit, points, n) => {
    const phase = times(emit, points, Math.PI / (n - 1));
    const fourth = times(emit, cosine(emit, times(emit, phase, 4)), 0.08);
    const second = times(emit, cosine(emit, times(emit, phase, 2)), 0.5);
    return plus(emit, emit("aten.sub.Tensor", [fourth, second]), 0.42);
  },
  hamming: (emit, points, n, { alpha = 0.54, beta = 0.46 }) =>
    plus(emit, times(emit, cosine(emit, times(emit, points, (2 * Math.PI) / (n - 1))), -beta), alpha),
  kaiser: (emit, points, n, { beta = 12 }) => {
    const middle = (n - 1) / 2;
    const ratio = plus(emit, times(emit, points, 1 / middle), -1);
    const square = emit("aten.mul.Tensor", [ratio, ratio]);
    const inside = emit("aten.clamp_min.default", [plus(emit, times(emit, square, -1), 1), 0]);
    const bessel = emit("aten.i0.default", [times(emit, emit("aten.sqrt.default", [inside]), beta)]);
    const { dtype, device } = points;
    const peak = emit("aten.i0.default", [emit("aten.full.default", [[], float(beta)], { dtype, device })]);
    return emit("aten.div.Tensor", [bessel, peak]);
  },
};

function checkWindow(name: string, { window_length: length, dtype }: WindowArgs): number {
  const count = Number(length);
  if (dtype !== null && !isFloatDType(dtype)) {
    throw dtypeMismatch(`${name}_window expects floating point dtypes, got: ${dtype}`);
  }
  if (count < 0) {
    throw invalidArgument(`${name}_window requires non-negative window_length, got window_length=${count}`);
  }
  return count;
}

function windowOf(name: string, emit: Emit, args: WindowArgs): FakeTensor {
  const count = checkWindow(name, args);
  const options = factoryKwargs({ ...args, dtype: args.dtype ?? DEFAULT });
  if (count === 0) return emit("aten.empty.memory_format", [[0]], options);
  if (count === 1) return emit("aten.ones.default", [[1]], options);
  const n = args.periodic === false ? count : count + 1;
  const values = SHAPES[name]!(emit, emit("aten.arange.default", [n], options), n, args);
  return n === count ? values : emit("aten.slice.Tensor", [values, 0, 0, count]);
}

type WindowSchema = `aten::hann_window(int window_length, *, ${Options}) -> Tensor`;

const window = (name: string, overload = "", extra = ""): OpDefinition =>
  defineOp({
    schema:
      `aten::${name}_window${overload}(int window_length, ${extra}*, ${OPTIONS}) -> Tensor` as WindowSchema,
    tags,
    meta: (args) => created([checkWindow(name, args)], args.dtype ?? DEFAULT, args),
    decompose: (emit, args) => windowOf(name, emit, args),
  });

interface FrequencyArgs extends FactoryOptions {
  readonly n: IntLike;
  readonly d: number;
}

/** Frequencies in units of one per `n d`: the positive ones, then those below zero. */
function frequencies(emit: Emit, args: FrequencyArgs, onesided: boolean): FakeTensor {
  const n = Number(args.n);
  const options = factoryKwargs({ ...args, dtype: args.dtype ?? DEFAULT });
  const half = Math.floor(n / 2);
  if (onesided) return times(emit, emit("aten.arange.default", [half + 1], options), 1 / (n * args.d));
  const up = emit("aten.arange.default", [n - half], options);
  const down = emit("aten.arange.start", [-half, 0], options);
  return times(emit, emit("aten.cat.default", [[up, down]]), 1 / (n * args.d));
}

type FrequencySchema = `aten::fft_fftfreq(int n, float d=1., *, ${Options}) -> Tensor`;

const frequency = (name: string, onesided: boolean): OpDefinition =>
  defineOp({
    schema: `aten::${name}(int n, float d=1., *, ${OPTIONS}) -> Tensor` as FrequencySchema,
    tags,
    meta: (args) => {
      const n = Number(args.n);
      return created([onesided ? Math.floor(n / 2) + 1 : n], args.dtype ?? DEFAULT, args);
    },
    decompose: (emit, args) => frequencies(emit, args, onesided),
  });

/** Points from `start` to `end`, both included. */
function pointsOf(start: number, end: number, step: number): number {
  if (step === 0) throw invalidArgument("step must be nonzero");
  if (!Number.isFinite(start) || !Number.isFinite(end)) {
    throw invalidArgument(`unsupported range: ${start} -> ${end}`);
  }
  if (step > 0 ? end < start : end > start) {
    throw invalidArgument("upper bound and lower bound inconsistent with step sign");
  }
  return Math.floor((end - start) / step) + 1;
}

const closedRange = (emit: Emit, bounds: readonly [number, number, number], options: FactoryOptions) => {
  const [start, end, step] = bounds;
  const count = pointsOf(start, end, step);
  // Half a step beyond the last point, so that it is in and none after it.
  const stop = start + (count - 0.5) * step;
  const dtype = options.dtype ?? DEFAULT;
  return emit(
    "aten.arange.start_step",
    [float(start), float(stop), float(step)],
    factoryKwargs({ ...options, dtype }),
  );
};

const rangeOfStep = defineOp({
  schema:
    `aten::range.step(Scalar start, Scalar end, Scalar step=1, *, ${OPTIONS}) -> Tensor` as `aten::range.step(Scalar start, Scalar end, Scalar step=1, *, ${Options}) -> Tensor`,
  tags,
  meta: ({ start, end, step, ...options }) =>
    created([pointsOf(numberOf(start), numberOf(end), numberOf(step))], options.dtype ?? DEFAULT, options),
  decompose: (emit, { start, end, step, ...options }) =>
    closedRange(emit, [numberOf(start), numberOf(end), numberOf(step)], options),
});

const range = defineOp({
  schema:
    `aten::range(Scalar start, Scalar end, *, ${OPTIONS}) -> Tensor` as `aten::range(Scalar start, Scalar end, *, ${Options}) -> Tensor`,
  tags,
  meta: ({ start, end, ...options }) =>
    created([pointsOf(numberOf(start), numberOf(end), 1)], options.dtype ?? DEFAULT, options),
  decompose: (emit, { start, end, ...options }) =>
    closedRange(emit, [numberOf(start), numberOf(end), 1], options),
});

export const windowOps: readonly OpDefinition[] = [
  ...["bartlett", "blackman", "hamming", "kaiser"].flatMap((name) => [
    window(name),
    window(name, ".periodic", "bool periodic, "),
  ]),
  window("hamming", ".periodic_alpha", "bool periodic, float alpha, "),
  window("hamming", ".periodic_alpha_beta", "bool periodic, float alpha, float beta, "),
  window("kaiser", ".beta", "bool periodic, float beta, "),
  frequency("fft_fftfreq", false),
  frequency("fft_rfftfreq", true),
  rangeOfStep,
  range,
];
