/**
 * @file Comparison of tensors, which is not in the index: what only reads, prints and runs programs
 * does not need it.
 */
export { sameBytes } from "./bytes.js";
export { type Closeness, compareTensors, sameLayout, sameValues } from "./compare.js";
export { type ToleranceOptions, tensorDifference } from "./difference.js";
export { backendTolerance, type ErrorMeasure, measureError, type Tolerance } from "./error-measure.js";
export { type UlpBucket, type UlpMeasure, ulpDistance } from "./ulp.js";
