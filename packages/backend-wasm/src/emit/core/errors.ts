/** @file Errors of the emitter. */
import { internalError, type SconceError } from "@sconce/errors";

/** Returns the error for what the device has to refuse before kernels are made. */
export const notEmitted = (what: string): SconceError => internalError(`WebAssembly kernels have no ${what}`);
