/** @file One region of a program on the device: its loops become kernels for each set of sizes. */

import {
  bindNest,
  bindSizes,
  blockScans,
  bytesOf,
  hasSizes,
  type LoopNest,
  type LoopProgram,
  type MemoryPlan,
  readsOf,
  sizeOf,
} from "@sconce/codegen";
import { type Bindings, evaluateInt } from "@sconce/symbolic";
import { isFloatDType, type Tensor } from "@sconce/tensor";
import type { Device } from "../device.js";
import { bitsOf } from "../ranges/analyze.js";
import { isBounded, type Range, rangeOfDType } from "../ranges/interval.js";
import { judge, type Verdict } from "../ranges/judge.js";
import { attribute, type Problems, type Reasons } from "./attribution.js";
import { type BoundKernel, type CompileWatch, kernelSteps, kernelsOf } from "./kernels.js";
import { ELEMENT_BYTES, planRegion, type RegionMemory, requireMemory } from "./memory.js";
import { DeviceValue, Held, isTensor, type RunValue, type Uploads } from "./values.js";
import { type WorkLimit, whyTooMuch } from "./work.js";

/** Sizes whose kernels are kept at the same time. */
const KEPT_SIZES = 16;

/** The region for one set of sizes. */
interface Bound {
  /** The loops, scans of long rows in blocks. */
  readonly loops: LoopProgram;
  readonly sizes: Bindings;
  /** Where its values lie, and until when. */
  readonly memory: MemoryPlan;
  /** Nests that are not for the device in these sizes. */
  readonly problems: Problems;
  readonly nests: readonly LoopNest[];
  readonly kernels: readonly BoundKernel[];
  /** By the ranges of inputs. */
  readonly verdicts: Map<string, RegionVerdict>;
}
interface RegionVerdict extends Pick<Verdict, "ranges"> {
  /** Nodes that the host has to compute. */
  readonly refused: Reasons;
}
/** Callbacks that report while a region runs. */
export interface RegionWatch {
  /** Called before each kernel; may throw to stop the run. */
  step(): Promise<void> | void;
  /** Bytes that values of the run take already. */
  readonly inUse: number;
  /** Whether each kernel is waited for, so that its time is its own. */
  readonly isTimed: boolean;
  ran(nests: readonly LoopNest[], milliseconds: number): void;
}

/** Runs one region. */
export class RegionRunner {
  readonly loops: LoopProgram;
  readonly #device: Device;
  readonly #bound = new Map<string, Bound>();
  readonly #read: ReadonlySet<number>;
  readonly #limit: WorkLimit;
  readonly #unfused: () => LoopProgram;
  readonly #memory: RegionMemory;
  #kernels: number;

  /**
   * @param unfused makes the loops of the same region almost unfused, to attribute problems to
   * calls
   */
  constructor(
    loops: LoopProgram,
    device: Device,
    limit: WorkLimit,
    unfused: () => LoopProgram,
    memory: RegionMemory,
  ) {
    this.loops = loops;
    this.#memory = memory;
    this.#unfused = unfused;
    this.#device = device;
    this.#limit = limit;
    this.#read = readIn(loops);
    this.#kernels = loops.nests.length;
  }

  /** Kernels of the last sizes; before there were any, one for each nest. */
  get kernels(): number {
    return this.#kernels;
  }
  /** Whether all sizes are numbers. */
  get isFixed(): boolean {
    const { nests, buffers } = this.loops;
    return (
      !nests.some(hasSizes) && buffers.every(({ shape }) => shape.every(({ terms }) => terms.length === 0))
    );
  }
  /** Makes the kernels for known sizes before the first run. */
  async prepare(sizes: Bindings, watch: CompileWatch): Promise<void> {
    await this.#bind(sizes, watch);
  }

