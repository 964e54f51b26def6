/** @file `roi_pool`, after `torchvision/csrc/ops/cpu/roi_pool_kernel.cpp`. */
import { emptyOutputs, finishOutput, kernel, type NumberArray, openOutput } from "@sconce/backend-cpu";
import { pixelsOf, spanOf } from "./bins.js";
import { type RegionArguments, type RegionJob, regionJob } from "./regions.js";
import { roiPool } from "./rows.js";

/** What a bin without a larger value gives. */
const LEAST_FLOAT = -3.4028234663852886e38;

export const roiPoolKernel = kernel(roiPool.schemaText, (args, context) => {
  const [out, places] = emptyOutputs(context);
  const job = regionJob("roi_pool_forward_kernel", args);
  const [into, placesInto] = [openOutput(out), openOutput(places)];
  if (out.numel > 0) poolRegions(job, args, into, placesInto);
  return [finishOutput(out, into), finishOutput(places, placesInto)];
});

function poolRegions(job: RegionJob, args: RegionArguments, into: NumberArray, places: NumberArray): void {
  const { channels, height, width, round, values } = job;
  const { pooled_height: rows, pooled_width: columns } = args;
  for (const { index, start, box } of job.regions) {
    const y = spanOf(box[1], box[3], rows, 1, round);
    const x = spanOf(box[0], box[2], columns, 1, round);
    for (let bin = 0; bin < rows * columns; bin++) {
      const [top, bottom] = pixelsOf(y, Math.floor(bin / columns), height, round);
      const [left, right] = pixelsOf(x, bin % columns, width, round);
      const least = bottom <= top || right <= left ? 0 : round(LEAST_FLOAT);
      for (let c = 0; c < channels; c++) {
        const plane = start + c * height * width;
        let largest = least;
        let place = -1;
        for (let row = top; row < bottom; row++) {
          for (let at = row * width + left; at < row * width + right; at++) {
            if (values[plane + at]! > largest) {
              largest = values[plane + at]!;
              place = at;
            }
          }
        }
        const to = (index * channels + c) * rows * columns + bin;
        into[to] = largest;
        places[to] = place;
      }
    }
  }
}
