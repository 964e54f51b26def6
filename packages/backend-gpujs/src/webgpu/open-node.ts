/// <reference types="node" />
/**
 * @file Opens WebGPU devices in Node, through Dawn in the `webgpu` package. Pages get `open.ts` in
 * its place, by `#webgpu`.
 */
import { isSconceError } from "@sconce/errors";
import { noWebgpu } from "../device/webgpu-errors.js";
import { type OpenWebgpuOptions, openOn } from "./open.js";
import type { WgslDevice } from "./wgsl-device.js";

/** Where Debian's Chromium has SwiftShader, a Vulkan driver in software. */
const SWIFTSHADER = ["/usr/lib/chromium/vk_swiftshader_icd.json"];
const FIX_ADAPTER =
  "install a Vulkan 1.1 driver and loader (libvulkan1); in software: apt-get install chromium libvulkan1, set " +
  "VK_ICD_FILENAMES=/usr/lib/chromium/vk_swiftshader_icd.json and allow software adapters (Debian 12's llvmpipe is too old)";

/** The part of the `webgpu` package that is used. */
interface DawnPackage {
  create(options: readonly string[]): GPU;
  readonly globals: object;
}

/** Dawn keeps its instance for the life of the process, as a browser does. */
let dawn: GPU | undefined;

/**
 * Opens a device in Node and sets `navigator.gpu` up, which gpu.js looks for.
 *
 * @throws SconceError `NO_WEBGPU`, which says what to install
 */
export async function openWebgpuNode(options: OpenWebgpuOptions = {}): Promise<WgslDevice> {
  const { create, globals } = await loadDawn();
  // Without a driver Dawn itself writes warnings to standard error, so it is not asked then.
  if (!hasVulkanDriver() && !(options.allowSoftware === true && nameSoftwareDriver()))
    throw noWebgpu("there is no Vulkan driver", FIX_ADAPTER);
  dawn ??= publish(create([]), globals);
  try {
    return await openOn(dawn, options, FIX_ADAPTER);
  } catch (error) {
    if (options.allowSoftware !== true || !isSconceError(error, "NO_WEBGPU") || !nameSoftwareDriver())
      throw error;
    dawn = publish(create([]), globals);
    return openOn(dawn, options, FIX_ADAPTER);
  }
}

const files = (): typeof import("node:fs") => process.getBuiltinModule("node:fs");
/** Returns what names drivers to the Vulkan loader in place of its folders, or beside them. */
const namedDrivers = ({ env } = process): string | undefined =>
  env["VK_ICD_FILENAMES"] ?? env["VK_DRIVER_FILES"] ?? env["VK_ADD_DRIVER_FILES"];

/**
 * Where the Vulkan loader looks for drivers on Linux (LoaderDriverInterface.md, "Driver Discovery
 * on Linux").
 */
function driverFolders(): string[] {
  const { env } = process;
  const home = env["HOME"] ?? "";
  const roots = [
    env["XDG_CONFIG_HOME"] ?? `${home}/.config`,
    env["XDG_CONFIG_DIRS"] ?? "/etc/xdg",
    "/etc",
    "/usr/local/etc",
    env["XDG_DATA_HOME"] ?? `${home}/.local/share`,
    env["XDG_DATA_DIRS"] ?? "/usr/local/share:/usr/share",
  ];
  return roots.flatMap((root) => root.split(":")).map((root) => `${root}/vulkan/icd.d`);
}
const hasVulkanDriver = (): boolean =>
  process.platform !== "linux" ||
  namedDrivers() !== undefined ||
  driverFolders().some((folder) => files().existsSync(folder) && files().readdirSync(folder).length > 0);

/**
 * Names a software driver that is there to the Vulkan loader, unless one was named; whether it
 * did.
 */
function nameSoftwareDriver(): boolean {
  const driver = SWIFTSHADER.find((path) => files().existsSync(path));
  if (process.platform !== "linux" || process.env["VK_ICD_FILENAMES"] !== undefined || driver === undefined)
    return false;
  process.env["VK_ICD_FILENAMES"] = driver;
  return true;
}

async function loadDawn(): Promise<DawnPackage> {
  try {
    return (await import("webgpu" as string)) as DawnPackage;
  } catch (error) {
    const message = error instanceof Error ? error.message.split("\n")[0]! : String(error);
    const fix = /GLIBC/.test(message)
      ? "install webgpu 0.6.2 or later, which this system's C library can load"
      : "npm install webgpu";
    throw noWebgpu(`the webgpu package does not load: ${message}`, fix, error);
  }
}

/** Returns what a page has from the start. */
function publish(gpu: GPU, globals: object): GPU {
  Object.assign(globalThis, globals);
  const value = typeof navigator === "undefined" ? {} : navigator;
  Object.defineProperty(value, "gpu", { value: gpu, configurable: true, writable: true });
  Object.defineProperty(globalThis, "navigator", { value, configurable: true, writable: true });
  return gpu;
}
