/**
 * @file Which nests are too much work for kernels. A kernel computes each element separately: in a
 * scan, a sort or a scatter each element reads all others or all sources. The host reads each of
 * them once, so it runs the long ones.
 */
import { type LoopNest, outerReductions, volumeOf } from "@sconce/codegen";
import type { Device } from "../device/device.js";

/** The limit of work on the device. */
export type WorkLimit = Pick<Device, "iterationsPerElement" | "iterationsOf">;

/** Returns the device's measure, or the one that was asked for. */
export const limitOf = (
  device: WorkLimit,
  iterationsPerElement = device.iterationsPerElement,
): WorkLimit => ({
  iterationsPerElement,
  iterationsOf: (nest) => device.iterationsOf?.(nest),
});

/**
 * Elements that the host computes in the time that it takes to go there and back, some tenths of a
 * millisecond.
 */
const DETOUR = 8192;

/** Elements of a nest, and iterations of the inner loops for each. */
interface Iterations {
  readonly elements: number;
  readonly each: number;
}
function iterationsOf({ axes, value }: LoopNest): Iterations {
  const each = [...outerReductions(value)].reduce((total, reduce) => total + volumeOf(reduce.axes), 0);
  return { elements: volumeOf(axes), each };
}
const totalIterations = ({ elements, each }: Iterations): number => elements * Math.max(1, each);

/** Returns why a nest of known sizes is the host's; undefined for those that are the device's. */
export function whyTooMuch(nest: LoopNest, limit: WorkLimit): string | undefined {
  const { kind } = nest.hint ?? {};
  if (kind === undefined || kind === "contraction" || kind === "fourier") return undefined;
  const iterations = iterationsOf(nest);
  const { elements, each } = iterations;
  const taken = limit.iterationsOf?.(nest) ?? totalIterations(iterations);
  // Without elements there is no number of iterations.
  if (!(taken > limit.iterationsPerElement * (elements + each + DETOUR))) return undefined;
  return `${elements} elements read ${each} others each: ${count(taken)} iterations of a kernel; the host reads each once`;
}

const count = (total: number): string => (total < 1e6 ? String(Math.round(total)) : total.toExponential(1));
