/**
 * @file Whether the device computes a call: asked of the call's own loops, before calls become
 * regions and loops are fused.
 */
import {
  DEFAULT_LIMITS,
  type FusionLimits,
  fixedValue,
  forEachScalar,
  hasSizes,
  type Integers,
  indicesOf,
  type LoopNest,
  lowerCall,
  namesPlaces,
  rankOf,
  selectsFirst,
  ZERO,
} from "@sconce/codegen";
import { eachInPieces, isSconceError, type Work } from "@sconce/errors";
import type { ExportedProgram, Graph, Node } from "@sconce/ir";
import { type OperatorTable, refuseNames } from "@sconce/ops";
import { memoryReads } from "@sconce/passes";
import type { Bindings } from "@sconce/symbolic";
import type { Device } from "../device/device.js";
import { whyNotHeldBy } from "../prepare/support.js";
import { bitsOf } from "../ranges/analyze.js";
import { rangeOfDType } from "../ranges/interval.js";
import {
  type BoundCall,
  bindCall,
  type CallLoops,
  callLoopsOf,
  isInteger,
  judgeCall,
  smallest,
  type ValueRanges,
  withFeeders,
} from "../ranges/judge.js";
import { EqualCalls } from "./equal-calls.js";
import { scansFor } from "./scans.js";
import { readThrough } from "./strided-reads.js";
import { type WorkLimit, whyTooMuch } from "./work.js";

/** What calls are judged by: a device, and what is asked of it. */
export interface DeviceTarget {
  /** The name of the backend. */
  readonly name: string;
  /** The device, or what one of its kind says. */
  readonly device: Pick<Device, "whyNot" | "whyNotHeld" | "target" | "imageLayout" | "takesFactor">;
  /** Inputs that hold the same elements in all runs, by their names. Default: none. */
  readonly constants?: ReadonlySet<string> | undefined;
  /** What is too much work for the device. */
  readonly limit: WorkLimit;
  /** The operators of the program. */
  readonly operators: OperatorTable;
  /** Calls that are the host's in any case, with reasons. */
  readonly left?: ReadonlyMap<string, string>;
}

/** Whether the device computes a call: always, never, or in runs in which conditions hold. */
export type Legality =
  | { readonly kind: "yes" }
  | { readonly kind: "no"; readonly reason: string }
  | { readonly kind: "when"; readonly conditions: readonly Condition[] };

/** What has to hold in a run. */
export type Condition =
  /** Integers computed from these values stay exact. */
  | { readonly kind: "integers"; readonly values: readonly string[]; readonly bound: number }
  /** Places that these values name exist. */
  | { readonly kind: "indices"; readonly values: readonly string[] }
  /** The loops of a scan, a sort or a scatter take few iterations. */
  | { readonly kind: "iterations"; readonly hint: string; readonly most: number };

/** The answers for a program. */
export interface Legalities {
  /** By the names of calls. */
  readonly answers: ReadonlyMap<string, Legality>;
  /**
   * The calls to look at in each run: those with conditions, and what ranges for these come from.
   */
  readonly checks: ReadonlyMap<string, CallLoops>;
}

/** Returns how loops are fused for a device. */
export const limitsOf = ({ target: { maxReads } }: Pick<Device, "target">): FusionLimits => ({
  ...DEFAULT_LIMITS,
  reads: maxReads,
});

/** Asks for every call of a program, in pieces. */
export function* legalitiesOf(program: ExportedProgram, target: DeviceTarget): Work<Legalities> {
  const { graph, symbolHints } = program;
  const answers = new Map<string, Legality>();
  const calls: CallLoops[] = [];
  const equal = new EqualCalls();
  yield* eachInPieces(graph.nodes(), (node) => {
    if (node.op !== "call_function" || node.target === "operator.getitem") return;
    const asked = ask(node, graph, target, equal);
    answers.set(node.name, asked.answer);
    if (asked.call !== undefined) calls.push(asked.call);
  });
  const ranges = [new Map(), new Map()] as const;
  const { integers } = target.device.target;
  yield* eachInPieces(
    withFeeders(calls, (call) => dependsOnRanges(call, integers)),
    (call) => {
      answers.set(call.node, byRanges(call, answers.get(call.node)!, ranges, integers, symbolHints));
    },
  );
  for (const [name, reason] of target.left ?? []) answers.set(name, { kind: "no", reason });
  hostReadViews(answers, graph, target.operators);
  const isConditional = ({ node }: CallLoops): boolean => answers.get(node)!.kind === "when";
  const taken = calls.filter(({ node }) => answers.get(node)!.kind !== "no");
  const checks = withFeeders(taken, isConditional);
  return { answers, checks: new Map(checks.map((call) => [call.node, call])) };
}

/** Leaves views to the host that calls of the host look through. */
function hostReadViews(answers: Map<string, Legality>, graph: Graph, operators: OperatorTable): void {
  for (const { reader, views } of memoryReads(graph, operators)) {
    if (answers.get(reader)?.kind !== "no") continue;
    for (const view of views)
      if (answers.has(view) && answers.get(view)!.kind !== "no")
        answers.set(view, { kind: "no", reason: readThrough(reader) });
  }
}

/** Returns the conditions as text: "when integers computed from %x stay below 2^24". */
export const conditionText = (conditions: readonly Condition[]): string =>
  `when ${conditions.map(textOf).join(" and ")}`;

