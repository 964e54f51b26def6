/**
 * @file Opens WebGPU devices: the one that gpu.js uses where it is loaded, so that buffers are
 * common.
 */
import { checkOptions, isSconceError, type OptionNames } from "@sconce/errors";
import { SOFTWARE } from "../device/mode.js";
import { noWebgpu } from "../device/webgpu-errors.js";
import { type OpenedGpu, WgslDevice } from "./wgsl-device.js";

/** The part of gpu.js that holds its device. */
export interface GpuJsContext {
  /** The holder of gpu.js's device, which counts its users. */
  readonly WebGPUContext: {
    acquire(): Promise<{ readonly adapter: GPUAdapter; readonly device: GPUDevice }>;
    destroy(): Promise<void>;
  };
}

/** Which WebGPU device is opened. */
export interface OpenWebgpuOptions {
  /** Whether an adapter will do that computes on the processor. */
  readonly allowSoftware?: boolean;
  /**
   * Takes a software adapter for hardware, so that what is made for GPUs can be tried without one.
   */
  readonly asHardware?: boolean;
  /** gpu.js, whose device is shared; without it a device of our own is opened. */
  readonly gpujs?: GpuJsContext | undefined;
}

const OPEN: OptionNames<OpenWebgpuOptions> = { allowSoftware: true, asHardware: true, gpujs: true };

const FIX_PAGE =
  "use a browser with WebGPU (Chromium, on Linux with Vulkan), or the webgl2, webasm or cpu mode of the backend";

/**
 * Limits that are raised to what the adapter has: WebGPU's defaults are far below what graphs need.
 */
const RAISED = [
  "maxStorageBuffersPerShaderStage",
  "maxStorageBufferBindingSize",
  "maxBufferSize",
  "maxComputeWorkgroupStorageSize",
  "maxComputeInvocationsPerWorkgroup",
  "maxComputeWorkgroupSizeX",
] as const;

/**
 * Opens the device of a page.
 *
 * @throws SconceError `NO_WEBGPU`
 */
export async function openWebgpu(options: OpenWebgpuOptions = {}): Promise<WgslDevice> {
  const gpu = typeof navigator === "undefined" ? undefined : (navigator as { readonly gpu?: GPU }).gpu;
  if (gpu === undefined) throw noWebgpu("navigator.gpu is missing", FIX_PAGE);
  return openOn(gpu, options, FIX_PAGE);
}

/** Opens a device of an implementation of WebGPU. */
export async function openOn(gpu: GPU, options: OpenWebgpuOptions, fix: string): Promise<WgslDevice> {
  checkOptions("openWebgpu", options, OPEN);
  const adapter = await gpu.requestAdapter({ powerPreference: "high-performance" });
  if (adapter === null) throw noWebgpu("requestAdapter() found no adapter", fix);
  const { info } = adapter;
  const name = [info.vendor, info.architecture, info.device, info.description].filter(Boolean).join(" ");
  const isSoftware = isFallback(adapter) || SOFTWARE.test(name);
  if (isSoftware && options.allowSoftware !== true)
    throw noWebgpu(
      `the only adapter computes in software (${name})`,
      "allow software adapters, or use another mode of the backend, which is quicker then",
    );
  const description = `${name || "an adapter without a name"}${isSoftware ? " (software)" : ""}`;
  try {
    const { device, close } = await (options.gpujs === undefined
      ? ownDevice(adapter)
      : sharedDevice(options.gpujs, adapter));
    return new WgslDevice({
      device,
      close,
      description,
      isSoftware: isSoftware && options.asHardware !== true,
    });
  } catch (error) {
    if (isSconceError(error)) throw error;
    throw noWebgpu(error instanceof Error ? error.message : String(error), fix, error);
  }
}
/** Returns whether an adapter is a fallback. The flag moved from the adapter to its info. */
const isFallback = (adapter: GPUAdapter): boolean =>
  adapter.info.isFallbackAdapter === true ||
  (adapter as { readonly isFallbackAdapter?: boolean }).isFallbackAdapter === true;

const limitsOf = ({ limits }: GPUAdapter): Record<string, number> =>
  Object.fromEntries(RAISED.map((name) => [name, limits[name]]));

type Opened = Pick<OpenedGpu, "device" | "close">;

async function ownDevice(adapter: GPUAdapter): Promise<Opened> {
  const device = await adapter.requestDevice({ requiredLimits: limitsOf(adapter) });
  return {
    device,
    close: async () => {
      device.destroy();
      await device.lost;
    },
  };
}

/**
 * gpu.js's device. It asks `navigator.gpu` for one with larger buffers and nothing else, so what it
 * asks goes through the adapter given here, with all limits raised.
 */
async function sharedDevice({ WebGPUContext }: GpuJsContext, adapter: GPUAdapter): Promise<Opened> {
  const restore = answerRequests({
    requestAdapter: async () => ({
      limits: adapter.limits,
      requestDevice: () => adapter.requestDevice({ requiredLimits: limitsOf(adapter) }),
    }),
  });
  try {
    const { device } = await WebGPUContext.acquire();
    return {
      device,
      close: () =>
        WebGPUContext.destroy()
          .then(() => device.lost)
          .then(() => undefined),
    };
  } finally {
    restore();
  }
}

/** Puts something else in the place of `navigator.gpu` for a while. */
function answerRequests(gpu: object): () => void {
  const own = Object.getOwnPropertyDescriptor(navigator, "gpu");
  Object.defineProperty(navigator, "gpu", { value: gpu, configurable: true, writable: true });
  return () => {
    if (own === undefined) delete (navigator as { gpu?: unknown }).gpu;
    else Object.defineProperty(navigator, "gpu", own);
  };
}
