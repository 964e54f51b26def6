/**
 * @file Histograms in one or more dimensions. Each point adds its weight to the total of its bins.
 */

import type { FakeTensor } from "@sconce/ir";
import { numel, type Tensor } from "@sconce/tensor";
import { type NumberArray, readNumbers, writeNumbers } from "../kernel/dense.js";
import { invalidArgument } from "../kernel/errors.js";
import { roundTo } from "../kernel/half.js";
import { allocate, defineKernels, kernel } from "../kernel/kernel.js";
import { scratch } from "../kernel/scratch.js";

/** Points as rows, with their weights. */
interface Points {
  readonly values: NumberArray;
  readonly dims: number;
  readonly count: number;
  readonly weights: NumberArray | null;
}

function pointsOf(self: Tensor, weight: Tensor | null, dims: number): Points {
  const weights = weight === null ? null : readNumbers(weight);
  return { values: readNumbers(self), dims, count: dims === 0 ? 0 : self.numel / dims, weights };
}

/**
 * Least and greatest value of a dimension, or the given range, widened if needed so that bins have
 * a width.
 */
function limitsOf(
  { values, dims, count }: Points,
  dim: number,
  range: readonly number[] | null,
): [number, number] {
  let [low, high] = range === null ? [0, 1] : [range[2 * dim]!, range[2 * dim + 1]!];
  if (range === null && count > 0) {
    [low, high] = [Infinity, -Infinity];
    for (let i = 0, p = dim; i < count; i++, p += dims) {
      low = Math.min(low, values[p]!);
      high = Math.max(high, values[p]!);
    }
    if (!Number.isFinite(low) || !Number.isFinite(high)) {
      throw invalidArgument(`torch.histogramdd: dimension ${dim}'s range [${low}, ${high}] is not finite`);
    }
  }
  return low === high ? [low - 0.5, high + 0.5] : [low, high];
}

/** Edges at equal distances: counted from both ends, as `linspace` does. */
function evenEdges(
  [low, high]: readonly [number, number],
  bins: number,
  round: (value: number) => number,
): Float64Array {
  const edges = scratch(Float64Array, bins + 1);
  const step = round((high - low) / bins);
  for (let i = 0; i <= bins; i++) {
    edges[i] = round(i < (bins + 1) / 2 ? low + step * i : high - step * (bins - i));
  }
  return edges;
}

/** Returns the bin that holds a value, -1 for none; the last bin has its right edge too. */
function binOf(edges: NumberArray, value: number): number {
  const last = edges.length - 1;
  if (!(value >= edges[0]! && value <= edges[last]!)) return -1;
  let [low, high] = [0, edges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (edges[middle]! > value) high = middle;
    else low = middle + 1;
  }
  return Math.min(low, last) - 1;
}

function fill(points: Points, edges: readonly NumberArray[]): Float64Array {
  const sizes = edges.map(({ length }) => length - 1);
  const totals = scratch(Float64Array, numel(sizes));
  for (let i = 0; i < points.count; i++) {
    let flat = 0;
    for (let d = 0; d < points.dims && flat >= 0; d++) {
      const bin = binOf(edges[d]!, points.values[i * points.dims + d]!);
      flat = bin < 0 ? -1 : flat * sizes[d]! + bin;
    }
    if (flat >= 0) totals[flat]! += points.weights === null ? 1 : points.weights[i]!;
  }
  return totals;
}

/** Converts weights to densities: divides them by their sum and by the volume of their bins. */
function normalize(totals: Float64Array, edges: readonly NumberArray[]): void {
  const total = totals.reduce((sum, value) => sum + value, 0);
  for (let i = 0; i < totals.length; i++) {
    let volume = total;
    for (let d = edges.length - 1, rest = i; d >= 0; d--) {
      const bins = edges[d]!.length - 1;
      const bin = rest % bins;
      volume *= edges[d]![bin + 1]! - edges[d]![bin]!;
      rest = (rest - bin) / bins;
    }
    totals[i]! /= volume;
  }
}

function counted(points: Points, edges: readonly NumberArray[], density: boolean, meta: FakeTensor): Tensor {
  const out = allocate(meta);
  const totals = fill(points, edges);
  if (density) normalize(totals, edges);
  writeNumbers(out, totals);
  return out;
}

function written(edges: ArrayLike<number>, meta: FakeTensor): Tensor {
  const out = allocate(meta);
  writeNumbers(out, edges);
  return out;
}

interface CountArgs<B> {
  readonly self: Tensor;
  readonly bins: B;
  readonly range: readonly number[] | null;
  readonly weight: Tensor | null;
  readonly density: boolean;
}

const edgesFor = (args: CountArgs<readonly number[]>, points: Points): readonly Float64Array[] =>
  args.bins.map((bins, d) => evenEdges(limitsOf(points, d, args.range), bins, roundTo(args.self.dtype)));

const binCount = kernel(
  "aten::histogram.bin_ct(Tensor self, int bins=100, *, float[]? range=None, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor bin_edges)",
  (args, context) => {
    const points = pointsOf(args.self, args.weight, 1);
    const [edges] = edgesFor({ ...args, bins: [args.bins] }, points) as [Float64Array];
    const [hist, places] = context.meta;
    return [counted(points, [edges], args.density, hist), written(edges, places)];
  },
);

const binTensor = kernel(
  "aten::histogram.bins_tensor(Tensor self, Tensor bins, *, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor bin_edges)",
  ({ self, bins, weight, density }, context) => {
    const edges = readNumbers(bins);
    const [hist, places] = context.meta;
    return [counted(pointsOf(self, weight, 1), [edges], density, hist), written(edges, places)];
  },
);

const binEdges = kernel(
  "aten::_histogramdd_bin_edges(Tensor self, int[] bins, *, float[]? range=None, Tensor? weight=None, bool density=False) -> Tensor[]",
  (args, context) => {
    const points = pointsOf(args.self, args.weight, args.bins.length);
    const places = context.meta;
    return edgesFor(args, points).map((edges, d) => written(edges, places[d]!));
  },
);

const fromCounts = kernel(
  "aten::_histogramdd_from_bin_cts(Tensor self, int[] bins, *, float[]? range=None, Tensor? weight=None, bool density=False) -> Tensor",
  (args, context) => {
    const points = pointsOf(args.self, args.weight, args.bins.length);
    return counted(points, edgesFor(args, points), args.density, context.meta);
  },
);

const fromTensors = kernel(
  "aten::_histogramdd_from_bin_tensors(Tensor self, Tensor[] bins, *, Tensor? weight=None, bool density=False) -> Tensor",
  ({ self, bins, weight, density }, context) =>
    counted(
      pointsOf(self, weight, bins.length),
      bins.map((edges) => readNumbers(edges)),
      density,
      context.meta,
    ),
);

export const histogramKernels = defineKernels([binCount, binTensor, binEdges, fromCounts, fromTensors]);
