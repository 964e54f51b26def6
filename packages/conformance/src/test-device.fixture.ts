/** @file A WebGPU device for tests, in software where there is no hardware. */
import type { WgslDevice } from "@sconce/backend-gpujs/webgpu";
import { openWebgpuNode } from "@sconce/backend-gpujs/webgpu-node";
import { isSconceError } from "@sconce/errors";

/** Returns a device, or undefined after a line that says why tests are skipped. */
export async function openTestDevice(asHardware = false): Promise<WgslDevice | undefined> {
  try {
    return await openWebgpuNode({ allowSoftware: true, asHardware });
  } catch (error) {
    if (!isSconceError(error, "NO_WEBGPU")) throw error;
    console.warn(`WebGPU tests are skipped: ${error.message}; ${error.fix}`);
    return undefined;
  }
}

/** Returns whether mode `webgpu` runs here; a line says why not. */
export async function hasWebgpu(): Promise<boolean> {
  const device = await openTestDevice();
  await device?.dispose();
  return device !== undefined;
}
