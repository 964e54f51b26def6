/** @file What devices of gpu.js share: modes, and how elements lie in memory. */

/** Names of software adapters. */
export const SOFTWARE = /swiftshader|llvmpipe|lavapipe|software|basic render/i;

/** Where kernels run: gpu.js's modes. */
export type Mode = "webgpu" | "webgl2" | "webasm" | "cpu" | "headlessgl";

/**
 * The type of an element in device memory: `i32` for integers if the device has integers, else
 * `f32`.
 */
export type Lane = "f32" | "i32";

/** Bytes of an element: device memory takes as much for any dtype. */
export const ELEMENT_BYTES = 4;
