/** @file `ps_roi_align`, after `torchvision/csrc/ops/cpu/ps_roi_align_kernel.cpp`. */
import { emptyOutputs, finishOutput, kernel, type NumberArray, openOutput } from "@sconce/backend-cpu";
import { type Round, toInt } from "../arithmetic.js";
import { type RegionArguments, type RegionJob, regionJob } from "./regions.js";
import { psRoiAlign } from "./rows.js";
import { type Samples, samplesOf } from "./samples.js";

interface Arguments extends RegionArguments {
  readonly sampling_ratio: number;
}

export const psRoiAlignKernel = kernel(psRoiAlign.schemaText, (args, context) => {
  const [out, mapping] = emptyOutputs(context);
  const job = regionJob("ps_roi_align_forward_kernel", args);
  const [into, channelsOf] = [openOutput(out), openOutput(mapping)];
  if (out.numel > 0) alignRegions(job, args, into, channelsOf);
  return [finishOutput(out, into), finishOutput(mapping, channelsOf)];
});

function alignRegions(job: RegionJob, args: Arguments, into: NumberArray, channelsOf: NumberArray): void {
  const { channels, height, width, round } = job;
  const { pooled_height: rows, pooled_width: columns, sampling_ratio: ratio } = args;
  for (const { index, start, box } of job.regions) {
    const y = binsOf(box[1], box[3], rows, ratio, round);
    const x = binsOf(box[0], box[2], columns, ratio, round);
    const count = round(Math.imul(y.count, x.count));
    for (let bin = 0; bin < rows * columns; bin++) {
      const top = round(round(round(Math.floor(bin / columns)) * y.length) + y.start);
      const left = round(round(round(bin % columns) * x.length) + x.start);
      const samples = samplesOf(
        { ...y, start: top, size: height },
        { ...x, start: left, size: width },
        round,
      );
      // Each bin of each output channel has its own input channel.
      for (let channel = bin; channel < channels; channel += rows * columns) {
        const sum = weightedSum(job.values, start + channel * height * width, samples, round);
        into[index * channels + channel] = round(sum / count);
        channelsOf[index * channels + channel] = channel;
      }
    }
  }
}

function binsOf(
  from: number,
  to: number,
  bins: number,
  ratio: number,
  round: Round,
): { start: number; length: number; count: number } {
  const start = round(from - 0.5);
  const length = round(round(round(to - 0.5) - start) / round(bins));
  return { start, length, count: ratio > 0 ? ratio : toInt(Math.ceil(length)) };
}

function weightedSum(
  values: NumberArray,
  plane: number,
  { places, weights, count }: Samples,
  round: Round,
): number {
  let sum = 0;
  for (let at = 0; at < 4 * count; at += 4) {
    // Outside of the image the sample is zero.
    if (places[at] === -1) continue;
    let term = round(weights[at]! * values[plane + places[at]!]!);
    for (let k = at + 1; k < at + 4; k++)
      term = round(term + round(weights[k]! * values[plane + places[k]!]!));
    sum = round(sum + term);
  }
  return sum;
}
