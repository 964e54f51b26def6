/** @file Numbers of small floats, and measures of tensors. */
export {
  bfloat16ToNumber,
  broadcastStrides,
  float16ToNumber,
  numberToBfloat16,
  numberToFloat16,
  numel,
  tensorStatistics,
  ulpDistance,
} from "../index.js";
