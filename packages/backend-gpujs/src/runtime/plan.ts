/** @file A prepared program as a chain of regions that run on the device and on the host. */
import {
  blockScans,
  DEFAULT_LIMITS,
  hasSizes,
  type LoopNest,
  type LoopProgram,
  loweringSteps,
} from "@sconce/codegen";
import { eachInPieces, finish, type Work } from "@sconce/errors";
import {
  type ExportedProgram,
  FakeTensor,
  forEachInput,
  type Graph,
  GraphBuilder,
  isSymScalar,
  type MetaValue,
  type NodePlacement,
  rebuild,
  ref,
  symInt,
  tuple,
} from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import {
  type AskedBackend,
  CALL_REGION,
  type Partition,
  partitionSteps,
  type Region,
  regionProgram,
  splitBy,
} from "@sconce/passes";
import { type Bindings, symbolByName } from "@sconce/symbolic";
import type { Device } from "../device.js";
import { inexactNests } from "../ranges/static.js";
import { attribute, type Problems, type Reasons, unfusedLoops } from "./attribution.js";
import { whyNotOnDevice } from "./support.js";
import { type WorkLimit, whyTooMuch } from "./work.js";

const NAME = "gpujs";

/** A region of the program. Inputs and outputs have the names of the program's nodes. */
export interface Step {
  readonly name: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  /** The region as a separate program; the caller gives all of its inputs. */
  readonly program: () => ExportedProgram;
  /** What the device runs; undefined for regions of the host. */
  readonly device: DeviceRegion | undefined;
}
/** A region as the device runs it. */
interface DeviceRegion {
  readonly loops: LoopProgram;
  readonly graph: Graph;
  /** Divides the region again, without the nodes that its values or sizes keep off the device. */
  readonly without: (refused: Reasons) => ProgramPlan;
}
export interface ProgramPlan {
  readonly steps: readonly Step[];
  readonly nodes: readonly NodePlacement[];
}

/** How a program is divided. */
export interface Planning {
  readonly device: Pick<Device, "whyNot" | "whyNotHeld" | "maxReads" | "integers">;
  readonly limit: WorkLimit;
  readonly operators: OperatorTable;
}

/**
 * Divides a program. Nodes whose loops the device cannot compute go to the host, too.
 *
 * @param excluded nodes that are the host's in any case, with reasons
 */
const planProgram = (
  program: ExportedProgram,
  planning: Planning,
  excluded: Reasons = new Map(),
): ProgramPlan => finish(planSteps(program, planning, excluded));

/** As {@link planProgram}, in pieces. */
export function* planSteps(
  program: ExportedProgram,
  planning: Planning,
  excluded: Reasons = new Map(),
): Work<ProgramPlan> {
  const { device, operators } = planning;
  const refused = new Map(excluded);
  for (;;) {
    const divided = yield* partitionSteps(program, asBackend(refused, operators, device), operators);
    yield;
    const loops = new Map<string, LoopProgram>();
    const before = refused.size;
    for (const { name, graph } of divided.regions) {
      const limits = { ...DEFAULT_LIMITS, reads: device.maxReads };
      const lowered = blockScans(yield* loweringSteps(graph, { operators, limits }));
      loops.set(name, lowered);
      yield;
      const find = (loops: LoopProgram): Work<Problems> => problemsOf(loops, planning, program.symbolHints);
      const alone = (): Problems => finish(find(blockScans(unfusedLoops(graph, operators))));
      const reasons = attribute(yield* find(lowered), alone);
      for (const [node, reason] of reasons) if (!refused.has(node)) refused.set(node, reason);
    }
    yield;
    if (refused.size === before) return yield* chain(program, divided, loops, planning);
  }
}

/** What is wrong with nests, whatever a run brings. */
function* problemsOf(loops: LoopProgram, { device, limit }: Planning, examples: Bindings): Work<Problems> {
  const problems = new Map<LoopNest, string>();
  const inexact = yield* inexactNests(loops, device.integers, examples);
  yield* eachInPieces(loops.nests, (nest) => {
    const tooMuch = hasSizes(nest) ? undefined : whyTooMuch(nest, limit);
    const reason = device.whyNot(nest, loops) ?? inexact.get(nest) ?? tooMuch;
    if (reason !== undefined) problems.set(nest, reason);
  });
  return problems;
}

