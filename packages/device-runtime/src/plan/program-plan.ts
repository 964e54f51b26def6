/** @file A prepared program as a chain of regions that run on the device and on the host. */
import {
  type FusionLimits,
  type LoopBuffer,
  type LoopProgram,
  loweringSteps,
  readsOf,
} from "@sconce/codegen";
import { finish, type Work } from "@sconce/errors";
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
import {
  type AskedBackend,
  CALL_REGION,
  type Partition,
  partitionSteps,
  type Region,
  regionProgram,
  splitBy,
} from "@sconce/passes";
import { symbolByName } from "@sconce/symbolic";
import type { CallLoops } from "../ranges/judge.js";
import { conditionText, type DeviceTarget, type Legalities, legalitiesOf, limitsOf } from "./legality.js";
import { scansFor } from "./scans.js";

/** A region of the program. Inputs and outputs have the names of the program's nodes. */
export interface Step {
  /** Unique in the executable. */
  readonly name: string;
  /** Names of the values that it reads. */
  readonly inputs: readonly string[];
  /** Names of the values that it gives. */
  readonly outputs: readonly string[];
  /** The region as a separate program; the caller gives all of its inputs. */
  readonly program: () => ExportedProgram;
  /** What the device runs; undefined for regions of the host. */
  readonly device: DeviceRegion | undefined;
}
/** Reasons by the names of nodes. */
export type Reasons = ReadonlyMap<string, string>;
/** A region as the device runs it. */
export interface DeviceRegion {
  readonly loops: LoopProgram;
  readonly graph: Graph;
  /** The calls to look at in each run, in order. */
  readonly checks: readonly CallLoops[];
  /** Divides the region, for runs that leave these nodes to the host. */
  readonly without: (refused: Reasons) => readonly Step[];
}
/** A program divided into regions. */
export interface ProgramPlan {
  /** The regions in their order. */
  readonly steps: readonly Step[];
  /** Where each call runs. */
  readonly nodes: readonly NodePlacement[];
}

/**
 * Divides a program: asks what the device computes, then makes regions of what it does. No region
 * has a call that the device cannot compute in some run.
 */
export function* planSteps(program: ExportedProgram, target: DeviceTarget): Work<ProgramPlan> {
  const asked = yield* legalitiesOf(program, target);
  yield;
  const { steps, left } = yield* divide(program, asked, target, new Map());
  return { steps, nodes: placements(program, left, asked) };
}

/** A program in steps, and the calls that are the host's. */
interface Division extends Pick<Partition, "left"> {
  readonly steps: readonly Step[];
}

/** @param refused nodes that are the host's in any case, with reasons */
function* divide(
  program: ExportedProgram,
  asked: Legalities,
  target: DeviceTarget,
  refused: Reasons,
): Work<Division> {
  const { device, operators } = target;
  const divided = yield* partitionSteps(program, asBackend(asked, refused, target.name), operators);
  yield;
  const loops = new Map<string, LoopProgram>();
  for (const region of divided.regions) {
    const { name, graph } = region;
    const layouts = device.imageLayout && { layouts: device.imageLayout };
    const limits = { ...limitsOf(device), takesFactor: factorsOf(region, target) };
    const options = { operators, limits, ...layouts };
    loops.set(name, scansFor(device, yield* loweringSteps(graph, options)));
    yield;
  }
  return { steps: yield* chain(divided, loops, asked, target), left: divided.left };
}

/** Returns which factors products of a region compute themselves: of those, each from constants. */
function factorsOf(
  { graph, inputs }: Region,
  { device, constants }: DeviceTarget,
): FusionLimits["takesFactor"] {
  if (constants === undefined || device.takesFactor === undefined) return undefined;
  const held = new Set<string>();
  graph.placeholders().forEach(({ name }, at) => {
    if (constants.has(inputs[at]!)) held.add(name);
  });
  const isConstant = ({ kind, node }: LoopBuffer): boolean => kind === "input" && held.has(node);
  return (factor) =>
    [...readsOf(factor.value)].every((id) => isConstant(factor.buffers[id]!)) && device.takesFactor!(factor);
}

/** Returns the backend that partitioning asks: the answers for the device. */
const asBackend = ({ answers }: Legalities, refused: Reasons, name: string): AskedBackend => ({
  name,
  supports: ({ name }) => {
    const legality = answers.get(name)!;
    const reason = refused.get(name) ?? (legality.kind === "no" ? legality.reason : undefined);
    return reason === undefined || { reason };
  },
});

function* chain(
  { program: outer, regions }: Partition,
  loops: ReadonlyMap<string, LoopProgram>,
  asked: Legalities,
  target: DeviceTarget,
): Work<Step[]> {
  const byCall = new Map(regions.map((region) => [region.name, region]));
  const calls = outer.graph.calls();
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
    checks: region.graph
      .nodes()
      .flatMap(({ op, name }) => (op === "call_function" && asked.checks.get(name)) || []),
    without: (refused) => finish(divide(regionProgram(bare, region), asked, target, refused)).steps,
  });
  const programOf = (part: Region) => () =>
    regionProgram(bare, { ...part, graph: unconstrained(part.graph) });
  yield;
  const { parts } = splitBy(outer, ({ name }) => starts.has(name), target.operators);
  const whole = parts.length > 0 || calls.length === 0 ? parts : [wholeOf(outer)];
  return whole.map((part): Step => {
    const call = part.graph.nodes().find((node) => regionOf(node) !== undefined);
    const region = call && byCall.get(regionOf(call)!)!;
    if (region === undefined) return { ...part, device: undefined, program: programOf(part) };
    return { ...region, device: deviceOf(region), program: programOf(region) };
  });
}

/** Returns the graph with inputs of any sizes: an earlier region computes them. */
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

/** Returns the only part of a program that is not divided. */
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

function placements(
  { graph }: ExportedProgram,
  left: Partition["left"],
  { answers }: Legalities,
): NodePlacement[] {
  const reasons = new Map(left.map(({ node, reason }) => [node, reason]));
  return [...answers].map(([node, legality]) => {
    const [{ target }, reason] = [graph.node(node), reasons.get(node)];
    if (reason !== undefined) return { node, target, place: "host", reason };
    if (legality.kind !== "when") return { node, target, place: "device" };
    return { node, target, place: "device", condition: conditionText(legality.conditions) };
  });
}
