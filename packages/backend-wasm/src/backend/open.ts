/** @file Opens the memory of a backend for executables. */

import {
  type DeviceBackend,
  type DeviceBackendOptions,
  deviceBackend,
  type Unavailable,
} from "@sconce/device-runtime";
import { countText } from "@sconce/errors";
import { detectFeatures, type Features } from "@sconce/wasm";
import { WasmDevice } from "../device/device.js";
import { noWasm } from "../device/errors.js";
import type { MemoryOwner } from "../device/wasm-memory.js";
import { kernelsFor, whyNotHeld } from "./kernels.js";
import type { WasmBackendOptions } from "./options.js";

/** Opens the device of one executable. */
export type Open = (owner: MemoryOwner, options: WasmBackendOptions) => WasmDevice | Unavailable;

/** What a backend is made of. */
interface BackendInit {
  readonly name: "wasm" | "auto";
  readonly options: WasmBackendOptions;
  readonly open: Open;
  /** The same backend with other options in place of those that it was not given. */
  readonly withDefaults: (defaults: DeviceBackendOptions) => DeviceBackend;
}

/** Returns the backend on a memory, for all of its executables. */
export function backendOn(owner: MemoryOwner, init: Partial<BackendInit> = {}): DeviceBackend {
  const { name = "wasm", options = {}, open = openDevice } = init;
  const { withDefaults = (defaults) => backendOn(owner, { ...init, options: { ...defaults, ...options } }) } =
    init;
  const kind = {
    name,
    madeBy: `${name}Backend`,
    whyNotHeld,
    open: async () => {
      if (options.memory64 === true && hasWasm())
        owner.widen((await import("../device/wide-memory.js")).wideMemory());
      return open(owner, options);
    },
    withDefaults,
  };
  return deviceBackend(kind, options);
}

/** Opens the device of one executable. @throws SconceError `NO_WASM` */
export function openDevice(
  owner: MemoryOwner,
  { relaxed = true, winograd = 2, cache, memory64 = false }: WasmBackendOptions,
): WasmDevice {
  const found = requireFeatures();
  const features = { ...found, relaxed: found.relaxed && relaxed };
  return new WasmDevice(
    owner,
    kernelsFor({ ...features, winograd }, cache),
    `${modeOf(features)}${memory64 ? ", 64-bit addresses" : ""}`,
    countText(owner.threads, "thread"),
  );
}
const hasWasm = (): boolean =>
  typeof WebAssembly === "object" && detectFeatures().compile && detectFeatures().simd;
/** Returns what kernels run on. */
export const modeOf = ({ relaxed }: Features): string => `WebAssembly with ${relaxed ? "relaxed " : ""}SIMD`;

/** @throws SconceError `NO_WASM` */
export function requireFeatures(): Features {
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
