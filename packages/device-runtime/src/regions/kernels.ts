/**
 * @file The kernels of a region for one set of sizes: one per nest; nests over the same rows share
 * one.
 */
import {
  type LoopNest,
  type LoopProgram,
  type MemoryPlan,
  type RowGroup,
  readsOf,
  rowGroups,
} from "@sconce/codegen";
import type { Bindings } from "@sconce/symbolic";
import type {
  Device,
  DeviceBuffer,
  GroupKernel,
  KernelDevice,
  KernelSource,
  RegionRequest,
  RegionRun,
  SlotBytes,
} from "../device/device.js";
import { Held } from "../memory/held.js";
import type { KernelStep } from "./kernel-step.js";
import type { OpenSteps } from "./open-steps.js";

/** Drivers compile some side by side. */
const COMPILED_AT_ONCE = 8;

/** The kernels of a region. */
export interface Kernels {
  /** Begins a run on buffers that the caller holds. */
  start(held: Map<number, Held>): KernelsRun;
  /** Returns the source of the kernel of each step. */
  sources(): readonly KernelSource[];
  /** Frees what they keep between runs. */
  dispose(): void;
}
/** One run of the kernels of a region. */
export interface KernelsRun {
  /** Runs the kernel of a step. */
  step(at: number): Promise<void> | void;
  /** Returns the memory of a result; the caller releases it. */
  result(id: number): Held;
  /** Gives back what is not a result. */
  end(): void;
}

/** Callbacks that report progress while kernels are made. */
export interface CompileWatch {
  /** Called before each lot of kernels; may throw to stop. */
  step(): Promise<void> | void;
  /** Called for each kernel with the number of nests that it computes. */
  made(nests: number): void;
}

/**
 * Returns the steps of a region, before any kernel is made.
 * @param nests the program's, with sizes filled in; none if all steps are open
 * @param open steps for all sizes
 */
export function kernelSteps(
  loops: LoopProgram,
  nests: readonly LoopNest[],
  sizes: Bindings,
  device: Device,
  open?: OpenSteps,
): KernelStep[] {
  const isOpen = ({ output }: LoopNest): boolean => open?.outputs.has(output) === true;
  const groups = rowGroups(nests, loops).filter(({ parts }) => !parts.some(({ nest }) => isOpen(nest)));
  const steps = joinedSteps(nests, groups, loops, sizes, device);
  const joined = new Set(steps.flatMap((one) => one.nests));
  for (const rows of groups)
    if (!rows.parts.some(({ nest }) => joined.has(nest)))
      steps.push(...groupStep(rows, loops, sizes, device));
  const inGroups = new Set(steps.flatMap((one) => one.nests));
  steps.push(...(open?.steps ?? []));
  nests.forEach((nest, at) => {
    if (inGroups.has(nest) || isOpen(nest)) return;
    const nodes = [...new Set(nest.nodes)];
    steps.push({ nests: [nest], writes: [nest.output], reads: readsOf(nest.value), at, nodes });
  });
  return steps.sort((a, b) => a.at - b.at);
}

function joinedSteps(
  nests: readonly LoopNest[],
  groups: readonly RowGroup[],
  loops: LoopProgram,
  sizes: Bindings,
  device: Device,
): KernelStep[] {
  const joined = "compileRegion" in device ? device.joinedNests?.(nests, groups, loops, sizes) : undefined;
  return (joined ?? []).map(({ positions, code }) => {
    const [own, at] = [positions.map((position) => nests[position]!), positions.at(-1)!];
    const nodes = [...new Set(own.flatMap((nest) => nest.nodes))];
    return { nests: own, writes: [own.at(-1)!.output], reads: code.reads, at, nodes, rows: code };
  });
}

function groupStep(
  group: RowGroup,
  loops: LoopProgram,
  sizes: Bindings,
  device: Device,
): readonly KernelStep[] {
  const isRegion = "compileRegion" in device;
  const rows = isRegion ? device.rowsCode?.(group, loops, sizes) : device.rowsKernel?.(group, loops, sizes);
  if (rows === undefined) return [];
  const { parts, positions } = group;
  const writes = parts.flatMap(({ isStored, nest }) => (isStored ? [nest.output] : []));
  const nodes = [...new Set(parts.flatMap(({ nest }) => nest.nodes))];
  const [nests, at] = [parts.map(({ nest }) => nest), positions.at(-1)!];
  return [{ nests, writes, reads: rows.reads, at, nodes, rows }];
}