function textOf(condition: Condition): string {
  if (condition.kind === "iterations")
    return `its ${condition.hint} takes at most ${condition.most} iterations for each element of the host`;
  const names = condition.values.map((name) => `%${name}`).join(", ");
  if (condition.kind === "indices") return `indices${names && ` in ${names}`} lie inside of their tensor`;
  return `integers${names && ` computed from ${names}`} stay below ${bitsOf(condition.bound)}`;
}

/** Answers from the loops of a call, before the ranges of its integers are looked at. */
function ask(
  node: Node,
  graph: Graph,
  { device, limit, operators }: DeviceTarget,
  equal: EqualCalls,
): { readonly answer: Legality; readonly call?: CallLoops } {
  const held = whyNotHeldBy(node, graph, device);
  if (held !== undefined) return { answer: { kind: "no", reason: held } };
  const schema = operators.schemaOf(node.target);
  if (schema !== undefined) refuseNames(schema, node.args, node.kwargs);
  const options = { operators, limits: limitsOf(device) };
  const loops = equal.loops(node, graph, () => lowerCall(node, graph, options));
  if ("reason" in loops) return { answer: { kind: "no", reason: loops.reason } };
  const blocked = scansFor(device, loops);
  const conditions: Condition[] = [];
  for (const nest of blocked.nests) {
    const isOpen = hasSizes(nest);
    const reason = device.whyNot(nest, blocked) ?? (isOpen ? undefined : whyTooMuch(nest, limit));
    if (reason !== undefined) return { answer: { kind: "no", reason } };
    const [hint, most] = [nest.hint?.kind, limit.iterationsPerElement];
    const isLimited = hint !== undefined && hint !== "contraction" && Number.isFinite(most);
    if (isOpen && isLimited && conditions.length === 0) conditions.push({ kind: "iterations", hint, most });
  }
  const selected = whySelected(node, blocked.nests, device);
  if (selected !== undefined) return { answer: { kind: "no", reason: selected } };
  return { answer: answerOf(conditions), call: callLoopsOf(node.name, loops) };
}
/**
 * Returns why the host is faster: it selects from long rows, which the kernels of the call sort.
 */
function whySelected(
  { target }: Node,
  nests: readonly LoopNest[],
  device: DeviceTarget["device"],
): string | undefined {
  if (!SELECTIONS.has(target)) return undefined;
  const isLong = nests.some((nest) => {
    const length = fixedValue(rankOf(nest)?.axis.extent ?? ZERO);
    return length !== undefined && length > LONG_ROW && !selectsFirst(nest, device.target);
  });
  return isLong ? "the host selects elements of long rows without sorting them" : undefined;
}
const SELECTIONS: ReadonlySet<string> = new Set([
  "aten.median.default",
  "aten.median.dim",
  "aten.topk.default",
]);
/** Elements from which a selection by the host takes a third of the time of a sort. */
const LONG_ROW = 4096;
const answerOf = (conditions: readonly Condition[]): Legality =>
  conditions.length === 0 ? { kind: "yes" } : { kind: "when", conditions };

/**
 * Returns the answer by the ranges of the smallest integers, and of the widest that there may be.
 */
function byRanges(
  call: CallLoops,
  answer: Legality,
  [least, most]: readonly [ValueRanges, ValueRanges],
  integers: Integers,
  examples: Bindings,
): Legality {
  const isOpen = call.loops.nests.some(hasSizes);
  const bound = isOpen ? exampleOf(call, examples) : { call, loops: call.loops, nests: call.loops.nests };
  const reason = bound && judgeCall(bound, least, integers, smallest);
  const isExact = !isOpen && judgeCall(bound!, most, integers, rangeOfDType) === undefined;
  if (!dependsOnRanges(call, integers)) return answer;
  if (reason !== undefined) return { kind: "no", reason };
  const sized = answer.kind === "when" ? answer.conditions : [];
  return isExact ? answer : answerOf([...sized, ...conditionsOf(call, integers.high)]);
}

/** Returns whether the values that a call reads decide if the device computes it. */
export const dependsOnRanges = ({ hasIntegers, loops }: CallLoops, { high }: Integers): boolean =>
  hasIntegers && (Number.isFinite(high) || loops.nests.some(hasPlaces));

/** Returns the call in the sizes of the example; undefined where it has others. */
function exampleOf(call: CallLoops, sizes: Bindings): BoundCall | undefined {
  try {
    return bindCall(call, sizes);
  } catch (error) {
    if (isSconceError(error, "SYM_UNBOUND")) return undefined;
    throw error;
  }
}

function conditionsOf({ reads, loops: { nests, buffers, outputs } }: CallLoops, bound: number): Condition[] {
  const values = [...new Set(reads.filter(({ dtype }) => isInteger(dtype)).map(({ node }) => node))];
  const readsPlaces = nests.some(hasPlaces);
  const givesIntegers = outputs.some(
    (output) => output.kind === "buffer" && isInteger(buffers[output.buffer]!.dtype),
  );
  const conditions: Condition[] = [];
  if (Number.isFinite(bound) && (givesIntegers || !readsPlaces))
    conditions.push({ kind: "integers", values, bound });
  if (readsPlaces) conditions.push({ kind: "indices", values });
  return conditions;
}

/** Returns whether a nest reads at places that tensors name. */
function hasPlaces({ value }: LoopNest): boolean {
  let found = false;
  forEachScalar(value, (scalar) => {
    for (const index of indicesOf(scalar)) found ||= namesPlaces(index);
  });
  return found;
}
