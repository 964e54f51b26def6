/**
 * @file `#webgpu` in Node: WebGPU comes from the `webgpu` package. Bundles for pages have neither.
 */
export { openWebgpuNode as openPlatform } from "./open-node.js";
