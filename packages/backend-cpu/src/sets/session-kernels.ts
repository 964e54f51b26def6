/** @file The kernels of a session in a page: most are loaded when a program needs them. */
import { basicSet } from "./basic.js";
import type { KernelSet } from "./kernel-set.js";
import { NAMES } from "./names.js";
import { kernelsOnDemand, type Part } from "./on-demand.js";

const part = (names: string, load: Part["load"]): Part => ({ targets: targetsIn(names), load });

/** Reads a list of {@link NAMES}. */
const targetsIn = (names: string): readonly string[] =>
  names
    .trim()
    .split(/\s+/)
    .map((name) => {
      if (name.startsWith("quantized_decomposed.")) return name;
      return `aten.${name}${name.includes(".") ? "" : ".default"}`;
    });

/** The parts are imported one by one: bundlers make a file of each. */
export const SESSION_KERNELS: KernelSet = kernelsOnDemand(basicSet, [
  part(NAMES.common, async () => (await import("./common.js")).commonSet),
  part(NAMES.special, async () => (await import("./special.js")).specialSet),
]);
