/** @file Quantization as passes. */
import type { Plugin } from "@sconce/passes";
import { weightQuantization } from "./weights/pass.js";

export type { Distortion } from "./numbers/distortion.js";
export { type CodeRange, chooseParameters, type QuantizationParameters } from "./numbers/parameters.js";
export type { Sample } from "./report/measure.js";
export {
  type ReportedWeight,
  type ReportWeightsOptions,
  reportWeights,
  type WeightReport,
} from "./report/weight-report.js";
export type { WeightChoice } from "./weights/choose.js";
export { weightQuantization } from "./weights/pass.js";
export {
  type QuantizedWeight,
  type QuantizeWeightsOptions,
  quantizeWeights,
  type WeightQuantization,
} from "./weights/quantize-weights.js";
export type { WeightGroup, WeightScheme } from "./weights/scheme.js";

/** The passes of quantization. Give it to `createSconce({ plugins: [quantization] })`. */
export const quantization: Plugin = Object.freeze({
  name: "quantization",
  passes: [weightQuantization],
});

export default quantization;
