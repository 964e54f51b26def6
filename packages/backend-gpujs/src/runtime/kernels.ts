/**
 * @file The kernels of a region for one set of sizes: one per nest; nests over the same rows share
 * one.
 */
import {
  type LoopNest,
  type LoopProgram,
  type MemoryPlan,
  type MemoryStep,
  readsOf,
  rowGroups,
} from "@sconce/codegen";
import type { Bindings } from "@sconce/symbolic";
import type { Device, DeviceBuffer, SlotBytes } from "../device/device.js";

/** Drivers compile some side by side. */
const COMPILED_AT_ONCE = 8;

type Run = (
  buffers: (id: number) => DeviceBuffer,
) => readonly DeviceBuffer[] | Promise<readonly DeviceBuffer[]>;

/** What one kernel computes: a nest, or nests over the same rows. */
export interface KernelStep extends MemoryStep {
  /** In the program's order. */
  readonly nests: readonly LoopNest[];
  /** The nest at whose place in the program it runs. */
  readonly at: number;
  compile(slots: SlotBytes): Promise<Run>;
}
/** A kernel of one nest or of several. Its results are in the order of `writes`. */
export interface BoundKernel extends KernelStep {
  /** Buffers that nothing uses after it. */
  readonly dead: readonly number[];
  readonly run: Run;
}

/** Callbacks that report progress while kernels are made. */
export interface CompileWatch {
  /** Called before each lot of kernels; may throw to stop. */
  step(): Promise<void> | void;
  /** Called for each kernel with the number of nests that it computes. */
  made(nests: number): void;
}

/**
 * The steps of a region, before any kernel is made.
 * @param nests the program's, with sizes filled in
 */
export function kernelSteps(
  loops: LoopProgram,
  nests: readonly LoopNest[],
  sizes: Bindings,
  device: Device,
): KernelStep[] {
  const steps = device.rowsKernel === undefined ? [] : groupSteps(loops, nests, sizes, device);
  const inGroups = new Set(steps.flatMap((one) => one.nests));
  nests.forEach((nest, at) => {
    if (inGroups.has(nest)) return;
    const compile = async (slots: SlotBytes): Promise<Run> => {
      const kernel = await device.compile(nest, loops, { sizes, slots });
      return (buffers) => {
        const result = kernel.run(buffers);
        return result instanceof Promise ? result.then((one) => [one]) : [result];
      };
    };
    steps.push({ nests: [nest], writes: [nest.output], reads: readsOf(nest.value), at, compile });
  });
  return steps.sort((a, b) => a.at - b.at);
}

const groupSteps = (
  loops: LoopProgram,
  nests: readonly LoopNest[],
  sizes: Bindings,
  device: Device,
): KernelStep[] =>
  rowGroups(nests, loops).flatMap((group): KernelStep[] => {
    const kernel = device.rowsKernel?.(group, loops, sizes);
    if (kernel === undefined) return [];
    const { parts, positions } = group;
    const writes = parts.flatMap(({ isStored, nest }) => (isStored ? [nest.output] : []));
    return [{ ...kernel, nests: parts.map(({ nest }) => nest), writes, at: positions.at(-1)! }];
  });

/** Makes the kernels of steps. */
export async function kernelsOf(
  steps: readonly KernelStep[],
  { dead, places, pieces }: MemoryPlan,
  watch: Partial<CompileWatch>,
): Promise<BoundKernel[]> {
  const slots = (id: number): number => pieces[places.get(id)!.piece]!;
  const made: BoundKernel[] = [];
  const make = async (step: KernelStep, at: number): Promise<BoundKernel> => {
    const run = await step.compile(slots);
    watch.made?.(step.nests.length);
    return { ...step, run, dead: dead[at]! };
  };
  for (let from = 0; from < steps.length; from += COMPILED_AT_ONCE) {
    await watch.step?.();
    const lot = steps.slice(from, from + COMPILED_AT_ONCE);
    made.push(...(await Promise.all(lot.map((step, i) => make(step, from + i)))));
  }
  return made;
}
