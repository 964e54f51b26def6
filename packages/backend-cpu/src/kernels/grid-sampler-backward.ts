/** @file Gradients of sampling by a grid, by the input and by the grid. */

import { patternEncoder, type Tensor } from "@sconce/tensor";
import { finishOutput, readNumbers } from "../kernel/dense.js";
import { defineKernels, kernel, maskedOutputs } from "../kernel/kernel.js";
import { scratch } from "../kernel/scratch.js";
import { eachCorner, eachPlace, roundingOf, type SampleArgs, type Taps } from "./grid-sampler.js";

interface SampleBackwardArgs extends SampleArgs {
  readonly grad_output: Tensor;
}

type Visit = Parameters<typeof eachPlace>[1];

interface Gradients {
  readonly input: Float64Array;
  readonly grid: Float64Array;
}

/**
 * Returns the difference of one pair of opposite corners, weighted, and that of the other pair,
 * times the gradient.
 */
function slopeOf(
  round: (x: number) => number,
  [a, b, first]: readonly [number, number, number],
  [d, e, second]: readonly [number, number, number],
  grad: number,
): number {
  return round(round(round(round(b - a) * first) + round(round(e - d) * second)) * grad);
}

/** Places of the four corners in a plane, -1 outside. */
const cornersOf = (rows: Taps, columns: Taps, width: number): readonly number[] =>
  [0, 1, 2, 3].map((corner) => {
    const [row, column] = [rows.position[corner >> 1]!, columns.position[corner & 1]!];
    return row < 0 || column < 0 ? -1 : row * width + column;
  });

/**
 * Linear sampling of halves in two dimensions: every step is rounded (`ApplyGridSample` in
 * GridSamplerKernel.cpp).
 */
function planeGradientsHalf(args: SampleBackwardArgs): Gradients {
  const [x, g] = [readNumbers(args.input), readNumbers(args.grad_output)];
  const round = roundingOf(args.input.dtype);
  const [input, grid] = [scratch(Float64Array, args.input.numel), scratch(Float64Array, args.grid.numel)];
  const visit: Visit = (n, point, taps, { sizes, channels, plane, points }) => {
    const [rows, columns] = taps as readonly [Taps, Taps];
    const [[south, north], [east, west]] = [pair(rows.weight), pair(columns.weight)];
    const corners = cornersOf(rows, columns, sizes[1]!);
    const weights = [east * south, west * south, east * north, west * north].map(round);
    let [across, down] = [0, 0];
    for (let c = 0; c < channels; c++) {
      const start = (n * channels + c) * plane;
      const grad = g[(n * channels + c) * points + point]!;
      corners.forEach((at, k) => {
        if (at >= 0) input[start + at] = round(input[start + at]! + round(weights[k]! * grad));
      });
      const [a, b, d, e] = corners.map((at) => (at < 0 ? 0 : x[start + at]!)) as [
        number,
        number,
        number,
        number,
      ];
      across = round(across + slopeOf(round, [a, b, south], [d, e, north], grad));
      down = round(down + slopeOf(round, [a, d, east], [b, e, west], grad));
    }
    grid[(n * points + point) * 2] = round(across * columns.slope[1]!);
    grid[(n * points + point) * 2 + 1] = round(down * rows.slope[1]!);
  };
  eachPlace(args, visit, nanGradients(visit, grid));
  return { input, grid };
}

/**
 * Gradients of an image by a place with NaN: the slope by one dimension has the weights of the
 * other. Zeros outside times NaN are NaN.
 */
const nanGradients =
  (visit: Visit, grid: Float64Array): Visit =>
  (n, point, taps, places) => {
    visit(n, point, taps, places);
    const isNaNIn = (values: ArrayLike<number>): boolean => Number.isNaN(values[0]!);
    taps.forEach(({ slope }, d) => {
      if (isNaNIn(slope) || isNaNIn(taps[1 - d]!.weight))
        grid[(n * places.points + point) * 2 + 1 - d] = Number.NaN;
    });
  };

const pair = (weights: ArrayLike<number>): readonly [number, number] => [weights[0]!, weights[1]!];

function gradientsOf(args: SampleBackwardArgs): Gradients {
  const [x, g] = [readNumbers(args.input), readNumbers(args.grad_output)];
  const rank = args.input.ndim - 2;
  const [inputGrad, gridGrad] = [
    scratch(Float64Array, args.input.numel),
    scratch(Float64Array, args.grid.numel),
  ];
  const visit: Visit = (n, point, taps, { sizes, channels, plane, points }) => {
    eachCorner(taps, sizes, (position, weight, slopes) => {
      for (let c = 0; c < channels; c++) {
        const grad = g[(n * channels + c) * points + point]!;
        const at = (n * channels + c) * plane + position;
        inputGrad[at]! += weight * grad;
        for (let d = 0; d < rank; d++)
          gridGrad[(n * points + point) * rank + rank - 1 - d]! += slopes[d]! * x[at]! * grad;
      }
    });
  };
  eachPlace({ ...args, isGradient: true }, visit, nanGradients(visit, gridGrad));
  return { input: inputGrad, grid: gridGrad };
}

const sampleBackward = kernel(
  [
    "aten::grid_sampler_2d_backward(Tensor grad_output, Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners, bool[2] output_mask) -> (Tensor, Tensor)",
    "aten::grid_sampler_3d_backward(Tensor grad_output, Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners, bool[2] output_mask) -> (Tensor, Tensor)",
  ],
  (args, context) => {
    const half = patternEncoder(args.input.dtype) !== undefined;
    const stepwise = half && args.interpolation_mode === 0 && args.input.ndim === 4;
    const gradients = stepwise ? planeGradientsHalf(args) : gradientsOf(args);
    const [input, grid] = maskedOutputs(context);
    return [input && finishOutput(input, gradients.input), grid && finishOutput(grid, gradients.grid)];
  },
);

export const gridSamplerBackwardKernels = defineKernels([sampleBackward]);
