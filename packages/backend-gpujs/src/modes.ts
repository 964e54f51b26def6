/** @file Selects and opens a mode of gpu.js. */

import type { Device } from "@sconce/device-runtime";
import { isSconceError } from "@sconce/errors";
import { openPlatform } from "#webgpu";
import { noMode, unknownMode } from "./device/errors.js";
import type { Mode } from "./device/mode.js";
import { GpujsDevice } from "./gpujs/device.js";
import { type GpujsLibrary, loadGpujs } from "./gpujs/library.js";
import { whyForbidden } from "./gpujs/policy.js";
import { sharedGl } from "./gpujs/shared-gl.js";
import { Translator } from "./gpujs/translator.js";
import type { WgslDevice } from "./webgpu/wgsl-device.js";

/** All modes that a user can ask for. */
export const MODES: readonly Mode[] = ["webgpu", "webgl2", "webasm", "cpu", "headlessgl"];
/** Tried in this order where no mode is asked for: GPUs first, `headlessgl` never. */
const ORDER: readonly Mode[] = ["webgpu", "webgl2", "webasm", "cpu"];

/** Opens a device of one mode, or reports why it is not available. */
export type OpenDevice = () => Promise<Device | Unavailable>;

/** Why there is no device. */
interface Unavailable {
  readonly unavailable: string;
  /** Whether the content security policy of the page is why. */
  readonly isForbidden?: boolean;
}

/** Which device `openDevice` opens. */
export interface OpenOptions {
  /** The mode to run in; the best that is there when left out. */
  readonly mode?: Mode | undefined;
  /**
   * Whether a GPU that computes in software will do; when left out, only for a mode that is asked
   * for.
   */
  readonly allowSoftware?: boolean | undefined;
  /** Loads gpu.js, for bundlers that need an explicit import. */
  readonly gpujs?: (() => Promise<unknown>) | undefined;
  /**
   * What computes plain pointwise nests on \`webgpu\`: gpu.js (the default, where it is there) or
   * WGSL of our own.
   */
  readonly pointwise?: "gpu.js" | "wgsl" | undefined;
  /** Devices in place of gpu.js's own, by mode. */
  readonly devices?: Partial<Record<Mode, OpenDevice>> | undefined;
}

/**
 * Opens the device of a mode, or the best there is. Where no mode is asked for, and the content
 * security policy of the page forbids those that there are, the reasons are the result.
 * @throws SconceError `NO_GPUJS`, `NO_GPU_MODE`, `UNKNOWN_GPU_MODE`
 */
export async function openDevice(options: OpenOptions): Promise<Device | Unavailable> {
  const { mode } = options;
  if (mode !== undefined) return openMode(mode, options);
  const reasons: string[] = [];
  let isForbidden = false;
  for (const one of ORDER) {
    const found = await open(one, options);
    if (!("unavailable" in found) && (options.allowSoftware === true || !isSoftware(found))) return found;
    if (!("unavailable" in found)) await found.dispose();
    else isForbidden ||= found.isForbidden === true;
    reasons.push(`${one}: ${"unavailable" in found ? found.unavailable : "no hardware behind it"}`);
  }
  if (isForbidden) return { unavailable: reasons.join("; "), isForbidden };
  throw noMode("any", reasons.join("; "), fixOf("webasm"));
}

/** @throws SconceError `NO_GPUJS`, `NO_GPU_MODE`, `UNKNOWN_GPU_MODE` */
async function openMode(mode: Mode, options: OpenOptions): Promise<Device> {
  if (!MODES.includes(mode)) throw unknownMode(mode, MODES);
  const found = await open(mode, options);
  if ("unavailable" in found) throw noMode(mode, found.unavailable, fixOf(mode, found));
  return found;
}

/** Whether a mode of gpu.js runs here. */
export interface ModeReport {
  readonly mode: Mode;
  /** The device that runs it; undefined where it does not run. */
  readonly device?: string;
  /** Whether it runs without a GPU. */
  readonly isSoftware?: boolean;
  /** Why it does not run. */
  readonly reason?: string;
  /** How to get it. */
  readonly fix?: string;
}

/** Opens each mode once, and reports which run here and what the others lack. */
export async function reportModes(options: Omit<OpenOptions, "mode"> = {}): Promise<ModeReport[]> {
  const reports: ModeReport[] = [];
  for (const mode of MODES) {
    try {
      const device = await openMode(mode, { ...options, mode });
      const { description } = device;
      await device.dispose();
      reports.push({ mode, device: description, isSoftware: isSoftware(device) || !GPU_MODES.has(mode) });
    } catch (error) {
      if (!isSconceError(error)) throw error;
      reports.push({ mode, reason: error.message, fix: error.fix });
    }
  }
  return reports;
}