  /**
   * Runs on the values of the region's inputs.
   * @returns its outputs, or the nodes that the device cannot compute from these values and sizes
   */
  async run(
    inputs: readonly RunValue[],
    given: Bindings,
    uploads: Uploads,
    watch: RegionWatch,
  ): Promise<readonly RunValue[] | Reasons> {
    const sizes = bindSizes(this.loops, inputs as readonly (Tensor | undefined)[], given);
    const bound = await this.#bind(sizes, { step: watch.step });
    const verdict = this.#judge(bound, inputs, uploads);
    if (verdict.refused.size > 0) return verdict.refused;
    requireMemory(bound.memory, bound.kernels, this.#memory, watch.inUse);
    const held = new Map<number, Held>();
    try {
      await this.#upload(inputs, uploads, held);
      this.#device.reserve?.(bound.memory.peakBytes);
      for (const one of bound.kernels) await this.#kernel(one, bound.loops, verdict, held, watch);
      return this.loops.outputs.map((output): RunValue => {
        if (output.kind === "constant") return output.value;
        if (output.kind === "size")
          return typeof output.value === "number" ? output.value : evaluateInt(output.value, sizes);
        const shape = output.shape.map((extent) => sizeOf(extent, sizes));
        const { dtype } = this.loops.buffers[output.buffer]!;
        return new DeviceValue(held.get(output.buffer)!.retain(), dtype, shape);
      });
    } finally {
      for (const one of held.values()) one.release();
    }
  }

  async #upload(inputs: readonly RunValue[], uploads: Uploads, held: Map<number, Held>): Promise<void> {
    for (const [at, id] of this.loops.inputs.entries()) {
      const value = inputs[at];
      if (id !== undefined && this.#read.has(id) && isTensor(value)) held.set(id, await uploads.get(value));
    }
  }

  async #kernel(
    { nests, writes, dead, run }: BoundKernel,
    { buffers }: LoopProgram,
    { ranges }: RegionVerdict,
    held: Map<number, Held>,
    watch: RegionWatch,
  ): Promise<void> {
    await watch.step();
    const start = performance.now();
    const made = await run((id) => held.get(id)!.buffer);
    if (watch.isTimed) await this.#device.finish();
    writes.forEach((id, at) => {
      const { dtype } = buffers[id]!;
      held.set(id, new Held(this.#device, made[at]!, ranges.get(id) ?? rangeOfDType(dtype)));
    });
    for (const id of dead) {
      held.get(id)?.release();
      held.delete(id);
    }
    watch.ran(nests, performance.now() - start);
  }

  async #bind(sizes: Bindings, watch: Partial<CompileWatch>): Promise<Bound> {
    const key = [...sizes]
      .map(([name, value]) => `${name}=${value}`)
      .sort()
      .join();
    let bound = this.#bound.get(key);
    if (bound === undefined) {
      bound = await this.#make(sizes, watch);
      this.#bound.set(key, bound);
      if (this.#bound.size > KEPT_SIZES) this.#bound.delete(this.#bound.keys().next().value!);
    }
    this.#kernels = bound.kernels.length;
    return bound;
  }

  async #make(sizes: Bindings, watch: Partial<CompileWatch>): Promise<Bound> {
    const loops = blockScans(this.loops, sizes);
    await watch.step?.();
    const nests: LoopNest[] = [];
    const problems = new Map<LoopNest, string>();
    for (const unbound of loops.nests) {
      const nest = bindNest(unbound, sizes);
      nests.push(nest);
      const problem = this.#problemOf(nest, loops, sizes);
      if (problem !== undefined) problems.set(nest, problem);
      await watch.step?.();
    }
    const steps = problems.size === 0 ? kernelSteps(loops, nests, sizes, this.#device) : [];
    const memory = planRegion(loops, steps, sizes);
    requireMemory(memory, steps, this.#memory, 0);
    const kernels = await kernelsOf(steps, memory, watch);
    return { loops, sizes, memory, problems, nests, kernels, verdicts: new Map() };
  }

  /** What of a nest is too much for the device in these sizes. */
  #problemOf(nest: LoopNest, loops: LoopProgram, sizes: Bindings): string | undefined {
    const { maxBytes = Number.POSITIVE_INFINITY } = this.#device;
    const buffers = [...readsOf(nest.value), nest.output].map((id) => loops.buffers[id]!);
    const most = Math.max(...buffers.map((buffer) => bytesOf(buffer, sizes, ELEMENT_BYTES)));
    const tooLarge =
      most > maxBytes
        ? `it takes a buffer of ${most} bytes, the device's largest has ${maxBytes}`
        : undefined;
    return whyTooMuch(nest, this.#limit) ?? tooLarge;
  }

  /** Whether integers stay exact and indices inside, from what the inputs hold this time. */
  #judge(bound: Bound, inputs: readonly RunValue[], uploads: Uploads): RegionVerdict {
    const ranges = new Map<number, Range>();
    this.loops.inputs.forEach((id, at) => {
      const value = inputs[at];
      if (id === undefined || !isTensor(value) || !this.#read.has(id)) return;
      const range = uploads.range(value);
      if (!isFloatDType(value.dtype) || isBounded(range)) ranges.set(id, range);
    });
    const key = [...ranges].map(([id, { low, high }]) => `${id}:${low}:${high}`).join();
    let verdict = bound.verdicts.get(key);
    if (verdict === undefined) {
      verdict = this.#verdict(bound, ranges);
      if (bound.verdicts.size > 64) bound.verdicts.clear();
      bound.verdicts.set(key, verdict);
    }
    return verdict;
  }

  #verdict({ loops, nests, sizes, problems }: Bound, given: ReadonlyMap<number, Range>): RegionVerdict {
    const { integers } = this.#device;
    const { ranges, problems: inexact } = judge(nests, loops, given, integers);
    const alone = (): Problems => {
      // Inputs have the same numbers in both.
      const own = blockScans(this.#unfused(), sizes);
      const bound = own.nests.map((nest) => bindNest(nest, sizes));
      const found = new Map(judge(bound, own, given, integers).problems);
      for (const nest of bound) {
        const problem = this.#problemOf(nest, own, sizes);
        if (problem !== undefined) found.set(nest, problem);
      }
      return found;
    };
    const refused = attribute(new Map([...inexact, ...problems]), alone);
    return { ranges, refused: new Map([...refused, ...this.#unheld(given)]) };
  }

  /** Results that show an input whose integers the device does not hold. */
  #unheld(given: ReadonlyMap<number, Range>): [string, string][] {
    const { low, high } = this.#device.integers;
    return this.loops.outputs.flatMap((output): [string, string][] => {
      const range = output.kind === "buffer" ? given.get(output.buffer) : undefined;
      if (output.kind !== "buffer" || range === undefined || (range.low >= low && range.high <= high))
        return [];
      if (isFloatDType(this.loops.buffers[output.buffer]!.dtype)) return [];
      return [[output.node, `it shows integers beyond ${bitsOf(high)}`]];
    });
  }
}

/** Buffers that nests read or that are results. */
function readIn({ nests, outputs }: LoopProgram): Set<number> {
  const read = new Set(nests.flatMap((nest) => [...readsOf(nest.value)]));
  for (const output of outputs) if (output.kind === "buffer") read.add(output.buffer);
  return read;
}
