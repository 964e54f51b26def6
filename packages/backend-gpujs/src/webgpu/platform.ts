/** @file `#webgpu` wherever it is not Node: WebGPU is the page's own. */
export { openWebgpu as openPlatform } from "./open.js";
