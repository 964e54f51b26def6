/** @file Scans as the device runs them. */
import { blockScans, type LoopProgram } from "@sconce/codegen";
import type { Bindings } from "@sconce/symbolic";
import type { Device } from "../device/device.js";

/** Scans of long rows in blocks, but on devices that take each row in one pass. */
export const scansFor = (
  { target }: Pick<Device, "target">,
  loops: LoopProgram,
  sizes?: Bindings,
): LoopProgram => (target.threads === "units" ? loops : blockScans(loops, sizes));
