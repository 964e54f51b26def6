/** @file `roi_align`, after `torchvision/csrc/ops/cpu/roi_align_kernel.cpp`. */
import { emptyOutput, finishOutput, kernel, type NumberArray, openOutput } from "@sconce/backend-cpu";
import { maxOf, type Round, toInt } from "../arithmetic.js";
import { refused } from "../errors.js";
import { type Region, type RegionArguments, type RegionJob, regionJob } from "./regions.js";
import { roiAlign } from "./rows.js";
import { type Samples, samplesOf } from "./samples.js";

interface Arguments extends RegionArguments {
  readonly sampling_ratio: number;
  readonly aligned: boolean;
}

export const roiAlignKernel = kernel(roiAlign.schemaText, (args, context) => {
  const out = emptyOutput(context);
  const job = regionJob("roi_align_forward_kernel", args);
  if (out.numel === 0) return out;
  const into = openOutput(out);
  for (const region of job.regions) alignRegion(job, region, args, into);
  return finishOutput(out, into);
});

/** Start, bin length and number of samples of a region along one dimension. */
function binsOf(
  from: number,
  to: number,
  bins: number,
  { sampling_ratio: ratio, aligned }: Arguments,
  round: Round,
): { start: number; length: number; count: number } {
  const offset = aligned ? 0.5 : 0;
  const start = round(from - offset);
  const size = round(round(to - offset) - start);
  // Regions without extent count as one pixel, as they did before alignment.
  const extent = aligned ? size : maxOf(size, 1);
  const length = round(extent / round(bins));
  return { start, length, count: ratio > 0 ? ratio : toInt(Math.ceil(length)) };
}

function alignRegion(
  job: RegionJob,
  { index, start, box }: Region,
  args: Arguments,
  into: NumberArray,
): void {
  const { channels, height, width, round } = job;
  const { pooled_height: rows, pooled_width: columns } = args;
  const y = binsOf(box[1], box[3], rows, args, round);
  const x = binsOf(box[0], box[2], columns, args, round);
  const grid = Math.imul(y.count, x.count);
  if (Math.imul(Math.imul(grid, columns), rows) < 0)
    throw refused("cannot create std::vector larger than max_size()");
  const count = round(Math.max(grid, 1));
  for (let row = 0; row < rows; row++) {
    const top = round(y.start + round(round(row) * y.length));
    for (let column = 0; column < columns; column++) {
      const left = round(x.start + round(round(column) * x.length));
      const samples = samplesOf(
        { ...y, start: top, size: height },
        { ...x, start: left, size: width },
        round,
      );
      for (let c = 0; c < channels; c++) {
        const sum = weightedSum(job.values, start + c * height * width, samples, round);
        into[((index * channels + c) * rows + row) * columns + column] = round(sum / count);
      }
    }
  }
}

/**
 * Returns a weighted sum of samples. One outside of the image counts the first pixel with a weight
 * of zero: NaN where that pixel is not finite.
 */
function weightedSum(
  values: NumberArray,
  plane: number,
  { places, weights, count }: Samples,
  round: Round,
): number {
  let sum = 0;
  for (let at = 0; at < 4 * count; at += 4) {
    let term = 0;
    for (let k = at; k < at + 4; k++) {
      const value = values[plane + Math.max(places[k]!, 0)]!;
      const product = round(weights[k]! * value);
      term = k === at ? product : round(term + product);
    }
    sum = round(sum + term);
  }
  return sum;
}
