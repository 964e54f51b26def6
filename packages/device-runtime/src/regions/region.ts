/** @file One region of a program on the device: its loops become kernels for each set of sizes. */

import {
  bindNest,
  bindSizes,
  hasSizes,
  type LoopNest,
  type LoopProgram,
  type MemoryPlan,
  readsOf,
  sizeOf,
} from "@sconce/codegen";
import type { ExecutionPlan } from "@sconce/ir";
import { type Bindings, evaluateInt } from "@sconce/symbolic";
import { castTensor, type DType, type Tensor } from "@sconce/tensor";
import { refusedEmpties } from "../checks/empty-operands.js";
import { NO_ELEMENTS, reducesNothing } from "../checks/empty-reductions.js";
import { allCalls, areSame, haveRecordedSizes, keyOf, LoopSizes } from "../checks/size-checks.js";
import type { Device } from "../device/device.js";
import type { Held } from "../memory/held.js";
import { planRegion, type RegionMemory, requireMemory } from "../memory/region-memory.js";
import { DeviceValue, isTensor, type RunValue, type Uploads } from "../memory/values.js";
import { callOf } from "../plan/large-buffers.js";
import { dependsOnRanges } from "../plan/legality.js";
import type { DeviceRegion, Reasons } from "../plan/program-plan.js";
import { scansFor } from "../plan/scans.js";
import { type WorkLimit, whyTooMuch } from "../plan/work.js";
import { rangeOfDType } from "../ranges/interval.js";
import { type BoundCall, bindCall, judgeCall, smallest, type ValueRanges } from "../ranges/judge.js";
import { executionPlan } from "./execution-plan.js";
import type { KernelStep } from "./kernel-step.js";
import { type CompileWatch, type Kernels, type KernelsRun, kernelSteps, kernelsOf } from "./kernels.js";
import { type OpenSteps, openSteps } from "./open-steps.js";

/** Why a kernel does not serve all sizes. */
const EMPTY = "an axis of the region has no places";
const OTHER_SIZES = "an input has other sizes than the program records";
/** Sizes whose kernels are kept at the same time. */
const KEPT_SIZES = 64;

/** The region for one set of sizes. */
interface Bound {
  /** The loops, scans of long rows in blocks. */
  readonly loops: LoopProgram;
  readonly sizes: Bindings;
  /** Where its values lie, and until when. */
  readonly memory: MemoryPlan;
  /** Nodes that are the host's in these sizes. */
  readonly refused: Reasons;
  readonly checks: readonly BoundCall[];
  readonly steps: readonly KernelStep[];
  /** Why nests have kernels for these sizes, by the buffers that they write. */
  readonly reasons: ReadonlyMap<number, string>;
  readonly kernels: Kernels;
  /** By the ranges of inputs. */
  readonly verdicts: Map<string, Verdict>;
}
interface Verdict {
  /** Ranges of values, by their names. */
  readonly ranges: ValueRanges;
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
  ran(step: KernelStep, milliseconds: number): void;
}

/** What a region is run with. */
export interface RegionInit {
  readonly region: DeviceRegion;
  /** Names of the region's inputs. */
  readonly inputs: readonly string[];
  /** Tensors that no run changes, by their names. */
  readonly fixed: ReadonlyMap<string, Tensor>;
  readonly device: Device;
  readonly limit: WorkLimit;
  readonly memory: RegionMemory;
}

/** Runs one region. */
export class RegionRunner {
  readonly loops: LoopProgram;
  /** Whether all sizes of its loops are numbers. */
  readonly isFixed: boolean;
  readonly #region: DeviceRegion;
  readonly #device: Device;
  readonly #bound = new Map<string, Bound>();
  readonly #read: ReadonlySet<number>;
  /** Names of inputs whose ranges decide what the device computes; undefined for the others. */
  readonly #deciding: readonly (string | undefined)[];
  readonly #limit: WorkLimit;
  readonly #sizes: LoopSizes;
  readonly #memory: RegionMemory;
  /** Tensors of inputs that never change. */
  readonly #constants = new Map<number, Tensor>();
  /** Positions of the inputs that are copied to the device for each run. */
  readonly #uploaded: readonly number[];
  /** Whether the shape of an input shows the value of a symbol. */
  readonly #showsSizes: boolean;
  #kernels: number;
  /** What the last run used. */
  #last: Bound | undefined;
  #open: { readonly steps: OpenSteps | undefined } | undefined;

