/** @file The backend `wasm`. */
import {
  DEVICE_OPTIONS,
  type DeviceBackend,
  type DeviceBackendOptions,
  deviceBackend,
  type Unavailable,
} from "@sconce/device-runtime";
import { checkOptions, isSconceError, type OptionNames, optionValue } from "@sconce/errors";
import { detectFeatures, type Features } from "@sconce/wasm";
import { availableThreads, maySleep } from "#threads";
import { WasmDevice } from "../device/device.js";
import { noWasm } from "../device/errors.js";
import { MemoryOwner } from "../device/memory.js";
import { kernelsFor, whyNotHeld } from "./kernels.js";

/** Options of {@link wasmBackend}. */
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
}

const OPTIONS: OptionNames<WasmBackendOptions> = {
  ...DEVICE_OPTIONS,
  relaxed: true,
  winograd: true,
  threads: true,
};

/**
 * Runs programs in WebAssembly. Nodes that lower to loops run in kernels, the others run on the
 * host; the executable reports the placement of each node. Executables of one backend share one
 * memory, and the weights in it.
 */
export const wasmBackend = (options: WasmBackendOptions = {}): DeviceBackend =>
  backendOf("wasm", options, openDevice);

/**
 * The backend `wasm` where WebAssembly runs, else the interpreter: the placement of an executable
 * then has the reason. A page whose content security policy forbids WebAssembly is such a place.
 */
export const autoBackend = (options: WasmBackendOptions = {}): DeviceBackend =>
  backendOf("auto", options, (owner, own) => {
    const { reason } = reportWasm();
    return reason === undefined ? openDevice(owner, own) : { unavailable: reason };
  });

/** Opens the device of one executable. */
type Open = (owner: MemoryOwner, options: WasmBackendOptions) => WasmDevice | Unavailable;

function backendOf(name: "wasm" | "auto", options: WasmBackendOptions, open: Open): DeviceBackend {
  const madeBy = `${name}Backend`;
  checkOptions(madeBy, options, OPTIONS);
  checkWinograd(options.winograd, madeBy);
  return backendOn(new MemoryOwner(threadsOf(options.threads, madeBy)), name, options, open);
}

/** The backend on a given memory, which tests look at. */
export function backendOn(
  owner: MemoryOwner,
  name: "wasm" | "auto" = "wasm",
  options: WasmBackendOptions = {},
  open: Open = openDevice,
): DeviceBackend {
  return deviceBackend(
    {
      name,
      madeBy: `${name}Backend`,
      whyNotHeld,
      open: async () => open(owner, options),
      // What was given by hand stays.
      withDefaults: (defaults) => backendOf(name, { ...defaults, ...options }, open),
    },
    options,
  );
}

function openDevice(owner: MemoryOwner, { relaxed = true, winograd = 2 }: WasmBackendOptions): WasmDevice {
  const found = requireFeatures();
  const features = { ...found, relaxed: found.relaxed && relaxed };
  return new WasmDevice(
    owner,
    kernelsFor({ ...features, winograd }),
    modeOf(features),
    countText(owner.threads),
  );
}
/** @throws SconceError `OPTION_VALUE` */
function checkWinograd(side: unknown, call: string): void {
  if (side !== undefined && side !== 0 && side !== 2 && side !== 4)
    throw optionValue(call, "winograd", side, "0, 2 or 4");
}
/** @throws SconceError `OPTION_VALUE` */
function threadsOf(asked: number | undefined, call: string): number {
  const available = availableThreads();
  if (asked === undefined) return Math.min(available, DEFAULT_THREADS);
  if (!Number.isInteger(asked) || asked < 1 || asked > MOST_THREADS)
    throw optionValue(call, "threads", asked, `a whole number from 1 to ${MOST_THREADS}`);
  return available === 1 && !maySleep() ? 1 : asked;
}
const DEFAULT_THREADS = 8;
const MOST_THREADS = 64;
const countText = (count: number): string => `${count} ${count === 1 ? "thread" : "threads"}`;
const modeOf = ({ relaxed }: Features): string => `WebAssembly with ${relaxed ? "relaxed " : ""}SIMD`;

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

/** @throws SconceError `NO_WASM` */
function requireFeatures(): Features {
  if (typeof WebAssembly !== "object")
    throw noWasm("this runtime has no WebAssembly", 'use the backend "cpu"');
  const features = detectFeatures();
  if (!features.compile)
    throw noWasm(
      "the content security policy of the page forbids compiling it",
      "allow it (`script-src 'self' 'wasm-unsafe-eval'`), or use the backend \"cpu\"",
    );
  if (!features.simd)
    throw noWasm("this runtime has no 128-bit vectors", 'use a newer one, or the backend "cpu"');
  return features;
}

/** The backend by its name, `wasm` or `auto`, as commands take it; undefined for other names. */
export const wasmByName = (name: string, options?: WasmBackendOptions): DeviceBackend | undefined =>
  name === "wasm" ? wasmBackend(options) : name === "auto" ? autoBackend(options) : undefined;
