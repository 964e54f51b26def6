/**
 * @file Sampling of images at places that a tensor gives (`aten/src/ATen/native/GridSampler.h`).
 */
import { constant, type Index } from "../../ir/index-expr.js";
import { cast, type Scalar } from "../../ir/scalar.js";
import type { LoweringArgs } from "../core/arguments.js";
import { type LoweringCall, outOf } from "../core/call.js";
import type { LazyTensor } from "../core/lazy.js";
import { defineLowerings, lowering } from "../core/lowering.js";
import { computeType } from "../core/numbers.js";
import {
  byCorner,
  byDimension,
  isCubic,
  Places,
  placeOf,
  type Sampling,
  tapsOf,
} from "../rules/grid-taps.js";
import { made } from "../rules/made.js";

const GRID_SAMPLERS = [
  "aten::grid_sampler_2d(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor",
  "aten::grid_sampler_3d(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor",
] as const;

function sampled(args: LoweringArgs<(typeof GRID_SAMPLERS)[number]>, call: LoweringCall): LazyTensor {
  const [input, grid] = [call.context.many(args.input), call.context.many(args.grid)];
  const { dtype } = outOf(call);
  const compute = computeType(dtype);
  const sizes = input.shape.slice(2);
  const places = new Places(dtype, sizes.length === 2);
  const sampling: Sampling = {
    interpolation: args.interpolation_mode,
    padding: args.padding_mode,
    align: args.align_corners,
  };
  return made(call, {
    inputs: [input, grid],
    operations: 24,
    element: ([n, channel, ...at]) => {
      const taps = sizes.map((size, d) => {
        // The grid names the fastest dimension first.
        const value = grid.element([n!, ...at, constant(sizes.length - 1 - d)]);
        return tapsOf(places, cast(value, compute), size, sampling);
      });
      const elementAt = (corner: readonly Scalar[]): Scalar => {
        const from: Index[] = corner.map((place, d) => placeOf(place, sizes[d]!));
        return cast(input.element([n!, channel!, ...from]), compute);
      };
      const blend = isCubic(sampling) ? byDimension : byCorner;
      return cast(blend(places, taps, sizes, elementAt), dtype);
    },
  });
}

export const GRID_SAMPLINGS = defineLowerings([lowering(GRID_SAMPLERS, sampled)]);
