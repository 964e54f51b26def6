/** @file The readers of files that only the command has, for tests of untrusted input. */
export { parseReproducer, reproducerText } from "../reproducer.js";
export { readNpy } from "./npy.js";
