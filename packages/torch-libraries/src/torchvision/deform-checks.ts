/** @file What `deform_conv2d` refuses, in torchvision's order and words. */
import type { Tensor } from "@sconce/tensor";
import { refused } from "../errors.js";

export interface DeformArguments {
  /** `[N, C, H, W]`. */
  readonly input: Tensor;
  /** `[O, C / groups, KH, KW]`. */
  readonly weight: Tensor;
  /** `[N, 2 * offset_groups * KH * KW, OH, OW]`: how far each tap moves down, then right. */
  readonly offset: Tensor;
  /** `[N, offset_groups * KH * KW, OH, OW]`; not read without `use_mask`. */
  readonly mask: Tensor;
  readonly bias: Tensor;
  readonly stride_h: number;
  readonly stride_w: number;
  readonly pad_h: number;
  readonly pad_w: number;
  readonly dilation_h: number;
  readonly dilation_w: number;
  readonly groups: number;
  readonly offset_groups: number;
  readonly use_mask: boolean;
}

export interface DeformSizes {
  readonly batch: number;
  readonly channels: number;
  readonly channelsOut: number;
  readonly groups: number;
  readonly height: number;
  readonly width: number;
  readonly kernelWidth: number;
  /** Positions of the kernel. */
  readonly taps: number;
  readonly outWidth: number;
  /** Positions of the output. */
  readonly places: number;
}

function must(holds: boolean, condition: string): void {
  if (!holds) throw refused(`Expected ${condition} to be true, but got false.`);
}

function mustBe(holds: boolean, message: string): void {
  if (!holds) throw refused(message);
}

/** @throws SconceError `INVALID_ARGUMENT` */
export function checkDeform(args: DeformArguments): DeformSizes {
  const { input, weight, offset, mask, bias, use_mask: hasMask, groups } = args;
  must(input.ndim === 4, "input_c.ndimension() == 4");
  must(offset.ndim === 4, "offset_c.ndimension() == 4");
  must(!hasMask || mask.ndim === 4, "!use_mask || mask_c.ndimension() == 4");
  must(weight.ndim === 4, "weight_c.ndimension() == 4");
  const [batch, channels, height, width] = input.shape as readonly [number, number, number, number];
  const [channelsOut, perGroup, kernelHeight, kernelWidth] = weight.shape as readonly [
    number,
    number,
    number,
    number,
  ];
  checkNumbers(args, kernelHeight, kernelWidth);
  must(perGroup * groups === channels, "weight_c.size(1) * n_weight_grps == input_c.size(1)");
  must(channelsOut % groups === 0, "weight_c.size(0) % n_weight_grps == 0");
  const taps = kernelHeight * kernelWidth;
  const outHeight = sizeOf(height, args.pad_h, args.dilation_h, kernelHeight, args.stride_h);
  const outWidth = sizeOf(width, args.pad_w, args.dilation_w, kernelWidth, args.stride_w);
  checkMoved(args, taps, outHeight, outWidth);
  mustBe(
    outHeight > 0 && outWidth > 0,
    `Calculated output size too small - out_h: ${outHeight} out_w: ${outWidth}`,
  );
  mustBe(
    bias.numel === channelsOut,
    `shape '[1, ${channelsOut}, 1, 1]' is invalid for input of size ${bias.numel}`,
  );
  const types = [weight, offset, bias, ...(hasMask ? [mask] : [])].find(({ dtype }) => dtype !== input.dtype);
  mustBe(
    types === undefined,
    `the tensors must have the same dtype, but got ${types?.dtype} and ${input.dtype}`,
  );
  const places = outHeight * outWidth;
  return { batch, channels, channelsOut, groups, height, width, kernelWidth, taps, outWidth, places };
}

const sizeOf = (size: number, pad: number, dilation: number, kernel: number, stride: number): number =>
  Math.trunc((size + 2 * pad - (dilation * (kernel - 1) + 1)) / stride) + 1;

function checkNumbers(args: DeformArguments, kernelHeight: number, kernelWidth: number): void {
  const { stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w, groups, offset_groups } = args;
  mustBe(kernelHeight > 0 && kernelWidth > 0, `weight_h: ${kernelHeight} weight_w: ${kernelWidth}`);
  mustBe(stride_h > 0 && stride_w > 0, `stride_h: ${stride_h} stride_w: ${stride_w}`);
  mustBe(pad_h >= 0 && pad_w >= 0, `pad_h: ${pad_h} pad_w: ${pad_w}`);
  mustBe(dilation_h > 0 && dilation_w > 0, `dil_h: ${dilation_h} dil_w: ${dilation_w}`);
  mustBe(groups > 0 && offset_groups > 0, `groups: ${groups} offset_groups: ${offset_groups}`);
}

function checkMoved(args: DeformArguments, taps: number, outHeight: number, outWidth: number): void {
  const { input, offset, mask, use_mask: hasMask, offset_groups: groups } = args;
  const computed = `computed output dims: (${outHeight}, ${outWidth})`;
  const isOutput = (tensor: Tensor): boolean => tensor.shape[2] === outHeight && tensor.shape[3] === outWidth;
  const dims = (tensor: Tensor): string => `(${tensor.shape[2]}, ${tensor.shape[3]})`;
  const [moves, masks] = [2 * groups * taps, groups * taps];
  mustBe(
    offset.shape[1] === moves,
    `offset.shape[1] is not valid: got: ${offset.shape[1]} expected: ${moves}`,
  );
  mustBe(
    !hasMask || mask.shape[1] === masks,
    `mask.shape[1] is not valid: got: ${mask.shape[1]} expected: ${masks}`,
  );
  must(input.shape[1]! % groups === 0, "input_c.size(1) % n_offset_grps == 0");
  mustBe(offset.shape[0] === input.shape[0], "invalid batch size of offset");
  mustBe(isOutput(offset), `offset output dims: ${dims(offset)} - ${computed}`);
  mustBe(!hasMask || mask.shape[0] === input.shape[0], "invalid batch size of mask");
  mustBe(!hasMask || isOutput(mask), `mask output dims: ${dims(mask)} - ${computed}`);
}
