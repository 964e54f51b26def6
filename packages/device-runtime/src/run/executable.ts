/**
 * @file A program on the device: regions of kernels, regions of the host, and the state that both
 * read.
 */
import { checkOptions, isSconceError, ProgressReport } from "@sconce/errors";
import {
  type CompileOptions,
  type Executable,
  type ExecutionPlan,
  type ExportedProgram,
  type MemoryUse,
  type Node,
  type NodeProfile,
  type Placement,
  RUN_OPTIONS,
  type RunOptions,
  type Value,
} from "@sconce/ir";
import {
  disposed,
  type InputCheck,
  inputCheck,
  isDense,
  keptResults,
  type OperatorTable,
  programState,
  storageBytes,
} from "@sconce/ops";
import type { Bindings } from "@sconce/symbolic";
import { contiguousStrides, dtypeInfo, isContiguous, numel, Tensor, type TensorLayout } from "@sconce/tensor";
import { Layouts } from "../checks/layouts.js";
import { isLikeRecorded, requireRecordedDType } from "../checks/like-recorded.js";
import { HostRun, type OriginalInit, OriginalRuns } from "../checks/original-runs.js";
import {
  allCalls,
  type SizeCheck,
  type SizeRequirement,
  sizeCheck,
  sizeRequirement,
} from "../checks/size-checks.js";
import type { Device } from "../device/device.js";
import { DeviceStorage } from "../memory/device-storage.js";
import { Held } from "../memory/held.js";
import { inMemory } from "../memory/region-memory.js";
import { Results } from "../memory/results.js";
import { type SharedCheck, sharedCheck } from "../memory/shared-inputs.js";
import { isSizeWithoutValue, learnSizes } from "../memory/sizes.js";
import { fixedTensors, isOnDevice, ownState, publicState } from "../memory/state.js";
import { DeviceValue, heldBy, type RunValue, Uploads, valueBytes } from "../memory/values.js";
import type { ProgramPlan, Reasons, Step } from "../plan/program-plan.js";
import type { WorkLimit } from "../plan/work.js";
import { FoldedStorage } from "../prepare/folded.js";
import { Pacer } from "../prepare/pacer.js";
import { joinedPlans } from "../regions/execution-plan.js";
import type { KernelStep } from "../regions/kernel-step.js";
import { placementOf, type RunReport } from "../regions/placement.js";
import { RegionRunner } from "../regions/region.js";
import { freeOf, freeWhenForgotten } from "./forgotten.js";
import { Givens, type RunValues } from "./givens.js";
import { Divisions, liveOutOf, type Sequence, sequenceOf } from "./sequence.js";

export interface ExecutableInit extends Omit<OriginalInit, "hosts"> {
  readonly program: ExportedProgram;
  /** Whether lowering holds for inputs only that lie in memory as the program records. */
  readonly needsRecordedLayouts: boolean;
  readonly plan: ProgramPlan;
  readonly device: Device;
  readonly operators: OperatorTable;
  /** What is too much work for the device. */
  readonly limit: WorkLimit;
  /** Most bytes that the values of a run may take. */
  readonly maxBytes: number;
}

/** What a run keeps while it goes on. */
interface Run {
  readonly inputs: readonly Value[];
  readonly values: RunValues;
  readonly sizes: Map<string, number>;
  readonly pacer: Pacer;
  readonly options: RunOptions;
  readonly progress: ProgressReport;
  readonly profile: NodeProfile[];
  /** Why the host computes all of the run, if it does. */
  readonly whyHosted: string | undefined;
  /** Nodes that values or sizes sent to the host, and why. */
  readonly hosted: Map<string, string>;
  done: number;
  toHost: number;
  bytesToHost: number;
  /** Regions that ran on the device, in order. */
  readonly regions: RegionRunner[];
  kernels: number;
  /** Why the program's recorded values do not hold in this run, so that the host computes it. */
  distrusted: string | undefined;
}
/** Runs a planned program; see `Executable`. */
export class DeviceExecutable implements Executable {
  readonly #init: ExecutableInit;
  readonly #check: InputCheck;
  readonly #checkSizes: SizeCheck;
  readonly #requireSizes: SizeRequirement;
  readonly #original: OriginalRuns;
  readonly #checkShared: SharedCheck | undefined;
  readonly #own: Map<string, Tensor>;
  readonly #state: Map<string, Tensor>;
  readonly #givens: Givens;
  readonly #labels = new WeakMap<KernelStep, { readonly label: string; readonly node: Node }>();
  readonly #uploads: Uploads;
  readonly #results: Results;
  readonly #layouts: Layouts;
  /** Tensors that no run changes, by the names of placeholders. */
  readonly #fixed = new Map<string, Tensor>();
  readonly #regions = new Map<string, RegionRunner>();
  readonly #hosts = new Map<string, Promise<Executable>>();
  readonly #whole: Sequence;
  readonly #divisions = new Divisions((steps) => this.#addRegions(steps));
  readonly #total: number;
  #last: RunReport | undefined;
  #tail: Promise<unknown> = Promise.resolve();
  #isDisposed = false;