/** What a region is made of. */
interface Request extends RegionRequest {
  readonly steps: readonly KernelStep[];
}

/** Makes the kernels of a region. */
export async function kernelsOf(
  request: Request,
  device: Device,
  watch: Partial<CompileWatch>,
): Promise<Kernels> {
  if (!("compileRegion" in device)) return separateKernels(request, device, watch);
  await watch.step?.();
  const code = await device.compileRegion(request);
  for (const { nests } of request.steps) watch.made?.(nests.length);
  return {
    start: (held) => {
      const run: RegionRun = code.start((id) => held.get(id)!.buffer);
      return {
        step: (at) => run.step(at),
        result: (id) => held.get(id)?.retain() ?? new Held(device, run.result(id)),
        end: () => run.end(),
      };
    },
    sources: () => code.sources.map((source) => ({ language: "kernel", source })),
    dispose: () => code.dispose(),
  };
}

/** One kernel of a device. */
interface SeparateKernel {
  readonly source: KernelSource;
  /** Returns its results in the order of what its step writes. */
  readonly run: (
    buffers: (id: number) => DeviceBuffer,
  ) => readonly DeviceBuffer[] | Promise<readonly DeviceBuffer[]>;
}

async function separateKernels(
  { steps, memory: { dead, places, pieces }, loops, sizes }: Request,
  device: KernelDevice,
  watch: Partial<CompileWatch>,
): Promise<Kernels> {
  const slots: SlotBytes = (id) => pieces[places.get(id)!.piece]!;
  const make = async ({ nests, rows }: KernelStep): Promise<SeparateKernel> => {
    const group = rows as GroupKernel | undefined;
    const made =
      group === undefined
        ? await nestKernel(nests[0]!, loops, { sizes, slots }, device)
        : { run: await group.compile(slots), source: group.source };
    watch.made?.(nests.length);
    return made;
  };
  const made: SeparateKernel[] = [];
  for (let from = 0; from < steps.length; from += COMPILED_AT_ONCE) {
    await watch.step?.();
    made.push(...(await Promise.all(steps.slice(from, from + COMPILED_AT_ONCE).map(make))));
  }
  return {
    start: (held) => new SeparateRun(steps, made, dead, held, device),
    sources: () => made.map(({ source }) => source),
    dispose: () => {
      // The device keeps kernels by their source.
    },
  };
}

async function nestKernel(
  nest: LoopNest,
  loops: LoopProgram,
  options: { readonly sizes: Bindings; readonly slots: SlotBytes },
  device: KernelDevice,
): Promise<SeparateKernel> {
  const kernel = await device.compile(nest, loops, options);
  return {
    source: kernel,
    run: (buffers) => {
      const result = kernel.run(buffers);
      return result instanceof Promise ? result.then((one) => [one]) : [result];
    },
  };
}

/** A run of kernels whose results each take a buffer. */
class SeparateRun implements KernelsRun {
  readonly #steps: readonly KernelStep[];
  readonly #kernels: readonly SeparateKernel[];
  readonly #dead: MemoryPlan["dead"];
  readonly #held: Map<number, Held>;
  readonly #device: Device;

  constructor(
    steps: readonly KernelStep[],
    kernels: readonly SeparateKernel[],
    dead: MemoryPlan["dead"],
    held: Map<number, Held>,
    device: Device,
  ) {
    this.#steps = steps;
    this.#kernels = kernels;
    this.#dead = dead;
    this.#held = held;
    this.#device = device;
  }

  step(at: number): Promise<void> | void {
    const made = this.#kernels[at]!.run((id) => this.#held.get(id)!.buffer);
    if (made instanceof Promise) return made.then((results) => this.#take(at, results));
    this.#take(at, made);
  }
  #take(at: number, results: readonly DeviceBuffer[]): void {
    this.#steps[at]!.writes.forEach((id, i) => {
      this.#held.set(id, new Held(this.#device, results[i]!));
    });
    for (const id of this.#dead[at]!) {
      this.#held.get(id)?.release();
      this.#held.delete(id);
    }
  }
  result(id: number): Held {
    return this.#held.get(id)!.retain();
  }
  end(): void {
    // The caller releases what is held.
  }
}
