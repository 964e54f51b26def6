/**
 * @file The kernels of a program in one order, and the memory of the values that they read and
 * write. Values of all regions share one arena.
 */
import {
  type KernelCode,
  type NestWork,
  type PreparedBuffer,
  type UnitCount,
  workOf,
} from "@sconce/backend-wasm/build";
import {
  type Axis,
  elementsOf,
  type Index,
  type LoopNest,
  outerReductions,
  product,
  type ReduceScalar,
  sizeIndex,
} from "@sconce/codegen";
import type { CompiledPlan, CompiledRegion, RegionRequest, Step } from "@sconce/device-runtime";
import { internalError } from "@sconce/errors";
import { FakeTensor, type Value } from "@sconce/ir";
import { MUTATIONS } from "@sconce/ops";
import type { IntLike } from "@sconce/symbolic";
import { castTensor, type DType, dtypeInfo, type Tensor } from "@sconce/tensor";
import type { BuildDevice } from "./recording-device.js";

/** A tensor of the weights file. */
export interface Weight {
  readonly name: string;
  readonly tensor: Tensor;
}
/** Elements that lie in memory as long as the module does. */
export interface Constant {
  /** Position in {@link Timeline.weights}. */
  readonly weight: number;
  /** The order that kernels read it in; undefined for row-major. */
  readonly form: PreparedBuffer | undefined;
  readonly bytes: number;
  /** Whether runs write to it. */
  readonly isChanged: boolean;
}
/** A value of a run. */
interface PlannedValue {
  readonly dtype: DType;
  readonly shape: readonly Index[];
  /** The step that writes it; -1 for an input. */
  readonly from: number;
  /** The last step that uses it: one behind all steps for a result. */
  to: number;
}
/** One kernel. */
interface TimelineStep {
  readonly code: KernelCode;
  readonly units: number | readonly UnitCount[];
  /** Sizes that the kernel gets behind its operands. */
  readonly given: readonly Index[];
  /** Axes along which the greatest or the least element is looked for: there has to be one. */
  readonly reductions: readonly (readonly Axis[])[];
  /** Values that it writes. */
  readonly writes: readonly number[];
  /** Memory, then forms: constants by their positions, values behind all constants. */
  readonly operands: readonly Place[];
  /** Values that are set to zero first: no nest is known to write all of them. */
  readonly clears: readonly number[];
  readonly nodes: readonly string[];
  /** What threads may share. */
  readonly work: readonly NestWork[];
}
export type Place =
  | { readonly kind: "constant"; readonly at: number }
  | { readonly kind: "value"; readonly at: number };
interface Scalar {
  readonly kind: "scalar";
  /** A number of a run where it is an expression over symbols. */
  readonly value: Value | IntLike;
}
/** A result of a step of the host: its number among all of them. */
interface Hosted {
  readonly kind: "host";
  readonly at: number;
}
/** What a name of the lowered program is. */
export type Named = Place | Scalar | Hosted;

/** A step that is not kernels. */
export interface HostStep {
  readonly step: Step;
  /** Kernels in front of it. */
  readonly kernels: number;
  /** The number of its first result. */
  readonly first: number;
  /** Where it reads from; inputs of the user are not among them. */
  readonly reads: ReadonlyMap<string, Named>;
}

/** All that a module does in a run. */
export interface Timeline {
  readonly weights: readonly Weight[];
  readonly constants: readonly Constant[];
  readonly values: readonly PlannedValue[];
  readonly steps: readonly TimelineStep[];
  /** Inputs and results by the names of their nodes. */
  readonly names: ReadonlyMap<string, Named>;
  readonly scratchBytes: number;
  readonly hosts: readonly HostStep[];
  /** Names of the results of steps of the host. */
  readonly hosted: readonly string[];
  /** Results of the host that kernels read: their numbers, and the values. */
  readonly loads: readonly (readonly [result: number, value: number])[];
  /** The regions, each with the kernels in front of it. */
  readonly regions: readonly (readonly [kernels: number, region: CompiledRegion])[];
}

/** Puts the regions of a program behind one another. */
export function timelineOf(plan: CompiledPlan, device: BuildDevice, results: Iterable<string>): Timeline {
  const builder = new TimelineBuilder(plan, device);
  for (const { step, region } of plan.steps)
    if (region === undefined) builder.host(step);
    else builder.region(region);
  return builder.finish(results);
}

/** A weight, before something reads it. */
interface Unread {
  readonly kind: "state";
  readonly name: string;
  readonly dtype: DType;
}
type Source = Place | Unread;