const GPU_MODES: ReadonlySet<Mode> = new Set(["webgpu", "webgl2", "headlessgl"]);

async function open(mode: Mode, options: OpenOptions): ReturnType<OpenDevice> {
  const own = options.devices?.[mode];
  if (own !== undefined) return own();
  if (mode === "webgpu") return openGpu(options);
  const library = await loadGpujs(options.gpujs);
  const why = whyNot(mode, library);
  if (why !== undefined) return { unavailable: why };
  const forbidden = whyForbidden(mode);
  if (forbidden !== undefined) return { unavailable: forbidden, isForbidden: true };
  if (mode !== "webgl2") return new GpujsDevice(library, mode, `gpu.js ${mode}`);
  const gl = sharedGl(library);
  if (gl === undefined) return { unavailable: "the browser gives no WebGL 2 context" };
  return new GpujsDevice(library, mode, `gpu.js ${mode} on ${gl.renderer}`, gl);
}
/** From the description of the device; WebAssembly and plain JavaScript are software anyway. */
const isSoftware = ({ description }: Device): boolean => description.endsWith("(software)");

/**
 * GPU devices that are open: one serves all programs, since each costs threads and memory until the
 * process ends.
 */
const opened = new Map<boolean, Promise<WgslDevice>>();

/** WebGPU, in software only when it was asked for. */
async function openGpu({
  mode,
  gpujs,
  pointwise,
  allowSoftware = mode === "webgpu",
}: OpenOptions): ReturnType<OpenDevice> {
  let device = opened.get(allowSoftware);
  // While one was waited for another may have been opened in its place.
  while (device !== undefined && (await device.catch(() => undefined))?.isLost !== false) {
    if (opened.get(allowSoftware) === device) opened.delete(allowSoftware);
    device = opened.get(allowSoftware);
  }
  if (device === undefined) {
    // By its import the platform's class is the built one, to the compiler another than the
    // source's.
    device = openPlatform({ allowSoftware }) as Promise<unknown> as Promise<WgslDevice>;
    opened.set(allowSoftware, device);
  }
  try {
    return (await device).share(pointwise === "wgsl" ? undefined : await translatorOf(gpujs));
  } catch (error) {
    opened.delete(allowSoftware);
    if (!isSconceError(error, "NO_WEBGPU")) throw error;
    return { unavailable: `${error.message}; ${error.fix}` };
  }
}

/** By how gpu.js is loaded. */
const translators = new WeakMap<() => Promise<unknown>, Promise<Translator | undefined>>();

/** gpu.js's compiler; without gpu.js all kernels are WGSL of our own. */
function translatorOf(gpujs: OpenOptions["gpujs"]): Promise<Translator | undefined> {
  const key = gpujs ?? loadGpujs;
  let translator = translators.get(key);
  if (translator === undefined) {
    translator = loadGpujs(gpujs).then(Translator.of, () => undefined);
    translators.set(key, translator);
  }
  return translator;
}

function whyNot(mode: Exclude<Mode, "webgpu">, { GPU }: GpujsLibrary): string | undefined {
  switch (mode) {
    case "webgl2":
      return GPU.isWebGL2Supported ? undefined : "there is no WebGL 2, which is for pages";
    case "headlessgl":
      return GPU.isHeadlessGLSupported ? undefined : "the package gl or a display is missing";
    case "webasm":
      return typeof WebAssembly === "object" ? undefined : "there is no WebAssembly";
    case "cpu":
      return undefined;
  }
}
const FIXES: Readonly<Partial<Record<Mode, string>>> = {
  webgpu:
    "in Node install webgpu and a Vulkan driver, in a browser use one with WebGPU; or take the mode webasm",
  webgl2: "open a page in a browser with WebGL 2; in Node take the mode webgpu or webasm",
  headlessgl: "install the package gl, and run with a display (`xvfb-run`); or take the mode webasm or cpu",
};
const fixOf = (mode: Mode, { isForbidden = false }: Partial<Unavailable> = {}): string =>
  isForbidden
    ? "allow it in the policy, or take the mode webgpu or webgl2, which need no directive, or the backend cpu"
    : (FIXES[mode] ?? "take the mode webasm or cpu, which run everywhere");
