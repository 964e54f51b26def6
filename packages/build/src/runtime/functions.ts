/** @file Functions of float64 for which WebAssembly has no instructions. */
import { hostFunctions } from "@sconce/backend-wasm/build";

/** The functions by the names that kernels import them by. */
export const functions = hostFunctions();