class TimelineBuilder {
  readonly #plan: CompiledPlan;
  readonly #device: BuildDevice;
  readonly #weights: Weight[] = [];
  readonly #weightsOf = new Map<Tensor, number>();
  readonly #constants: Constant[] = [];
  readonly #constantsOf = new Map<string, number>();
  readonly #values: PlannedValue[] = [];
  readonly #steps: TimelineStep[] = [];
  readonly #names = new Map<string, Source | Scalar>();
  /** Names of what users give, and of what a run writes to its state and its inputs. */
  readonly #inputs: ReadonlySet<string>;
  readonly #stored: ReadonlySet<string>;
  readonly #hosts: HostStep[] = [];
  readonly #hosted = new Map<string, number>();
  readonly #loads: (readonly [number, number])[] = [];
  readonly #regions: (readonly [number, CompiledRegion])[] = [];

  constructor(plan: CompiledPlan, device: BuildDevice) {
    this.#plan = plan;
    this.#device = device;
    const { inputSpecs, outputSpecs } = plan.program.graphSignature;
    this.#inputs = new Set(inputSpecs.flatMap(({ kind, arg }) => (kind === "USER_INPUT" ? [arg.name] : [])));
    this.#stored = new Set(outputSpecs.flatMap(({ kind, arg }) => (MUTATIONS.has(kind) ? [arg.name] : [])));
  }

  /** A step between kernels: what it gives becomes a value of kernels when one reads it. */
  host(step: Step): void {
    const now = this.#steps.length;
    const reads = new Map<string, Named>();
    for (const name of step.inputs) {
      const hosted = this.#hosted.get(name);
      const source = this.#names.get(name) ?? this.#unread(name);
      if (hosted !== undefined) reads.set(name, { kind: "host", at: hosted });
      else if (source?.kind === "scalar") reads.set(name, source);
      else if (source !== undefined && !this.#inputs.has(name)) reads.set(name, this.#use(source, now));
    }
    this.#hosts.push({ step, kernels: now, first: this.#hosted.size, reads });
    for (const name of step.outputs) this.#hosted.set(name, this.#hosted.size);
  }

  region(region: CompiledRegion): void {
    const { step, request } = region;
    this.#regions.push([this.#steps.length, region]);
    if (request === undefined) throw internalError(`the region ${step.name} was not compiled`);
    const { loops } = request;
    const sources = new Map<number, Source>();
    loops.inputs.forEach((id, at) => {
      if (id === undefined) return;
      const { dtype, shape } = loops.buffers[id]!;
      sources.set(id, this.#given(step.inputs[at]!, dtype, shape));
    });
    this.#kernels(request, sources);
    loops.outputs.forEach((output, at) => {
      this.#names.set(step.outputs[at]!, resultOf(output, sources));
    });
  }

  #kernels(request: RegionRequest, sources: Map<number, Source>): void {
    const { loops } = request;
    const codes = this.#device.codes.get(request)!;
    const cleared = partlyWritten(request);
    for (const [at, { nests, writes }] of request.steps.entries()) {
      const [code, now] = [codes[at]!, this.#steps.length];
      const [clears, written]: [number[], number[]] = [[], []];
      for (const id of writes) {
        const { dtype, shape } = loops.buffers[id]!;
        const value = this.#value(dtype, shape, now);
        sources.set(id, value);
        written.push(value.at);
        if (cleared.has(id)) clears.push(value.at);
      }
      const forms = (code.prepared ?? []).map((form) => this.#form(sources.get(form.buffer), form));
      this.#steps.push({
        code,
        units: code.open?.units ?? code.units,
        given: code.open?.given ?? [],
        reductions: nests.flatMap(({ value }) =>
          [...outerReductions(value)].flatMap((one) => (needsElements(one) ? [one.axes] : [])),
        ),
        writes: written,
        operands: [...code.memories.map(({ buffer }) => this.#use(sources.get(buffer), now)), ...forms],
        clears,
        nodes: [...new Set(nests.flatMap(({ nodes }) => nodes))],
        work: workOf(nests),
      });
    }
  }

  /**
   * Returns where an operand comes from: an input of the user, state, or what an earlier region
   * gives.
   */
  #given(name: string, dtype: DType, shape: readonly Index[]): Source {
    const known = this.#names.get(name);
    if (known !== undefined && known.kind !== "scalar") return known;
    const hosted = this.#hosted.get(name);
    if (hosted !== undefined) return this.#loaded(name, hosted, dtype, shape);
    const source: Source = this.#plan.state.has(name)
      ? { kind: "state", name, dtype }
      : this.#value(dtype, shape, -1);
    this.#names.set(name, source);
    return source;
  }
  /** Returns the value that a result of the host is copied to. */
  #loaded(name: string, hosted: number, dtype: DType, shape: readonly Index[]): Place {
    const { kernels } = this.#hosts.findLast(({ first }) => first <= hosted)!;
    const place = this.#value(dtype, shape, kernels);
    this.#loads.push([hosted, place.at]);
    this.#names.set(name, place);
    return place;
  }
  #value(
    dtype: DType,
    shape: readonly Index[],
    from: number,
  ): { readonly kind: "value"; readonly at: number } {
    this.#values.push({ dtype, shape, from, to: from });
    return { kind: "value", at: this.#values.length - 1 };
  }
  #use(source: Source | undefined, now: number): Place {
    if (source === undefined) throw internalError("a kernel reads a value that has no place");
    if (source.kind === "value") {
      const value = this.#values[source.at]!;
      value.to = Math.max(value.to, now);
    }
    return source.kind === "state" ? this.#state(source) : source;
  }

