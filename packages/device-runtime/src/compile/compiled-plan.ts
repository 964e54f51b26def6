/**
 * @file A program as a device would run it, without running it: its steps, what its kernels are
 * made of, and the tensors that they read. What writes programs to files begins here.
 */
import { type LoopProgram, lowerCall, SizeLimits, type SizeRequirements, symbolsOf } from "@sconce/codegen";
import type { ExportedProgram, Graph, NodePlacement } from "@sconce/ir";
import { type OperatorTable, programState } from "@sconce/ops";
import type { Tensor } from "@sconce/tensor";
import type { SizeDecision } from "@sconce/trace";
import { type NeededSize, neededSizes } from "../checks/empty-operands.js";
import { allCalls } from "../checks/size-checks.js";
import type { RegionDevice, RegionRequest } from "../device/device.js";
import { fixedTensors } from "../memory/state.js";
import { limitsOf } from "../plan/legality.js";
import type { DeviceRegion, Reasons, Step } from "../plan/program-plan.js";
import { limitOf } from "../plan/work.js";
import { type PrepareOptions, prepare } from "../prepare/prepare.js";
import { withRecordedValues } from "../prepare/trusted.js";
import type { BoundCall } from "../ranges/judge.js";
import { openSteps } from "../regions/open-steps.js";
import { RegionRunner } from "../regions/region.js";
import { planPrepared } from "./planned.js";
import { decidedInRun, type ProvedSizes, provedSizes } from "./proved-sizes.js";

/** A tensor of a program's state, as a placeholder of the lowered program reads it. */
export interface StateTensor {
  /** The name in the program: `layer1.weight`; folded weights have new names. */
  readonly target: string;
  /** Its values at the start of the first run. */
  readonly tensor: Tensor;
  /** Whether runs write to it. */
  readonly isChanged: boolean;
}

/** What has to hold at the sizes of a run, for a region whose kernels serve all sizes. */
export interface OpenRegion {
  /** What the loops take for granted. */
  readonly requirements: SizeRequirements;
  /** Sizes that are not 0. */
  readonly needed: readonly NeededSize[];
}

/** A region of the program, as its kernels are made. */
export interface CompiledRegion {
  /** What the region reads and gives. */
  readonly step: Step;
  /** What the device compiled; undefined for a region with calls that are refused. */
  readonly request: RegionRequest | undefined;
  /** Defined for a region with sizes that a run decides. */
  readonly open: OpenRegion | undefined;
  /** Calls that the device does not compute, with the reasons. */
  readonly refused: Reasons;
  /**
   * Calls for which values may decide whether the device computes them, and those that these values
   * come from, in order. In an open region their sizes are not filled in.
   */
  readonly checks: readonly BoundCall[];
}

/** The program in steps. A step without a region is the host's. */
export interface CompiledPlan {
  /** The program before it was lowered: inputs are checked against it. */
  readonly original: ExportedProgram;
  /** The lowered program. */
  readonly program: ExportedProgram;
  /** Where each of its calls runs. */
  readonly nodes: readonly NodePlacement[];
  /** The steps in their order. */
  readonly steps: readonly { readonly step: Step; readonly region: CompiledRegion | undefined }[];
  /** The state by the names of placeholders. */
  readonly state: ReadonlyMap<string, StateTensor>;
  /** The sizes for which the program, before lowering and after it, is proved to hold. */
  readonly proved: ProvedSizes;
  /** What lowering decided about sizes. */
  readonly decisions: readonly SizeDecision[];
  /** Why runs may be other than the plan; undefined where none is. */
  readonly unsure: string | undefined;
}

/** A device that keeps what it is asked to compile. */
export interface RecordingDevice extends RegionDevice {
  /** Returns the request of the last region, and forgets it. */
  takeRequest(): RegionRequest | undefined;
}

/** How a program is planned. */
export interface PlanOptions extends PrepareOptions {
  /** Calls of the lowered program that are left to the host, with reasons. */
  readonly left?: Reasons;
}

/** Plans a program and makes the kernels of its regions; a text is why it cannot. */
export async function compilePlan(
  given: ExportedProgram,
  device: RecordingDevice,
  options: PlanOptions,
  signal?: AbortSignal,
): Promise<CompiledPlan | string> {
  const { operators, left = new Map() } = options;
  const original = withRecordedValues(given, operators);
  const prepared = await prepare(original, { ...options, lowersBodies: true }, signal);
  if (prepared.program === undefined) return prepared.reason;
  const target = { name: "wasm", device, limit: limitOf(device), operators, left };
  const { program, plan } = await planPrepared(original, prepared, target, signal);
  const state = stateOf(program, options);
  const fixed = new Map(
    [...state].flatMap(([name, { tensor, isChanged }]) => (isChanged ? [] : [[name, tensor]])),
  );
  const regions = new RegionCompiler(device, program, fixed, operators);
  const steps: CompiledPlan["steps"][number][] = [];
  for (const step of plan.steps) {
    const region = step.device && (await regions.compile(step, step.device));
    steps.push({ step, region });
  }
  return {
    original,
    program,
    nodes: plan.nodes,
    steps,
    state,
    proved: provedSizes(
      [original, program],
      operators,
      decidedInRun(original, program, plan.nodes, operators),
    ),
    decisions: prepared.decisions,
    unsure: whyUnsure(prepared.needsRecordedLayouts, prepared.leastSizes.length > 0),
  };
}

