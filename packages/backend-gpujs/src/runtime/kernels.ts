/**
 * @file The kernels of a region for one set of sizes: one per nest; nests over the same rows share
 * one.
 */
import { type LoopNest, type LoopProgram, type RowGroup, readsOf, rowGroups } from "@sconce/codegen";
import type { Bindings } from "@sconce/symbolic";
import type { Device, DeviceBuffer } from "../device.js";

/** Drivers compile some side by side. */
const COMPILED_AT_ONCE = 8;

/** A kernel of one nest or of several. */
export interface BoundKernel {
  /** In the program's order. */
  readonly nests: readonly LoopNest[];
  /** Buffers that it gives, in the order of its results. */
  readonly outputs: readonly number[];
  /** Buffers that nothing reads after it. */
  readonly dead: readonly number[];
  run(buffers: (id: number) => DeviceBuffer): Results | Promise<Results>;
}
type Results = readonly DeviceBuffer[];
/** A kernel, the buffers that it reads, and the nest at whose place in the program it runs. */
type Placed = Omit<BoundKernel, "dead"> & { readonly reads: ReadonlySet<number>; readonly at: number };

/** Callbacks that report progress while kernels are made. */
export interface CompileWatch {
  /** Called before each lot of kernels; may throw to stop. */
  step(): Promise<void> | void;
  /** Called for each kernel with the number of nests that it computes. */
  made(nests: number): void;
}

/** @param nests the program's, with sizes filled in */
export async function kernelsOf(
  loops: LoopProgram,
  nests: readonly LoopNest[],
  sizes: Bindings,
  device: Device,
  watch: Partial<CompileWatch>,
): Promise<BoundKernel[]> {
  const placed = await groupKernels(loops, nests, device, watch);
  const inGroups = new Set(placed.flatMap((one) => one.nests));
  const single = nests.map((nest, at) => ({ nest, at })).filter(({ nest }) => !inGroups.has(nest));
  const compile = async ({ nest, at }: (typeof single)[number]): Promise<Placed> => {
    const kernel = await device.compile(loops.nests[at]!, loops, { sizes });
    watch.made?.(1);
    const run: BoundKernel["run"] = (buffers) => {
      const result = kernel.run(buffers);
      return result instanceof Promise ? result.then((one) => [one]) : [result];
    };
    return { nests: [nest], outputs: [nest.output], reads: readsOf(nest.value), at, run };
  };
  for (let from = 0; from < single.length; from += COMPILED_AT_ONCE) {
    await watch.step?.();
    placed.push(...(await Promise.all(single.slice(from, from + COMPILED_AT_ONCE).map(compile))));
  }
  return withDead(
    placed.sort((a, b) => a.at - b.at),
    loops,
  );
}

async function groupKernels(
  loops: LoopProgram,
  nests: readonly LoopNest[],
  device: Device,
  watch: Partial<CompileWatch>,
): Promise<Placed[]> {
  if (device.compileRows === undefined) return [];
  const made = rowGroups(nests, loops).map(async (group: RowGroup): Promise<Placed[]> => {
    const kernel = await device.compileRows?.(group, loops);
    if (kernel === undefined) return [];
    const { parts, positions } = group;
    watch.made?.(parts.length);
    return [
      {
        nests: parts.map(({ nest }) => nest),
        outputs: parts.flatMap(({ isStored, nest }) => (isStored ? [nest.output] : [])),
        reads: new Set(kernel.reads),
        at: positions.at(-1)!,
        run: (buffers) => kernel.run(buffers),
      },
    ];
  });
  return (await Promise.all(made)).flat();
}

function withDead(kernels: readonly Placed[], { outputs }: LoopProgram): BoundKernel[] {
  const last = new Map<number, number>();
  kernels.forEach((kernel, at) => {
    for (const id of [...kernel.outputs, ...kernel.reads]) last.set(id, at);
  });
  // Results live on.
  for (const output of outputs) if (output.kind === "buffer") last.delete(output.buffer);
  const dead = kernels.map((): number[] => []);
  for (const [id, at] of last) dead[at]!.push(id);
  return kernels.map((kernel, at) => ({ ...kernel, dead: dead[at]! }));
}
