/**
 * @file Prepares programs for the backend: functional, core operators, folded batch norms, no
 * duplicate calls.
 */
import { withoutProvedAssertions, withReadParts, withRealDTypes } from "@sconce/codegen";
import { finishWithPauses, isSconceError } from "@sconce/errors";
import { type ExportedProgram, FakeTensor, forEachInput, type Graph, type Node } from "@sconce/ir";
import { hasKernelLayout, type OperatorTable } from "@sconce/ops";
import {
  type CallSources,
  canonicalize,
  commonSubexpressionElimination,
  type Decompositions,
  deadCodeElimination,
  decompositionSteps,
  defaultDecompositions,
  type Evaluator,
  foldBatchNorm,
  functionality,
  isFunctional,
  PassManager,
  refusedDTypeSteps,
} from "@sconce/passes";
import { sameSizes } from "@sconce/symbolic";
import { contiguousStrides } from "@sconce/tensor";
import { DecisionEnv, type SizeDecision } from "@sconce/trace";
import type { LeastSize } from "./aliased-results.js";
import { changedByLowering } from "./changed-numbers.js";
import { withOwnBodies } from "./own-bodies.js";
import { Pacer } from "./pacer.js";
import { sourcesOf } from "./sources.js";
import {
  checksNumber,
  HALF_STEPS,
  KEPT,
  readsLogSums,
  readsTotalOnly,
  roundsHalves,
  takesNoBuffer,
} from "./support.js";
import { trustedProgram } from "./trusted.js";
import { unreadRefusal } from "./unread-calls.js";
import { NO_WRITES, type WrittenMemory, writtenMemory } from "./written-memory.js";

export interface PrepareOptions {
  readonly operators: OperatorTable;
  readonly evaluate: Evaluator;
  readonly decompositions?: (() => Decompositions) | undefined;
  /** Whether bodies of control flow are lowered too. Default: the host runs them as they are. */
  readonly lowersBodies?: boolean | undefined;
}

/** The program made ready, or why it has to stay as it is. */
export type Prepared =
  | {
      readonly program: ExportedProgram;
      readonly sources: CallSources;
      /** What lowering decided about sizes: for others the program has to run as it was. */
      readonly decisions: readonly SizeDecision[];
      /** What sizes must not be below, for the same reason. */
      readonly leastSizes: readonly LeastSize[];
      /** Whether it holds for inputs only that lie in memory as the program records. */
      readonly needsRecordedLayouts: boolean;
      readonly reason?: undefined;
    }
  | { readonly program: undefined; readonly reason: string };

/**
 * Lowers a program unless it is lowered, and tidies it. Its numbers stay, but for the rounding of
 * folded batch norms.
 */
export async function prepare(
  program: ExportedProgram,
  options: PrepareOptions,
  signal?: AbortSignal,
): Promise<Prepared> {
  const pacer = new Pacer("compilation", signal);
  try {
    const { operators, evaluate } = options;
    const isLowered =
      program.dialect === "ATEN" && isFunctional(program, operators) && !laysOutOtherwise(program);
    await pacer.step();
    const trusted = trustedProgram(program, operators);
    if (typeof trusted === "string") return { program: undefined, reason: trusted };
    // What it is lowered to may run. The host refuses the call when it reaches it, as PyTorch does.
    const refusedOf = (one: ExportedProgram): Promise<string | undefined> =>
      finishWithPauses(refusedDTypeSteps(one, operators), "compilation", signal);
    const refused = await refusedOf(program);
    if (refused !== undefined) return { program: undefined, reason: `a call is refused: ${refused}` };
    const lowering = isLowered ? NO_WRITES : whatLoweringChanges(trusted, operators);
    if (lowering.reason !== undefined) return { program: undefined, reason: lowering.reason };
    const unread = unreadRefusal(trusted, operators);
    if (unread !== undefined) return { program: undefined, reason: unread };
    const env = new DecisionEnv(trusted);
    const lowered = isLowered ? trusted : await lower(trusted, options, env, signal);
    // An operator may take what the operators of its decomposition do not take.
    const refusedLowered = isLowered ? undefined : await refusedOf(lowered);
    if (refusedLowered !== undefined)
      return { program: undefined, reason: `a lowered call is refused: ${refusedLowered}` };
    const unfit = whyNotRun(lowered, operators);
    if (unfit !== undefined) return { program: undefined, reason: unfit };
    const held =
      isLowered || options.lowersBodies === true ? lowered : withOwnBodies(lowered, trusted, operators);
    const manager = new PassManager({ operators, evaluate }, { record: false, verify: false });
    const tidy = [foldBatchNorm, canonicalize, commonSubexpressionElimination, deadCodeElimination];
    const tidied = await finishWithPauses(manager.steps(readingParts(held), tidy), "compilation", signal);
    await pacer.step();
    const ready = withoutProvedAssertions(withRealDTypes(tidied), operators);
    await pacer.step();
    return {
      program: ready,
      sources: sourcesOf(program, lowered, ready),
      decisions: env.decisions,
      leastSizes: lowering.leastSizes,
      needsRecordedLayouts: lowering.needsRecordedLayouts,
    };
  } catch (error) {
    // A table's wrong entry is the user's to correct: the host must not hide it.
    if (!isSconceError(error) || error.code.startsWith("DECOMPOSITION_") || error.code === "ABORTED")
      throw error;
    return { program: undefined, reason: `it cannot be lowered: ${error.message}` };
  }
}

/**
 * Returns the program without parts of divided tensors that nothing reads: passes look at all
 * results.
 */
function readingParts(lowered: ExportedProgram): ExportedProgram {
  const graph = withReadParts(lowered.graph);
  return graph === lowered.graph ? lowered : lowered.with({ graph });
}

