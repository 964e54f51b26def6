export { castTensor, floatToInt32, floatToInt64 } from "./cast.js";
export { copiedBytes, copyInto, detached } from "./copy.js";
export type { DType, DTypeInfo, DTypeKind, TypedArray } from "./dtype.js";
export {
  DTYPES,
  dtypeInfo,
  isBigIntDType,
  isComplexDType,
  isDType,
  isFloatDType,
  isIntegralDType,
} from "./dtype.js";
export type { ComplexElement, Element } from "./element.js";
export { elementReader, elementWriter, laneReader, patternEncoder, valueTable } from "./element.js";
export { longDType } from "./errors.js";
export type { Float8DType } from "./float8.js";
export { float8Values, numberToFloat8 } from "./float8.js";
export {
  bfloat16ToNumber,
  bfloat16Values,
  float16ToNumber,
  float16Values,
  numberToBfloat16,
  numberToFloat16,
} from "./half.js";
export type { FirstItems, Items } from "./items.js";
export {
  holdsDType,
  isNumericArray,
  type NestedValues,
  type NumericArray,
  numericArrayName,
} from "./nested.js";
export { printTensor, showsAsText, sizeText, suffixedText } from "./print.js";
export { exponentText, fixedText } from "./print-number.js";
export type { PrintOptions } from "./print-options.js";
export type { PromotionOperand, PromotionRank } from "./promotion.js";
export { complexDType, promoteTypes, realDType, resultType } from "./promotion.js";
export type { Safetensors } from "./safetensors.js";
export { readSafetensors, withOtherNames, writeSafetensors } from "./safetensors.js";
export {
  contiguousStrides,
  forEachPosition,
  isContiguous,
  numel,
  requiredBytes,
  wrapDimension,
} from "./shape.js";
export { type TensorStatistics, tensorStatistics } from "./statistics.js";
export { DEFAULT_MAX_BYTES, requireMemory, Storage, withMemoryLimit } from "./storage.js";
export {
  broadcastStrides,
  broadcastsTo,
  broadcastView,
  eachRun,
  eachRunInOrder,
  memoryOrder,
  positionsOf,
  type RunBody,
  type StridedView,
} from "./strided.js";
export type { TensorInit, TensorLayout, TensorOptions } from "./tensor.js";
export { getElement, setElement, Tensor } from "./tensor.js";
export type { ElementJson, NestedJson, TensorJson } from "./tensor-json.js";
