/** @file Torchvision's operators: schemas and shape rules. */
import { defineOp, type OpDefinition } from "@sconce/ops";
import { dense } from "../dense.js";
import { refused } from "../errors.js";
import { imageGradient, keptBoxes, pooledRegions, positionSensitive } from "./rules.js";

export const nms = defineOp({
  schema: "torchvision::nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
  tags: ["dynamic_output_shape"],
  doc: "Places of the boxes that no box with a better score overlaps by more than the threshold, best first.",
  meta: ({ dets, scores }, context) => keptBoxes(dets, scores, context),
});

export const roiAlign = defineOp({
  schema:
    "torchvision::roi_align(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width, int sampling_ratio, bool aligned) -> Tensor",
  doc: "Averages of bilinear samples in the bins of each region.",
  meta: (args, context) => pooledRegions("roi_align", args, context),
});

export const roiPool = defineOp({
  schema:
    "torchvision::roi_pool(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width) -> (Tensor, Tensor)",
  doc: "The largest value in each bin of each region, and its place in the image.",
  meta: (args, context) => {
    const values = pooledRegions("roi_pool", args, context);
    return [values, dense(values, values.shape, "int32")];
  },
});

export const psRoiAlign = defineOp({
  schema:
    "torchvision::ps_roi_align(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width, int sampling_ratio) -> (Tensor, Tensor)",
  doc: "As roi_align, each bin from its own channels; and which channels.",
  meta: (args, context) => positionSensitive("ps_roi_align", args, context),
});

export const psRoiPool = defineOp({
  schema:
    "torchvision::ps_roi_pool(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width) -> (Tensor, Tensor)",
  doc: "Averages of the bins of each region, each bin from its own channels; and which channels.",
  meta: (args, context) => positionSensitive("ps_roi_pool", args, context),
});

export const deformConv2d = defineOp({
  schema:
    "torchvision::deform_conv2d(Tensor input, Tensor weight, Tensor offset, Tensor mask, Tensor bias, SymInt stride_h, SymInt stride_w, SymInt pad_h, SymInt pad_w, SymInt dilation_h, SymInt dilation_w, SymInt groups, SymInt offset_groups, bool use_mask) -> Tensor",
  doc: "A convolution whose taps are moved by offsets and, with masks, weighted.",
  meta: ({ input, weight, offset }) => {
    if (offset.ndim < 2) throw refused("Expected offset_c.ndimension() == 4 to be true, but got false.");
    return dense(input, [input.shape[0]!, weight.shape[0]!, ...offset.shape.slice(-2)]);
  },
});

/** Gradients, which programs of joint graphs call: they lower and print; nothing here runs them. */
const backward: readonly OpDefinition[] = [
  defineOp({
    schema:
      "torchvision::_roi_align_backward(Tensor grad, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width, SymInt batch_size, SymInt channels, SymInt height, SymInt width, int sampling_ratio, bool aligned) -> Tensor",
    meta: imageGradient,
  }),
  defineOp({
    schema:
      "torchvision::_roi_pool_backward(Tensor grad, Tensor rois, Tensor argmax, float spatial_scale, SymInt pooled_height, SymInt pooled_width, SymInt batch_size, SymInt channels, SymInt height, SymInt width) -> Tensor",
    meta: imageGradient,
  }),
  defineOp({
    schema:
      "torchvision::_ps_roi_align_backward(Tensor grad, Tensor rois, Tensor channel_mapping, float spatial_scale, SymInt pooled_height, SymInt pooled_width, int sampling_ratio, SymInt batch_size, SymInt channels, SymInt height, SymInt width) -> Tensor",
    meta: imageGradient,
  }),
  defineOp({
    schema:
      "torchvision::_ps_roi_pool_backward(Tensor grad, Tensor rois, Tensor channel_mapping, float spatial_scale, SymInt pooled_height, SymInt pooled_width, SymInt batch_size, SymInt channels, SymInt height, SymInt width) -> Tensor",
    meta: imageGradient,
  }),
  defineOp({
    schema:
      "torchvision::_deform_conv2d_backward(Tensor grad, Tensor input, Tensor weight, Tensor offset, Tensor mask, Tensor bias, SymInt stride_h, SymInt stride_w, SymInt pad_h, SymInt pad_w, SymInt dilation_h, SymInt dilation_w, SymInt groups, SymInt offset_groups, bool use_mask) -> (Tensor, Tensor, Tensor, Tensor, Tensor)",
    meta: ({ input, weight, offset, mask, bias }) =>
      [input, weight, offset, mask, bias].map((tensor) => dense(tensor, tensor.shape)),
  }),
];

export const torchvisionOps: readonly OpDefinition[] = [
  nms,
  roiAlign,
  roiPool,
  psRoiAlign,
  psRoiPool,
  deformConv2d,
  ...backward,
];