/**
 * Returns whether kernels may lay out results of a lowered program in another way than it records:
 * those of calls whose operands are not in rows.
 */
function laysOutOtherwise({ graph }: ExportedProgram): boolean {
  const isInRows = (name: string): boolean => {
    const val = graph.node(name).meta.val;
    if (!(val instanceof FakeTensor) || val.ndim < 2) return true;
    const { shape, strides } = val;
    const sizes = shape.filter((size) => typeof size === "number");
    if (sizes.length < shape.length) return strides.at(-1) === 1;
    return String(strides) === String(contiguousStrides(sizes));
  };
  for (const node of graph.nodes()) {
    if (node.op !== "call_function" || !hasKernelLayout(node.target)) continue;
    let areInRows = true;
    forEachInput(node, (name) => {
      areInRows &&= isInRows(name);
    });
    if (!areInRows) return true;
  }
  return false;
}

/** Lowers a program, with the casts of its mixed precision regions in all operators. */
function lower(
  program: ExportedProgram,
  options: PrepareOptions,
  env: DecisionEnv,
  signal: AbortSignal | undefined,
): Promise<ExportedProgram> {
  const { operators } = options;
  const table = checkedTable(program, options);
  const settings = { operators, exact: hasAutocast(program.graph), laysOut: true };
  return finishWithPauses(
    decompositionSteps(program, table, settings, () => env),
    "compilation",
    signal,
  );
}

/** Returns why the program as it is computes something else than the lowered one, if it does. */
function whatLoweringChanges(program: ExportedProgram, operators: OperatorTable): WrittenMemory {
  const reason = changedByLowering(program, operators);
  return reason === undefined ? writtenMemory(program, operators) : { ...NO_WRITES, reason };
}

/** Returns why a device cannot run a lowered program, if it cannot. */
function whyNotRun(lowered: ExportedProgram, operators: OperatorTable): string | undefined {
  if (lowered.dialect !== "ATEN") return `it is in the ${lowered.dialect} dialect`;
  if (hasAutocast(lowered.graph))
    return "it has an autocast region, which runs in other dtypes than recorded";
  const resized = resizedInput(lowered);
  if (resized !== undefined) return `it gives "${resized}" another size`;
  return functionality(lowered, operators).impurities[0]?.reason;
}

/**
 * Returns the table, without Sconce's decompositions that lose checks of values, or give another
 * value than one that is read. Decompositions of other operators call these with values that they
 * check or make themselves.
 */
function checkedTable(
  program: ExportedProgram,
  { operators, decompositions }: PrepareOptions,
): Decompositions | undefined {
  const given = decompositions?.();
  const called = new Set(Array.from(program.opHistogram().keys(), packetOf));
  // The only operator that is called by another one alone.
  if (called.has("aten._weight_norm")) called.add("aten._weight_norm_interface");
  const kept = [...KEPT].filter((target) => called.has(packetOf(target)));
  for (const { target } of undecomposedCalls(program.graph)) kept.push(target.replace("_.", "."));
  if (someCall(program.graph, roundsHalves)) kept.push(...HALF_STEPS);
  if (kept.length === 0) return given;
  const own = defaultDecompositions(operators);
  const table = new Map(given === undefined || given instanceof Map ? (given ?? own) : Object.entries(given));
  for (const target of kept.flatMap((one) => [one, ...(CALLED_BY.get(one) ?? [])]))
    if (table.get(target) === own.get(target)) table.delete(target);
  return table;
}
const UNDECOMPOSED = [checksNumber, readsLogSums, readsTotalOnly, takesNoBuffer];
const undecomposedCalls = (graph: Graph): readonly Node[] => [
  ...graph.nodes().filter((node) => UNDECOMPOSED.some((test) => test(node, graph))),
  ...[...graph.subgraphs.values()].flatMap(undecomposedCalls),
];
const someCall = (graph: Graph, test: (node: Node) => boolean): boolean =>
  graph.nodes().some(test) || [...graph.subgraphs.values()].some((nested) => someCall(nested, test));
/** `aten.index_add_.default` and `aten.index_add.default` are `aten.index_add`. */
const packetOf = (target: string): string => target.replace(/_?\.[^.]*$/, "");
/** Operators whose decompositions give one of those values that it refuses. */
const CALLED_BY: ReadonlyMap<string, readonly string[]> = new Map([
  ["aten.index_copy.default", ["aten.index_fill.int_Scalar", "aten.index_fill.int_Tensor"]],
]);

/**
 * Returns whether an autocast region is left, whose results may have other dtypes than it records.
 */
const hasAutocast = (graph: Graph): boolean =>
  graph.nodes().some(({ target, args }) => target === AUTOCAST && args[2] === true) ||
  [...graph.subgraphs.values()].some(hasAutocast);
const AUTOCAST = "higher_order.wrap_with_autocast";

/**
 * Returns the name of a tensor that the program writes to in another shape than it has: only the
 * program as it is can do that.
 */
function resizedInput({ graph, graphSignature }: ExportedProgram): string | undefined {
  const byTarget = new Map(graphSignature.inputSpecs.map(({ arg, target }) => [target, arg.name]));
  return (
    graphSignature.outputSpecs.find(({ kind, target, arg }) => {
      if (!kind.endsWith("_MUTATION") || arg.kind !== "tensor") return false;
      const place = kind === "USER_INPUT_MUTATION" ? target : byTarget.get(target);
      const [value, old] = [arg.name, place ?? ""].map((name) => graph.find(name)?.meta.val);
      if (!(value instanceof FakeTensor) || !(old instanceof FakeTensor)) return false;
      return !sameSizes(value.shape, old.shape);
    })?.target ?? undefined
  );
}