  constructor(init: ExecutableInit) {
    const { original, program, plan, device, operators } = init;
    this.#init = init;
    this.#check = inputCheck(original);
    this.#checkSizes = sizeCheck(program, operators);
    this.#requireSizes = sizeRequirement(original, operators);
    this.#original = new OriginalRuns({ ...init, hosts: this.#hosts });
    this.#own = ownState(program, device, programState(program, operators));
    this.#checkShared = sharedCheck(original, operators, this.#own);
    this.#state = publicState(original, this.#own);
    const fixed = fixedTensors(program, this.#own);
    this.#uploads = new Uploads(device, fixed);
    this.#results = new Results(program, device);
    this.#layouts = new Layouts(init);
    this.#givens = new Givens(program, this.#own, original);
    const { state } = this.#givens;
    for (const [name, tensor] of state) if (fixed.has(tensor)) this.#fixed.set(name, tensor);
    this.#addRegions(plan.steps);
    // State stays: dropping the names of all weights would take time.
    this.#whole = sequenceOf(plan.steps, [...liveOutOf(program), ...state.keys()]);
    this.#total = plan.steps.reduce((count, step) => count + nestsOf(step), 0);
    freeWhenForgotten(this, { device, hosts: this.#hosts });
  }

  #addRegions(steps: readonly Step[]): void {
    const { device, limit, maxBytes, program } = this.#init;
    const memory = { maxBytes, graph: program.graph };
    for (const { name, inputs, device: region } of steps) {
      if (region === undefined) continue;
      const init = { region, inputs, device, limit, memory, fixed: this.#fixed };
      this.#regions.set(name, new RegionRunner(init));
    }
  }

  get state(): ReadonlyMap<string, Tensor> {
    return this.#state;
  }

  /** Prepares kernels and host parts. Kernels whose sizes depend on input values wait for a run. */
  async prepare(pacer: Pacer, onProgress: CompileOptions["onProgress"]): Promise<void> {
    const toMake = this.#init.plan.steps.filter(({ name }) => this.#regions.get(name)?.isFixed !== false);
    const total = toMake.reduce((count, step) => count + nestsOf(step), 0);
    // Where all kernels wait for a run, the plan is all that there is to make.
    const progress = new ProgressReport("compile", onProgress, Math.max(1, total));
    if (total === 0) progress.at(0, "plan");
    let done = 0;
    for (const step of toMake) {
      const made = (count = 1): void => {
        done += count;
        progress.at(done, step.name);
      };
      progress.at(done, step.name);
      await pacer.step();
      const region = this.#regions.get(step.name);
      if (region !== undefined) await region.prepare(new Map(), { step: () => pacer.step(), made });
      else {
        await this.#host(step);
        made();
      }
    }
    progress.end();
    this.#dropFolded();
  }

  /** Drops folded weights that kernels have as they read them, and that nothing else reads. */
  #dropFolded(): void {
    const { device, plan, program } = this.#init;
    if (!("compileRegion" in device)) return;
    const state = (names: Iterable<string>): readonly (Tensor | undefined)[] =>
      Array.from(names, (name) => this.#givens.state.get(name));
    const read = plan.steps.flatMap(({ name, inputs }): readonly (Tensor | undefined)[] => {
      const region = this.#regions.get(name);
      return region === undefined ? state(inputs) : region.reads;
    });
    const kept = new Set([...read, ...state(liveOutOf(program))].map((tensor) => tensor?.storage));
    for (const { storage } of this.#own.values())
      if (storage instanceof FoldedStorage && !kept.has(storage)) storage.drop();
  }

  /**
   * One run after another: they share the state. Those that were asked for before `dispose()` still
   * run.
   */
  run(inputs: readonly Value[], options: RunOptions = {}): Promise<readonly Value[]> {
    if (this.#isDisposed) return Promise.reject(disposed("the executable"));
    const run = this.#tail.then(() => {
      checkOptions("run", options, RUN_OPTIONS);
      return this.#run(inputs, options);
    });
    // Results are left to the caller.
    const end = (): void => {};
    this.#tail = run.then(end, end);
    return run;
  }

  async #run(inputs: readonly Value[], options: RunOptions): Promise<readonly Value[]> {
    const pacer = new Pacer("run", options.signal);
    pacer.check();
    this.#check(inputs);
    const shared = this.#checkShared?.(inputs);
    const stays = keptResults(this.#init.original, options.results);
    if (inputs.some((input) => this.#isElsewhere(input))) await this.#load(inputs, options.signal);
    const { values, sizes } = this.#givens.with(inputs);
    const run: Run = {
      inputs,
      values,
      sizes,
      pacer,
      options,
      progress: new ProgressReport("run", options.onProgress, this.#total),
      profile: [],
      whyHosted: shared ?? this.#layouts.whyHosted(inputs, this.#givens.layouts(inputs, sizes)),
      hosted: new Map(),
      done: 0,
      toHost: 0,
      bytesToHost: 0,
      regions: [],
      kernels: 0,
      distrusted: undefined,
    };
    for (const name of this.#givens.names) this.#compare(name, values.get(name)!, run);
    this.#uploads.count = 0;
    this.#uploads.bytes = 0;
    try {
      run.progress.at(0, this.#whole.steps[0]?.name ?? "");
      pacer.check();
      if (!(await this.#isLoweredFor(run))) {
        const given = await this.#hostInputs(inputs, run);
        return await this.#original.run(this.#state, given, options);
      }
      const toHost = (value: DeviceValue): Promise<Tensor> | Tensor => this.#download(value.held, value, run);
      const known = this.#known(run);
      const others = this.#layouts.results(inputs, known);
      const end = { values: run.values, sizes: known, own: this.#own, stays, others, toHost };
      const outputs = this.#results.onDevice(end) ?? (await this.#results.of(end));
      run.progress.end();
      return outputs;
    } finally {
      run.values.dropAll();
      this.#init.device.trim?.();
      const { profile, hosted, toHost, bytesToHost, regions, kernels } = run;
      const { count: toDevice, bytes: bytesToDevice } = this.#uploads;
      const copies = { toDevice, toHost, bytesToDevice, bytesToHost };
      this.#last = { profile, hosted, regions, kernels, copies };
    }
  }

  /** Returns the sizes that are known, with what the inputs show of their strides. */
  #known({ inputs, sizes }: Run): Bindings {
    return this.#givens.layouts(inputs, sizes);
  }

  /** Runs the steps; false for a run that the program as it was has to do. */
  async #isLoweredFor(run: Run): Promise<boolean> {
    let reason = run.whyHosted;
    const known = this.#known(run);
    try {
      this.#original.require(known);
      // What the program is lowered to may take other sizes, also where the host computes it.
      this.#requireSizes(run.inputs, known);
      if (reason === undefined) await this.#sequence(this.#whole, run);
    } catch (error) {
      // Lowering adds assertions of sizes: the program as it was has those that it needs.
      if (!(error instanceof HostRun) && !isSconceError(error, "ASSERTION_FAILED")) throw error;
      reason = error.message;
    }
    if (reason !== undefined) for (const { node } of this.#init.plan.nodes) run.hosted.set(node, reason);
    return reason === undefined;
  }

  /** Inputs as the host reads them, and writes to them. */
  async #hostInputs(inputs: readonly Value[], run: Run): Promise<readonly Value[]> {
    if (this.#init.device.readsAtOnce === true) return inputs;
    const given: Value[] = [];
    for (const input of inputs) given.push(await this.#toHost(input, run));
    return given;
  }

  /** Loads tensors that are elsewhere, such as on another device that is read asynchronously. */
  async #load(inputs: readonly Value[], signal: AbortSignal | undefined): Promise<void> {
    for (const input of inputs) if (this.#isElsewhere(input)) await input.load({ signal });
  }
  #isElsewhere(input: Value): input is Tensor {
    return input instanceof Tensor && !input.isLoaded && heldBy(input, this.#init.device) === undefined;
  }

  async #sequence({ steps, dead }: Sequence, run: Run): Promise<void> {
    for (const [at, step] of steps.entries()) {
      await this.#step(step, run);
      for (const name of dead[at]!) run.values.drop(name);
    }
  }

  async #step(step: Step, run: Run): Promise<void> {
    const inputs = step.inputs.map((name) => run.values.get(name) ?? null);
    const results = (await this.#onDevice(step, inputs, run)) ?? (await this.#onHost(step, inputs, run));
    if (results instanceof Map) {
      const { sequence, hosted } = this.#divisions.without(step, this.#layouts.strided.withViews(results));
      for (const [node, reason] of hosted) run.hosted.set(node, reason);
      await this.#sequence(sequence, run);
      return;
    }
    step.outputs.forEach((name, i) => {
      const value = (results as readonly RunValue[])[i]!;
      run.values.set(name, value);
      learnSizes(this.#init.program.graph.node(name).meta.val, value, run.sizes);
      if (!(value instanceof DeviceValue)) this.#compare(name, value, run);
    });
  }

  /** Kernels are made of what is recorded: what the host gives must be that. */
  #compare(name: string, value: RunValue, run: Run): void {
    requireRecordedDType(name, value, this.#init.program);
    if (run.distrusted === undefined && !isLikeRecorded(name, value, run.sizes, this.#init.program))
      run.distrusted = `%${name} is not what the program records`;
  }

  /** Results, or what the device cannot compute; undefined for steps of the host. */
  async #onDevice(
    step: Step,
    inputs: readonly RunValue[],
    run: Run,
  ): Promise<readonly RunValue[] | Reasons | undefined> {
    const region = this.#regions.get(step.name);
    if (region === undefined) return undefined;
    const known = this.#known(run);
    this.#original.require(known);
    this.#requireSizes(run.inputs, known);
    const wrong = this.#checkSizes(known);
    if (wrong !== undefined) throw new HostRun(wrong);
    if (run.distrusted !== undefined) return allCalls(step.device!.graph, run.distrusted);
    const inUse = valueBytes(run.values.computed(), this.#init.device);
    const running = region.run(inputs, run.sizes, this.#uploads, {
      inUse,
      step: () => run.pacer.step(),
      isTimed: run.options.profile === true,
      ran: (step, milliseconds) => {
        const { label, node } = this.#labelOf(step);
        run.profile.push({ node: label, target: node.target, milliseconds, place: "device" });
        this.#report(run, node, step.nests.length);
      },
    });
    const results = await running.catch((error: unknown) => {
      if (!isSizeWithoutValue(error)) throw error;
      return allCalls(step.device!.graph, `a size is not known: ${error.message}`);
    });
    if (!(results instanceof Map)) {
      run.regions.push(region);
      run.kernels += region.kernels;
    }
    return results;
  }

  /** Returns how the profile names a kernel, and its last node. */
  #labelOf(step: KernelStep): { readonly label: string; readonly node: Node } {
    let known = this.#labels.get(step);
    if (known === undefined) {
      const { nodes } = step;
      known = { label: nodes.join(", "), node: this.#init.program.graph.node(nodes.at(-1)!) };
      this.#labels.set(step, known);
    }
    return known;
  }

  async #onHost(step: Step, inputs: readonly RunValue[], run: Run): Promise<readonly RunValue[]> {
    const host = await this.#host(step);
    const given: Value[] = [];
    for (const [at, value] of inputs.entries()) {
      const own = await this.#toHost(value, run);
      const name = step.inputs[at]!;
      const lies =
        own instanceof Tensor && (value instanceof DeviceValue || this.#layouts.strided.reads(name));
      given.push(lies ? this.#layouts.laidOut(name, own, run.inputs, this.#known(run)) : own);
    }
    const { signal } = run.options;
    const results = await host.run(given, signal === undefined ? {} : { signal });
    for (const row of host.profile?.() ?? []) run.profile.push({ ...row, place: "host" });
    const last = this.#init.program.graph.find(step.outputs.at(-1) ?? "");
    if (last !== undefined) this.#report(run, last);
    return results;
  }
  #report(run: Run, node: Node, count = 1): void {
    run.done += count;
    run.progress.at(run.done, node.name);
  }

  /** Returns the host's executable of a step, made when it is first needed. */
  #host(step: Step): Promise<Executable> {
    let host = this.#hosts.get(step.name);
    if (host === undefined) {
      host = this.#init.host.compile(step.program());
      this.#hosts.set(step.name, host);
    }
    return host;
  }

  async #toHost(value: RunValue, run: Run): Promise<Value> {
    if (value instanceof Tensor) {
      // A copy: the tensor itself stays on the device.
      const held = heldBy(value, this.#init.device);
      if (held === undefined) return value;
      const copy = await this.#download(held, value, run);
      if (isContiguous(value.shape, value.strides)) return copy;
      return inMemory("an input", () => copy.withLayout(value.strides, 0));
    }
    if (!(value instanceof DeviceValue)) return value;
    return this.#download(value.held, value, run);
  }
  /** Returns a separate copy of a buffer. */
  #download(
    { buffer, device }: Held,
    { dtype, shape }: Pick<TensorLayout, "dtype" | "shape">,
    run: Run,
  ): Promise<Tensor> | Tensor {
    run.toHost++;
    run.bytesToHost += numel(shape) * dtypeInfo(dtype).itemSize;
    return device.download(buffer, dtype, shape);
  }

  /** See `Executable.toDevice`. */
  async toDevice(tensor: Tensor): Promise<Tensor> {
    if (this.#isDisposed) throw disposed("the executable");
    const { device } = this.#init;
    if (device.whyNotHeld(tensor.dtype) !== undefined || heldBy(tensor, device) !== undefined) return tensor;
    // What lies around the elements does not come to the device.
    const { dtype, shape, storage } = tensor;
    const hasNoGaps = isDense(tensor);
    const isWhole = hasNoGaps && tensor.numel * dtypeInfo(dtype).itemSize === storage.byteLength;
    if (!isWhole && this.#layouts.strided.readsInputs) return tensor;
    if (!tensor.isLoaded) await tensor.load();
    const held = new Held(device, await device.upload(tensor));
    const strides = hasNoGaps ? tensor.strides : contiguousStrides(shape);
    const copy = DeviceStorage.tensor(held, { dtype, shape, strides });
    held.release();
    return copy;
  }

  memory(): MemoryUse {
    const { device } = this.#init;
    return {
      hostBytes: storageBytes([...this.#state.values()].filter((tensor) => !isOnDevice(tensor))),
      tensors: this.#state.size,
      deviceBytes: device.allocated,
      deviceBuffers: device.buffers ?? 0,
      keptBytes: device.kept ?? 0,
    };
  }

  profile(): readonly NodeProfile[] {
    return this.#last?.profile ?? [];
  }

  placement(): Placement {
    const planned = this.#init.plan.steps.flatMap(({ name }) => this.#regions.get(name) ?? []);
    return placementOf(this.#init, planned, this.#last);
  }

  executionPlan(): ExecutionPlan {
    const regions = this.#last?.regions ?? [...this.#regions.values()];
    return joinedPlans(regions.flatMap((region) => region.plan() ?? []));
  }

  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.#state.clear();
    void this.#tail.then(() => {
      for (const { storage } of this.#own.values()) if (storage instanceof DeviceStorage) storage.leave();
      return freeOf(this, { device: this.#init.device, hosts: this.#hosts });
    });
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}

const nestsOf = ({ device }: Step): number => device?.loops.nests.length ?? 1;