  /** State in row-major order. */
  #state({ name, dtype }: Unread): Place {
    const { tensor, isChanged } = this.#plan.state.get(name)!;
    const bytes = tensor.numel * dtypeInfo(dtype).itemSize;
    return this.#constant({ weight: this.#weight(name, dtype), form: undefined, bytes, isChanged });
  }
  #form(source: Source | undefined, form: PreparedBuffer): Place {
    if (source?.kind !== "state")
      throw internalError(`buffer ${form.buffer} is prepared, and not a constant`);
    const weight = this.#weight(source.name, source.dtype);
    return this.#constant({ weight, form, bytes: form.bytes, isChanged: false });
  }
  #weight(name: string, dtype: DType): number {
    const { target, tensor } = this.#plan.state.get(name)!;
    let at = this.#weightsOf.get(tensor);
    if (at === undefined) {
      at = this.#weights.length;
      this.#weights.push({
        name: target,
        tensor: tensor.dtype === dtype ? tensor : castTensor(tensor, dtype),
      });
      this.#weightsOf.set(tensor, at);
    }
    return at;
  }
  #constant(constant: Constant): Place {
    const key = `${constant.weight} ${constant.form?.key ?? ""}`;
    let at = this.#constantsOf.get(key);
    if (at === undefined) {
      at = this.#constants.length;
      this.#constants.push(constant);
      this.#constantsOf.set(key, at);
    }
    return { kind: "constant", at };
  }

  finish(results: Iterable<string>): Timeline {
    const end = this.#steps.length;
    const names = new Map<string, Named>();
    for (const name of results) {
      const hosted = this.#hosted.get(name);
      if (hosted !== undefined && !this.#names.has(name)) {
        const { val } = this.#plan.program.graph.node(name).meta;
        if (this.#stored.has(name) && val instanceof FakeTensor)
          this.#loaded(name, hosted, val.dtype, val.shape.map(sizeIndex));
        else names.set(name, { kind: "host", at: hosted });
      }
      const source = this.#names.get(name) ?? this.#unread(name);
      if (source !== undefined) names.set(name, source.kind === "scalar" ? source : this.#use(source, end));
    }
    return {
      weights: this.#weights,
      constants: this.#constants,
      values: this.#values,
      steps: this.#steps,
      names,
      scratchBytes: this.#steps.reduce((most, { code }) => Math.max(most, code.scratchBytes), 0),
      hosts: this.#hosts,
      hosted: [...this.#hosted.keys()],
      loads: this.#loads,
      regions: this.#regions,
    };
  }
  #unread(name: string): Source | undefined {
    const state = this.#plan.state.get(name);
    return state && { kind: "state", name, dtype: state.tensor.dtype };
  }
}

const CHOICES: ReadonlySet<string> = new Set(["max", "min", "argmax", "argmin"]);

/** Returns whether a reduction of no elements is refused. */
const needsElements = ({ reduce, initial, when }: ReduceScalar): boolean =>
  CHOICES.has(reduce) && initial === undefined && when === undefined;

function resultOf(
  output: RegionRequest["loops"]["outputs"][number],
  sources: ReadonlyMap<number, Source>,
): Source | Scalar {
  if (output.kind === "buffer") return sources.get(output.buffer)!;
  if (output.kind === "constant") return { kind: "scalar", value: output.value };
  return { kind: "scalar", value: output.value };
}

/** Returns the values of which nests do not compute each element. */
function partlyWritten({ steps, loops }: RegionRequest): ReadonlySet<number> {
  const found = new Set<number>();
  for (const { nests, writes } of steps)
    for (const id of writes) {
      const elements = product(loops.buffers[id]!.shape);
      const isWhole = nests.some(
        ({ output, axes }: LoopNest) => output === id && elementsOf(axes).text === elements.text,
      );
      if (!isWhole) found.add(id);
    }
  return found;
}
