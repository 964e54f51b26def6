/** @file One stretch of a program on the device: its loops, made kernels for each set of sizes that comes. */
import {
  bindNest,
  bindSizes,
  blockScans,
  hasSizes,
  type LoopNest,
  type LoopProgram,
  sizeOf,
} from "@sconce/codegen";
import { type Bindings, evaluateInt } from "@sconce/symbolic";
import { isFloatDType, type Tensor } from "@sconce/tensor";
import type { Device } from "../device.js";
import { type Range, rangeOfDType } from "../ranges/interval.js";
import { judge, type Verdict } from "../ranges/judge.js";
import { type BoundKernel, type CompileWatch, kernelsOf, readsOf } from "./kernels.js";
import { DeviceValue, Held, isTensor, type RunValue, type Uploads } from "./values.js";
import { type WorkLimit, whyHost } from "./work.js";

/** Sizes whose kernels are kept at the same time. */
const KEPT_SIZES = 16;

/** The region for one set of sizes. */
interface Bound {
  /** The loops, scans of long rows in blocks. */
  readonly loops: LoopProgram;
  /** Why the host is to run it for these sizes. */
  readonly problem: string | undefined;
  readonly nests: readonly LoopNest[];
  readonly kernels: readonly BoundKernel[];
  /** Verdicts by the ranges of integer inputs. */
  readonly verdicts: Map<string, Verdict>;
}
/** What is told while a region runs. */
export interface RegionWatch {
  /** Called before each kernel; may throw to stop the run. */
  step(): Promise<void> | void;
  ran(nests: readonly LoopNest[], milliseconds: number): void;
}

/** Runs one region. */
export class RegionRunner {
  readonly loops: LoopProgram;
  readonly #device: Device;
  readonly #bound = new Map<string, Bound>();
  readonly #read: ReadonlySet<number>;
  readonly #limit: WorkLimit;
  #kernels: number;

  constructor(loops: LoopProgram, device: Device, limit: WorkLimit = device) {
    this.loops = loops;
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
   * @returns its outputs, or the reason why the device cannot compute them from these values
   */
  async run(
    inputs: readonly RunValue[],
    given: Bindings,
    uploads: Uploads,
    watch: RegionWatch,
  ): Promise<readonly RunValue[] | string> {
    const sizes = bindSizes(this.loops, inputs as readonly (Tensor | undefined)[], given);
    const bound = await this.#bind(sizes, { step: watch.step });
    if (bound.problem !== undefined) return bound.problem;
    const verdict = this.#judge(bound, inputs, uploads);
    if (verdict.problem !== undefined) return verdict.problem;
    const held = new Map<number, Held>();
    try {
      await this.#upload(inputs, uploads, held);
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
    { nests, outputs, dead, run }: BoundKernel,
    { buffers }: LoopProgram,
    { ranges }: Verdict,
    held: Map<number, Held>,
    watch: RegionWatch,
  ): Promise<void> {
    await watch.step();
    const start = performance.now();
    const made = await run((id) => held.get(id)!.buffer);
    outputs.forEach((id, at) => {
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
    const nests = loops.nests.map((nest) => bindNest(nest, sizes));
    const problem = whyHost(nests, this.#limit);
    const kernels = problem === undefined ? await kernelsOf(loops, nests, sizes, this.#device, watch) : [];
    return { loops, problem, nests, kernels, verdicts: new Map() };
  }

  /** Whether integers stay exact and indices inside, from what the inputs hold this time. */
  #judge({ loops, nests, verdicts }: Bound, inputs: readonly RunValue[], uploads: Uploads): Verdict {
    const ranges = new Map<number, Range>();
    this.loops.inputs.forEach((id, at) => {
      const value = inputs[at];
      if (id === undefined || !isTensor(value) || !this.#read.has(id)) return;
      const range = uploads.range(value);
      if (!isFloatDType(value.dtype)) ranges.set(id, range);
    });
    const key = [...ranges].map(([id, { low, high }]) => `${id}:${low}:${high}`).join();
    let verdict = verdicts.get(key);
    if (verdict === undefined) {
      verdict = judge(nests, loops, ranges, this.#device.integers);
      if (verdicts.size > 64) verdicts.clear();
      verdicts.set(key, verdict);
    }
    return verdict;
  }
}

/** Buffers that nests read or that are results. */
function readIn({ nests, outputs }: LoopProgram): Set<number> {
  const read = new Set(nests.flatMap((nest) => [...readsOf(nest)]));
  for (const output of outputs) if (output.kind === "buffer") read.add(output.buffer);
  return read;
}