  constructor({ region, inputs, fixed, device, limit, memory }: RegionInit) {
    this.loops = region.loops;
    this.isFixed = isFixed(region.loops);
    this.#sizes = new LoopSizes(region.loops, region.graph);
    this.#region = region;
    this.#memory = memory;
    this.#device = device;
    this.#limit = limit;
    this.#read = readIn(region.loops);
    this.#kernels = region.loops.nests.length;
    const read = new Set(region.checks.flatMap(({ reads }) => reads.map(({ node }) => node)));
    this.#deciding = inputs.map((name) => (read.has(name) ? name : undefined));
    this.loops.inputs.forEach((id, at) => {
      const tensor = fixed.get(inputs[at]!);
      if (id !== undefined && tensor !== undefined && this.#read.has(id)) this.#constants.set(id, tensor);
    });
    this.#uploaded = this.loops.inputs.flatMap((id, at) =>
      id === undefined || !this.#read.has(id) || ("compileRegion" in device && this.#constants.has(id))
        ? []
        : [at],
    );
    this.#showsSizes = this.loops.inputs.some(
      (id) => id !== undefined && this.loops.buffers[id]!.shape.some(({ terms }) => terms.length > 0),
    );
  }

  /** Kernels of the last sizes; before there were any, one for each nest. */
  get kernels(): number {
    return this.#kernels;
  }
  /** Returns the kernels of the last sizes; undefined before there were any. */
  plan(): ExecutionPlan | undefined {
    return this.#last === undefined ? undefined : executionPlan(this.#last);
  }
  /** Constants whose elements it may still read, once it is prepared. */
  get reads(): readonly Tensor[] {
    const { integers } = this.#device.target;
    const isFinal =
      this.isFixed &&
      this.refused.size === 0 &&
      !this.#region.checks.some((call) => dependsOnRanges(call, integers));
    // Results that are constants are copied in each run.
    const results = new Set(
      this.loops.outputs.map((one) => (one.kind === "buffer" ? one.buffer : undefined)),
    );
    return [...this.#constants].flatMap(([id, tensor]) => (isFinal && !results.has(id) ? [] : [tensor]));
  }
  /** Nodes that the host runs, as far as that is known before a run. */
  get refused(): Reasons {
    return this.#bound.get("")?.refused ?? new Map();
  }
  /** The calls to look at in each run, in the sizes that are known before a run. */
  get checks(): readonly BoundCall[] {
    return this.#bound.get("")?.checks ?? [];
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
    const sizes = this.#showsSizes
      ? bindSizes(this.loops, inputs as readonly (Tensor | undefined)[], given)
      : given;
    if (!haveRecordedSizes(this.loops, inputs, this.#uploaded, sizes))
      return allCalls(this.#region.graph, OTHER_SIZES);
    const inexact = this.#sizes.whyInexact(sizes);
    if (inexact !== undefined) return inexact;
    const found = this.#bind(this.isFixed ? NO_SIZES : sizes, { step: watch.step });
    const bound = found instanceof Promise ? await found : found;
    const { refused, ranges } = this.#judge(bound, inputs, uploads);
    if (refused.size > 0) return refused;
    requireMemory(bound.memory, bound.steps, this.#memory, watch.inUse);
    const held = new Map<number, Held>();
    try {
      const copied = this.#upload(inputs, uploads, held);
      if (copied !== undefined) await copied;
      this.#device.reserve?.(bound.memory.peakBytes);
      return await this.#compute(bound, { ranges, sizes }, held, watch);
    } finally {
      for (const one of held.values()) one.release();
    }
  }

  /** Copies inputs to the device; waits only for a device that has to be waited for. */
  #upload(
    inputs: readonly RunValue[],
    uploads: Uploads,
    held: Map<number, Held>,
    from = 0,
  ): Promise<void> | void {
    for (let i = from; i < this.#uploaded.length; i++) {
      const at = this.#uploaded[i]!;
      const [id, value] = [this.loops.inputs[at]!, inputs[at]];
      if (!isTensor(value)) continue;
      const copy = uploads.get(inDType(value, this.loops.buffers[id]!.dtype));
      if (copy instanceof Promise)
        return copy.then((one) => {
          held.set(id, one);
          return this.#upload(inputs, uploads, held, i + 1);
        });
      held.set(id, copy);
    }
  }

  async #compute(
    { kernels, steps }: Bound,
    known: { readonly ranges: ValueRanges; readonly sizes: Bindings },
    held: Map<number, Held>,
    watch: RegionWatch,
  ): Promise<readonly RunValue[]> {
    const run = kernels.start(held);
    try {
      for (let at = 0; at < steps.length; at++) {
        // Kernels may take microseconds: only what is a promise is waited for.
        const paused = watch.step();
        if (paused !== undefined) await paused;
        const start = performance.now();
        const running = run.step(at);
        if (running !== undefined) await running;
        if (watch.isTimed) await this.#device.finish();
        watch.ran(steps[at]!, performance.now() - start);
      }
      return this.#outputs(run, known.sizes, known.ranges);
    } finally {
      run.end();
    }
  }

  #outputs(run: KernelsRun, sizes: Bindings, ranges: ValueRanges): RunValue[] {
    const results = new Map<number, Held>();
    return this.loops.outputs.map((output): RunValue => {
      if (output.kind === "constant") return output.value;
      if (output.kind === "size")
        return typeof output.value === "number" ? output.value : evaluateInt(output.value, sizes);
      const { buffer, node } = output;
      const shape = output.shape.map((extent) => sizeOf(extent, sizes));
      const held = results.get(buffer)?.retain() ?? run.result(buffer);
      results.set(buffer, held);
      return new DeviceValue(held, this.loops.buffers[buffer]!.dtype, shape, ranges.get(node));
    });
  }

  /** Waits only for kernels that have to be made. */
  #bind(sizes: Bindings, watch: Partial<CompileWatch>): Promise<Bound> | Bound {
    if (this.#last !== undefined && areSame(this.#last.sizes, sizes)) return this.#last;
    const key = keyOf(sizes);
    const bound = this.#bound.get(key);
    return bound === undefined ? this.#add(key, sizes, watch) : this.#use(bound);
  }
  async #add(key: string, sizes: Bindings, watch: Partial<CompileWatch>): Promise<Bound> {
    const bound = await this.#make(new Map(sizes), watch);
    this.#bound.set(key, bound);
    if (this.#bound.size > KEPT_SIZES) this.#drop(this.#bound.keys().next().value!);
    return this.#use(bound);
  }
  #use(bound: Bound): Bound {
    this.#kernels = bound.steps.length;
    this.#last = bound;
    return bound;
  }

  #drop(key: string): void {
    const bound = this.#bound.get(key)!;
    bound.kernels.dispose();
    if (bound === this.#last) this.#last = undefined;
    this.#bound.delete(key);
  }

  async #make(sizes: Bindings, watch: Partial<CompileWatch>): Promise<Bound> {
    const refused = this.#refusedAt(sizes);
    // Loops of sizes that they do not take are not looked at: their extents may be anything.
    const isTaken = refused.size === 0;
    const loops = isTaken ? scansFor(this.#device, this.loops, sizes) : this.loops;
    await watch.step?.();
    const checks = isTaken ? this.#region.checks.map((call) => bindCall(call, sizes)) : [];
    const { graph } = this.#region;
    for (const { call, nests } of checks)
      for (const nest of nests) {
        const reason = whyTooMuch(nest, this.#limit);
        if (reason !== undefined) refused.set(call.node, reason);
      }
    const open = refused.size === 0 ? this.#openFor(sizes) : undefined;
    const isOpen = open !== undefined && open.reasons.size === 0;
    const nests: LoopNest[] = [];
    for (const nest of refused.size === 0 && !isOpen ? loops.nests : []) {
      const one = bindNest(nest, sizes);
      if (reducesNothing(one)) for (const name of nest.nodes) refused.set(callOf(name, graph), NO_ELEMENTS);
      nests.push(one);
      await watch.step?.();
    }
    const steps = kernelSteps(loops, refused.size === 0 ? nests : [], sizes, this.#device, open);
    const memory = planRegion(loops, steps, sizes, this.#device);
    requireMemory(memory, steps, this.#memory, 0);
    const reasons = open?.reasons ?? new Map(nests.map(({ output }) => [output, EMPTY]));
    const request = { loops, sizes, steps, memory, constants: this.#constants };
    const kernels = await kernelsOf(request, this.#device, watch);
    return { loops, sizes, memory, refused, checks, steps, reasons, kernels, verdicts: new Map() };
  }

  /** Returns the calls that are the host's in these sizes, before anything is made of them. */
  #refusedAt(sizes: Bindings): Map<string, string> {
    const { graph } = this.#region;
    return new Map([...this.#sizes.refused(sizes, this.#device), ...refusedEmpties(graph, sizes)]);
  }

  /** Returns the steps that serve all sizes, if these are among them. */
  #openFor(sizes: Bindings): OpenSteps | undefined {
    if (this.isFixed || !this.#sizes.areNarrow(sizes)) return undefined;
    this.#open ??= { steps: openSteps(this.loops, this.#device, this.#constants) };
    const { steps } = this.#open;
    return steps?.serve(sizes) === true ? steps : undefined;
  }

  /**
   * Returns whether integers stay exact and indices inside, from what the inputs hold this time.
   */
  #judge(bound: Bound, inputs: readonly RunValue[], uploads: Uploads): Verdict {
    const ranges: ValueRanges = new Map();
    this.#deciding.forEach((name, at) => {
      const value = inputs[at];
      if (name !== undefined && isTensor(value)) ranges.set(name, uploads.range(value));
    });
    const key =
      ranges.size === 0
        ? ""
        : [...ranges].map(([name, { low, high, nan }]) => `${name}:${low}:${high}:${nan}`).join();
    let verdict = bound.verdicts.get(key);
    if (verdict === undefined) {
      const refused = new Map(bound.refused);
      for (const check of bound.checks) {
        const reason = judgeCall(check, ranges, this.#device.target.integers, rangeOfDType, smallest);
        const { node } = check.call;
        const isAsked = dependsOnRanges(check.call, this.#device.target.integers);
        if (reason !== undefined && isAsked && !refused.has(node)) refused.set(node, reason);
      }
      verdict = { ranges, refused };
      if (bound.verdicts.size > 64) bound.verdicts.clear();
      bound.verdicts.set(key, verdict);
    }
    return verdict;
  }
}

/**
 * Returns a value in the dtype that the region expects. PyTorch's own metadata of some functional
 * operators has another dtype than their results, such as running statistics of halves.
 */
const inDType = (value: Tensor | DeviceValue, dtype: DType): Tensor | DeviceValue =>
  value.dtype === dtype || value instanceof DeviceValue ? value : castTensor(value, dtype);

const NO_SIZES: Bindings = new Map();

const isFixed = ({ nests, buffers }: LoopProgram): boolean =>
  !nests.some(hasSizes) && buffers.every(({ shape }) => shape.every(({ terms }) => terms.length === 0));

/** Buffers that nests read or that are results. */
function readIn({ nests, outputs }: LoopProgram): Set<number> {
  const read = new Set(nests.flatMap((nest) => [...readsOf(nest.value)]));
  for (const output of outputs) if (output.kind === "buffer") read.add(output.buffer);
  return read;
}
