/** @file The kernels of a session in Node, where files are at hand. */
export { ALL_KERNELS as SESSION_KERNELS } from "./all-kernels.js";
