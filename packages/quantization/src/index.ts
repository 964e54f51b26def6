/** @file Quantization as passes. */
import type { Plugin } from "@sconce/passes";
import { observe } from "./static/observe.js";
import { quantizationConversion, quantizationPreparation, randomCalibration } from "./static/passes.js";
import { weightQuantization } from "./weights/pass.js";

export type { AnnotationOptions, Quantizer } from "./annotate/quantizer.js";
export type {
  Annotation,
  EdgeSpec,
  ObserverKind,
  QuantizationSpec,
  SharedSpec,
} from "./annotate/spec.js";
export { xnnpackQuantizer } from "./annotate/xnnpack.js";
export type { Distortion } from "./numbers/distortion.js";
export { type CodeRange, chooseParameters, type QuantizationParameters } from "./numbers/parameters.js";
export { layerHessians } from "./report/hessians.js";
export type { Sample } from "./report/measure.js";
export { reportValues, type ValueReport } from "./report/value-report.js";
export {
  type ReportedWeight,
  type ReportWeightsOptions,
  reportWeights,
  type WeightReport,
} from "./report/weight-report.js";
export { type CalibrationOptions, calibrate } from "./static/calibrate.js";
export { convertQuantization } from "./static/convert.js";
export { quantizationConversion, quantizationPreparation, randomCalibration } from "./static/passes.js";
export { prepareQuantization } from "./static/prepare.js";
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
  ops: [observe],
  passes: [weightQuantization, quantizationPreparation, randomCalibration, quantizationConversion],
});

export default quantization;
