/** @file Quantization: passes, observers, reports of the error. */
export * from "@sconce/quantization";
export { default } from "@sconce/quantization";