/** The backend that partitioning asks: the device's answers only. */
const asBackend = (
  refused: ReadonlyMap<string, string>,
  operators: OperatorTable,
  device: Pick<Device, "whyNotHeld">,
): AskedBackend => ({
  name: NAME,
  supports: (node, graph) => {
    const reason = refused.get(node.name) ?? whyNotOnDevice(node, graph, operators, device);
    return reason === undefined || { reason };
  },
});

function* chain(
  program: ExportedProgram,
  { program: outer, regions, left }: Partition,
  loops: ReadonlyMap<string, LoopProgram>,
  planning: Planning,
): Work<ProgramPlan> {
  const { operators } = planning;
  const byCall = new Map(regions.map((region) => [region.name, region]));
  const calls = outer.graph.nodes().filter((node) => node.op === "call_function");
  const regionOf = ({ target, args }: (typeof calls)[number]): string | undefined =>
    target === CALL_REGION && typeof args[1] === "string" && byCall.has(args[1]) ? args[1] : undefined;
  let last: string | undefined;
  const starts = new Set<string>();
  for (const node of calls) {
    if (node.target === "operator.getitem") continue;
    const region = regionOf(node);
    if (region !== undefined || last !== undefined) starts.add(node.name);
    last = region;
  }
  // Values come from the caller, state too: what one run wrote the next reads.
  const bare = outer.with({
    graphSignature: { inputSpecs: [], outputSpecs: [] },
    rangeConstraints: new Map(),
  });
  const deviceOf = (region: Region): DeviceRegion => ({
    loops: loops.get(region.name)!,
    graph: region.graph,
    without: (refused) => planProgram(regionProgram(bare, region), planning, refused),
  });
  const programOf = (part: Region) => () =>
    regionProgram(bare, { ...part, graph: unconstrained(part.graph) });
  yield;
  const { parts } = splitBy(outer, ({ name }) => starts.has(name), operators);
  const whole = parts.length > 0 || calls.length === 0 ? parts : [wholeOf(outer)];
  const steps = whole.map((part): Step => {
    const call = part.graph.nodes().find((node) => regionOf(node) !== undefined);
    const region = call && byCall.get(regionOf(call)!)!;
    if (region === undefined) return { ...part, device: undefined, program: programOf(part) };
    return { ...region, device: deviceOf(region), program: programOf(region) };
  });
  yield;
  return { steps, nodes: placements(program, left) };
}

/** The graph with inputs of any sizes: an earlier region computes them. */
const unconstrained = (graph: Graph): Graph =>
  rebuild(graph, (node) => {
    if (node.op !== "placeholder") return true;
    const val = anySize(node.name, node.meta.val);
    return val === undefined || { ...node, meta: { ...node.meta, val } };
  });
function anySize(name: string, val: MetaValue | undefined): MetaValue | undefined {
  if (val instanceof FakeTensor)
    return new FakeTensor({ ...val, shape: val.shape.map((_, d) => symbolByName(`${name}_${d}`)) });
  return isSymScalar(val) && val.kind === "SymInt" ? symInt(symbolByName(name)) : undefined;
}

/** The only part of a program that is not divided. */
function wholeOf({ graph }: ExportedProgram): Region {
  const inputs = graph.placeholders().map(({ name }) => name);
  const given = new Set(inputs);
  const outputs = new Set<string>();
  const builder = new GraphBuilder({ unknownTargets: "allow" });
  for (const [target, nested] of graph.subgraphs) builder.subgraph(target, nested);
  for (const node of graph.nodes()) {
    if (node.op !== "output") builder.add(node);
    else forEachInput(node, (name) => void (given.has(name) || outputs.add(name)));
  }
  builder.output(tuple([...outputs].map(ref)));
  return { name: "part_0", graph: builder.build(), inputs, outputs: [...outputs] };
}

function placements(program: ExportedProgram, left: Partition["left"]): NodePlacement[] {
  const reasons = new Map(left.map(({ node, reason }) => [node, reason]));
  return program.graph
    .nodes()
    .filter(({ op, target }) => op === "call_function" && target !== "operator.getitem")
    .map(({ name, target }) => {
      const reason = reasons.get(name);
      return { node: name, target, place: reason === undefined ? "device" : "host", reason };
    });
}
