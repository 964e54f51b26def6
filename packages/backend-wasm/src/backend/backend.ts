/** @file The backend `wasm`. */
import type { DeviceBackend } from "@sconce/device-runtime";
import { checkOptions, isSconceError } from "@sconce/errors";
import { MemoryOwner } from "../device/wasm-memory.js";
import { backendOn, modeOf, type Open, openDevice, requireFeatures } from "./open.js";
import {
  checkCache,
  checkFlag,
  checkWinograd,
  OPTIONS,
  threadsOf,
  type WasmBackendOptions,
} from "./options.js";

/**
 * Runs programs in WebAssembly. Nodes that lower to loops run in kernels, the others run on the
 * host; the executable reports the placement of each node. Executables of one backend share one
 * memory, and the weights in it.
 */
export const wasmBackend = (options: WasmBackendOptions = {}): DeviceBackend =>
  backendOf("wasm", options, openDevice);

/**
 * Returns the backend `wasm` where WebAssembly runs, else the interpreter: the placement of an
 * executable then has the reason. A page whose content security policy forbids WebAssembly is such
 * a place.
 */
export const autoBackend = (options: WasmBackendOptions = {}): DeviceBackend =>
  backendOf("auto", options, (owner, own) => {
    const { reason } = reportWasm();
    return reason === undefined ? openDevice(owner, own) : { unavailable: reason };
  });

function backendOf(name: "wasm" | "auto", options: WasmBackendOptions, open: Open): DeviceBackend {
  const madeBy = `${name}Backend`;
  checkOptions(madeBy, options, OPTIONS);
  checkFlag("relaxed", options.relaxed, madeBy);
  checkFlag("memory64", options.memory64, madeBy);
  checkWinograd(options.winograd, madeBy);
  checkCache(options.cache, madeBy);
  return backendOn(new MemoryOwner(threadsOf(options.threads, madeBy)), {
    name,
    options,
    open,
    // What was given by hand stays.
    withDefaults: (defaults) => backendOf(name, { ...defaults, ...options }, open),
  });
}

/** Whether the backend runs here. */
export interface WasmReport {
  /** What it runs on; undefined where it does not run. */
  readonly device?: string;
  /** Why it does not run. */
  readonly reason?: string;
  /** How to get it. */
  readonly fix?: string;
}

/** Reports whether the backend runs here, and what it lacks if not. */
export function reportWasm(): WasmReport {
  try {
    return { device: modeOf(requireFeatures()) };
  } catch (error) {
    if (!isSconceError(error)) throw error;
    return { reason: error.message, ...(error.fix !== undefined && { fix: error.fix }) };
  }
}

/**
 * Returns the backend by its name, `wasm` or `auto`, as commands take it; undefined for other
 * names.
 */
export const wasmByName = (name: string, options?: WasmBackendOptions): DeviceBackend | undefined =>
  name === "wasm" ? wasmBackend(options) : name === "auto" ? autoBackend(options) : undefined;