function whyUnsure(needsLayouts: boolean, hasLeast: boolean): string | undefined {
  if (needsLayouts) return "how its inputs lie in memory decides where it writes";
  return hasLeast ? "how many rows a loop has decides what it writes to" : undefined;
}

/** Makes the kernels of regions. */
class RegionCompiler {
  readonly #device: RecordingDevice;
  readonly #program: ExportedProgram;
  readonly #fixed: ReadonlyMap<string, Tensor>;
  readonly #operators: OperatorTable;

  constructor(
    device: RecordingDevice,
    program: ExportedProgram,
    fixed: ReadonlyMap<string, Tensor>,
    operators: OperatorTable,
  ) {
    this.#device = device;
    this.#program = program;
    this.#fixed = fixed;
    this.#operators = operators;
  }

  async compile(step: Step, region: DeviceRegion): Promise<CompiledRegion> {
    const device = this.#device;
    const memory = { maxBytes: Number.POSITIVE_INFINITY, graph: this.#program.graph };
    const limit = limitOf(device);
    const runner = new RegionRunner({
      region,
      inputs: step.inputs,
      fixed: this.#fixed,
      device,
      limit,
      memory,
    });
    if (!runner.isFixed) return this.#open(step, region);
    await runner.prepare(new Map(), {
      step: () => {},
      made: () => {},
    });
    const { checks, refused } = runner;
    return { step, request: device.takeRequest(), open: undefined, refused, checks };
  }

  /** Returns a region whose kernels get the sizes of each run. */
  #open(step: Step, { loops, graph, checks: calls }: DeviceRegion): CompiledRegion {
    const device = this.#device;
    const constants = new Map<number, Tensor>();
    loops.inputs.forEach((id, at) => {
      const tensor = this.#fixed.get(step.inputs[at]!);
      if (id !== undefined && tensor !== undefined) constants.set(id, tensor);
    });
    const made = openSteps(loops, device, constants);
    const refused = new Map<string, string>();
    const limits = new SizeLimits(loops);
    for (const { nodes, reason } of this.#faults(loops, limits, made?.reasons))
      for (const node of this.#causes(nodes, graph)) refused.set(node, reason);
    const { requirements } = limits;
    if (requirements === undefined)
      for (const [node, reason] of allCalls(graph, "its loops are too large to see what they read"))
        refused.set(node, reason);
    const checks = calls.map((call) => ({ call, loops: call.loops, nests: call.loops.nests }));
    if (made === undefined || requirements === undefined || refused.size > 0)
      return { step, request: undefined, open: undefined, refused, checks };
    const sizes = new Map<string, number>();
    const memory = { places: new Map(), pieces: [], peakBytes: 0, dead: [], alive: [], liveBytes: 0 };
    device.compileRegion({
      loops,
      sizes,
      steps: made.steps.toSorted((a, b) => a.at - b.at),
      constants,
      memory,
    });
    const open = { requirements, needed: neededSizes(graph) };
    return { step, request: device.takeRequest(), open, refused, checks };
  }

  /**
   * Returns the loops that have no code for all sizes, and those that the device leaves to the host
   * at the sizes of the example. Sizes that the data decide have no example.
   */
  #faults(
    loops: LoopProgram,
    limits: SizeLimits,
    reasons: ReadonlyMap<number, string> = new Map(),
  ): readonly { readonly nodes: readonly string[]; readonly reason: string }[] {
    const { symbolHints } = this.#program;
    const hasExample = loops.nests.every((nest) =>
      [...symbolsOf(nest, loops)].every((name) => symbolHints.has(name)),
    );
    const open = loops.nests.flatMap(({ output, nodes }) => {
      const reason = reasons.get(output);
      return reason === undefined ? [] : [{ nodes, reason }];
    });
    return [...open, ...(hasExample ? limits.faults(symbolHints) : [])];
  }
  /** Returns the calls of fused loops that have faults alone; all of them where none has. */
  #causes(nodes: readonly string[], graph: Graph): readonly string[] {
    const hasFault = (name: string): boolean => {
      const loops = lowerCall(graph.node(name), graph, {
        operators: this.#operators,
        limits: limitsOf(this.#device),
      });
      if ("reason" in loops) return false;
      const made = openSteps(loops, this.#device, new Map());
      return this.#faults(loops, new SizeLimits(loops), made?.reasons).length > 0;
    };
    const causes = nodes.length > 1 ? nodes.filter(hasFault) : nodes;
    return causes.length === 0 ? nodes : causes;
  }
}

function stateOf(program: ExportedProgram, { operators }: PrepareOptions): Map<string, StateTensor> {
  const own = programState(program, operators);
  const fixed = fixedTensors(program, own);
  const state = new Map<string, StateTensor>();
  program.graph.placeholders().forEach(({ name }, at) => {
    const target = program.graphSignature.inputSpecs[at]?.target ?? undefined;
    const tensor = target === undefined ? undefined : own.get(target);
    if (target !== undefined && tensor !== undefined)
      state.set(name, { target, tensor, isChanged: !fixed.has(tensor) });
  });
  return state;
}
