/** @file Options of the backend `wasm`. */
import { DEVICE_OPTIONS, type DeviceBackendOptions } from "@sconce/device-runtime";
import { type OptionNames, optionValue } from "@sconce/errors";
import { availableThreads, maySleep } from "#threads";
import type { KernelCache } from "../cache/kernel-cache.js";

/** Options of the backend `wasm`. */
export interface WasmBackendOptions extends DeviceBackendOptions {
  /**
   * Whether products may use relaxed SIMD, which multiplies and adds in one rounding where the
   * machine has it. Default: where the engine has it.
   */
  readonly relaxed?: boolean;
  /**
   * Side of the tiles in which 3x3 convolutions are computed by Winograd's algorithm. Tiles of 4
   * are up to twice as fast as tiles of 2, and their rounding errors are about twenty times as
   * large. 0 computes them as products of matrices. Default: 2.
   */
  readonly winograd?: 0 | 2 | 4;
  /**
   * Threads that share the work of large kernels; results do not depend on it. Default: as many as
   * the machine runs at once, at most 8. Pages need cross-origin isolation for more than one, and
   * have them in workers alone.
   */
  readonly threads?: number;
  /**
   * Whether addresses have 64 bits, for programs whose weights and values need more than 4 GiB
   * together. Some kernels are slower. Needs Node 24, or a browser since 2025. Default: false.
   */
  readonly memory64?: boolean;
  /**
   * Keeps modules of kernels, so that later compilations of equal kernels take them from there:
   * `memoryCache()`, `folderCache(path)` of `sconce/node`, or your own. Default: none.
   */
  readonly cache?: KernelCache;
}

/** Their names, for checks. */
export const OPTIONS: OptionNames<WasmBackendOptions> = {
  ...DEVICE_OPTIONS,
  relaxed: true,
  winograd: true,
  threads: true,
  memory64: true,
  cache: true,
};

/** @throws SconceError `OPTION_VALUE` */
export function checkWinograd(side: unknown, call: string): void {
  if (side !== undefined && side !== 0 && side !== 2 && side !== 4)
    throw optionValue(call, "winograd", side, "0, 2 or 4");
}
/** @throws SconceError `OPTION_VALUE` */
export function threadsOf(asked: number | undefined, call: string): number {
  const available = availableThreads();
  if (asked === undefined) return Math.min(available, DEFAULT_THREADS);
  if (!Number.isInteger(asked) || asked < 1 || asked > MOST_THREADS)
    throw optionValue(call, "threads", asked, `a whole number from 1 to ${MOST_THREADS}`);
  return available === 1 && !maySleep() ? 1 : asked;
}
const DEFAULT_THREADS = 8;
const MOST_THREADS = 64;

/** @throws SconceError `OPTION_VALUE` */
export function checkFlag(name: "relaxed" | "memory64", asked: unknown, call: string): void {
  if (asked === undefined || typeof asked === "boolean") return;
  throw optionValue(call, name, asked, "true or false");
}

/** @throws SconceError `OPTION_VALUE` */
export function checkCache(cache: unknown, call: string): void {
  if (cache === undefined) return;
  const { get, set } = (cache ?? {}) as Partial<Record<"get" | "set", unknown>>;
  if (typeof get !== "function" || typeof set !== "function")
    throw optionValue(call, "cache", cache, "an object with the methods get and set, such as memoryCache()");
}
