/** @file `ps_roi_pool`, after `torchvision/csrc/ops/cpu/ps_roi_pool_kernel.cpp`. */
import { emptyOutputs, finishOutput, kernel, type NumberArray, openOutput } from "@sconce/backend-cpu";
import { pixelsOf, spanOf } from "./bins.js";
import { type RegionArguments, type RegionJob, regionJob } from "./regions.js";
import { psRoiPool } from "./rows.js";

export const psRoiPoolKernel = kernel(psRoiPool.schemaText, (args, context) => {
  const [out, mapping] = emptyOutputs(context);
  const job = regionJob("ps_roi_pool_forward_kernel", args);
  const [into, channelsOf] = [openOutput(out), openOutput(mapping)];
  if (out.numel > 0) poolRegions(job, args, into, channelsOf);
  return [finishOutput(out, into), finishOutput(mapping, channelsOf)];
});

function poolRegions(
  job: RegionJob,
  args: RegionArguments,
  into: NumberArray,
  channelsOf: NumberArray,
): void {
  const { channels, height, width, round, values } = job;
  const { pooled_height: rows, pooled_width: columns } = args;
  for (const { index, start, box } of job.regions) {
    const y = spanOf(box[1], box[3], rows, 0, round);
    const x = spanOf(box[0], box[2], columns, 0, round);
    // Each bin of each output channel has its own input channel.
    for (let channel = 0; channel < channels; channel++) {
      const bin = channel % (rows * columns);
      // The last row and column are left out.
      const [top, bottom] = pixelsOf(y, Math.floor(bin / columns), height - 1, round);
      const [left, right] = pixelsOf(x, bin % columns, width - 1, round);
      const plane = start + channel * height * width;
      let sum = 0;
      for (let row = top; row < bottom; row++)
        for (let at = row * width + left; at < row * width + right; at++)
          sum = round(sum + values[plane + at]!);
      const isEmpty = bottom <= top || right <= left;
      const area = round((bottom - top) * (right - left));
      into[index * channels + channel] = isEmpty ? 0 : round(sum / area);
      channelsOf[index * channels + channel] = channel;
    }
  }
}
