/** @file One stretch of a program on the device: its loops, made kernels for each set of sizes that comes. */
import {
  bindNest,
  bindSizes,
  forEachScalar,
  hasSizes,
  type LoopNest,
  type LoopProgram,
  sizeOf,
} from "@sconce/codegen";
import { type Bindings, evaluateInt } from "@sconce/symbolic";
import { isFloatDType, type Tensor } from "@sconce/tensor";
import type { Device, DeviceKernel } from "../device.js";
import { type Range, rangeOfDType } from "../ranges/interval.js";
import { judge, type Verdict } from "../ranges/judge.js";
import { DeviceValue, Held, isTensor, type RunValue, type Uploads } from "./values.js";

/** Sizes whose kernels are kept at the same time. */
const KEPT_SIZES = 16;
const COMPILED_AT_ONCE = 8;

/** The region for one set of sizes. */
interface Bound {
  readonly sizes: Bindings;
  readonly nests: readonly BoundNest[];
  /** Verdicts by the ranges of integer inputs. */
  readonly verdicts: Map<string, Verdict>;
}
interface BoundNest {
  readonly nest: LoopNest;
  readonly kernel: DeviceKernel;
  /** Buffers that nothing reads after this nest. */
  readonly dead: readonly number[];
}
/** What is told while kernels are made. */
export interface CompileWatch {
  /** Called before each lot of kernels; may throw to stop. */
  step(): Promise<void> | void;
  made(): void;
}
/** What is told while a region runs. */
export interface RegionWatch {
  /** Called before each kernel; may throw to stop the run. */
  step(): Promise<void> | void;
  ran(nest: LoopNest, milliseconds: number): void;
}

/** Runs one region. */
export class RegionRunner {
  readonly loops: LoopProgram;
  readonly #device: Device;
  readonly #bound = new Map<string, Bound>();
  readonly #lastUse: ReadonlyMap<number, number>;

  constructor(loops: LoopProgram, device: Device) {
    this.loops = loops;
    this.#device = device;
    this.#lastUse = lastUses(loops);
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
    const verdict = this.#judge(bound, inputs, uploads);
    if (verdict.problem !== undefined) return verdict.problem;
    const held = new Map<number, Held>();
    try {
      await this.#upload(inputs, uploads, held);
      for (const one of bound.nests) await this.#nest(one, verdict, held, watch);
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
      if (id !== undefined && this.#lastUse.has(id) && isTensor(value))
        held.set(id, await uploads.get(value));
    }
  }

  async #nest(
    { nest, kernel, dead }: BoundNest,
    { ranges }: Verdict,
    held: Map<number, Held>,
    watch: RegionWatch,
  ): Promise<void> {
    await watch.step();
    const start = performance.now();
    const made = await kernel.run((id) => held.get(id)!.buffer);
    const { dtype } = this.loops.buffers[nest.output]!;
    held.set(nest.output, new Held(this.#device, made, ranges.get(nest.output) ?? rangeOfDType(dtype)));
    for (const id of dead) {
      held.get(id)?.release();
      held.delete(id);
    }
    watch.ran(nest, performance.now() - start);
  }

  async #bind(sizes: Bindings, watch: Partial<CompileWatch>): Promise<Bound> {
    const key = [...sizes]
      .map(([name, value]) => `${name}=${value}`)
      .sort()
      .join();
    let bound = this.#bound.get(key);
    if (bound === undefined) {
      const nests: BoundNest[] = [];
      const { loops } = this;
      const kernels = await this.#compile(sizes, watch);
      for (const [at, nest] of loops.nests.entries()) {
        const kernel = kernels[at]!;
        const dead = [...this.#lastUse].filter(([, last]) => last === at).map(([id]) => id);
        nests.push({ nest: bindNest(nest, sizes), kernel, dead });
      }
      bound = { sizes, nests, verdicts: new Map() };
      this.#bound.set(key, bound);
      if (this.#bound.size > KEPT_SIZES) this.#bound.delete(this.#bound.keys().next().value!);
    }
    return bound;
  }

  /** Some kernels at a time, which drivers compile side by side. */
  async #compile(sizes: Bindings, watch: Partial<CompileWatch>): Promise<DeviceKernel[]> {
    const { nests } = this.loops;
    const kernels: DeviceKernel[] = [];
    for (let from = 0; from < nests.length; from += COMPILED_AT_ONCE) {
      await watch.step?.();
      const lot = nests.slice(from, from + COMPILED_AT_ONCE).map(async (nest) => {
        const kernel = await this.#device.compile(nest, this.loops, { sizes });
        watch.made?.();
        return kernel;
      });
      kernels.push(...(await Promise.all(lot)));
    }
    return kernels;
  }

  /** Whether integers stay exact and indices inside, from what the inputs hold this time. */
  #judge({ nests, verdicts }: Bound, inputs: readonly RunValue[], uploads: Uploads): Verdict {
    const ranges = new Map<number, Range>();
    this.loops.inputs.forEach((id, at) => {
      const value = inputs[at];
      if (id === undefined || !isTensor(value) || !this.#lastUse.has(id)) return;
      const range = uploads.range(value);
      if (!isFloatDType(value.dtype)) ranges.set(id, range);
    });
    const key = [...ranges].map(([id, { low, high }]) => `${id}:${low}:${high}`).join();
    let verdict = verdicts.get(key);
    if (verdict === undefined) {
      const bound = nests.map(({ nest }) => nest);
      verdict = judge(bound, this.loops, ranges, this.#device.integers);
      if (verdicts.size > 64) verdicts.clear();
      verdicts.set(key, verdict);
    }
    return verdict;
  }
}

/** For each buffer the last nest that reads it; those that are results live on. */
function lastUses({ nests, outputs }: LoopProgram): Map<number, number> {
  const last = new Map<number, number>();
  nests.forEach((nest, at) => {
    last.set(nest.output, at);
    forEachScalar(nest.value, (scalar) => {
      if (scalar.kind === "load") last.set(scalar.buffer, at);
    });
  });
  for (const output of outputs)
    if (output.kind === "buffer") last.set(output.buffer, Number.POSITIVE_INFINITY);
  return last;
}
