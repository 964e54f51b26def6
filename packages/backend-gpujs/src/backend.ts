import {
  DEVICE_OPTIONS,
  type DeviceBackend,
  type DeviceBackendOptions,
  deviceBackend,
} from "@sconce/device-runtime";
import { checkOptions, type OptionNames } from "@sconce/errors";
import { unknownMode } from "./device/errors.js";
import type { Mode } from "./device/mode.js";
import { whyNotHeld } from "./emit/refusals.js";
import { MODES, type OpenOptions, openDevice } from "./modes.js";
import { whyNoLane } from "./webgpu/support.js";

/** Options of {@link gpujsBackend}. */
export interface GpujsBackendOptions extends OpenOptions, DeviceBackendOptions {}

const OPTIONS: OptionNames<GpujsBackendOptions> = {
  ...DEVICE_OPTIONS,
  mode: true,
  allowSoftware: true,
  gpujs: true,
  pointwise: true,
  devices: true,
};

/** A backend that also reports which nodes its device takes. */
export type GpujsBackend = DeviceBackend;

/**
 * Runs programs on gpu.js. Nodes that lower to loops run in kernels, the others run on the host;
 * the executable reports the placement of each node. Results agree with the interpreter's within
 * float32 rounding; integers are exact or go to the host.
 */
export function gpujsBackend(options: GpujsBackendOptions = {}): GpujsBackend {
  checkOptions("gpujsBackend", options, OPTIONS);
  return deviceBackend(
    {
      name: "gpujs",
      madeBy: "gpujsBackend",
      whyNotHeld: options.mode === "webgpu" ? whyNoLane : whyNotHeld,
      open: () => openDevice(options),
      // What was given by hand stays.
      withDefaults: (defaults) => gpujsBackend({ ...defaults, ...options }),
    },
    options,
  );
}

/**
 * Returns the backend by a name as commands take it: `gpujs`, or `gpujs:webasm` for one mode;
 * undefined for other names.
 */
export function gpujsByName(name: string): GpujsBackend | undefined {
  const [kind, mode, ...rest] = name.split(":");
  if (kind !== "gpujs" || rest.length > 0) return undefined;
  if (mode === undefined) return gpujsBackend({ name });
  if (!MODES.some((known) => known === mode)) throw unknownMode(mode, MODES);
  return gpujsBackend({ name, mode: mode as Mode });
}
