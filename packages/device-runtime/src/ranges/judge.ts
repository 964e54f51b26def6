/** @file Whether nests and calls are exact for the ranges of what they read, and what they give. */
import {
  bindNest,
  blockScans,
  forEachScalar,
  type Integers,
  type LoopBuffer,
  type LoopNest,
  type LoopProgram,
} from "@sconce/codegen";
import type { Bindings } from "@sconce/symbolic";
import { type DType, isComplexDType, isFloatDType, isIntegralDType } from "@sconce/tensor";
import { analyzeNest, bitsOf, hasIntegers } from "./analyze.js";
import { ANY, point, type Range, rangeOfDType, TRUTH } from "./interval.js";

/** Which nests a device computes exactly, and the ranges of the values. */
export interface Verdict {
  /** Nests that the device cannot compute exactly, and why. */
  readonly problems: ReadonlyMap<LoopNest, string>;
  /** Ranges of buffers, those of the inputs with those that nests write. */
  readonly ranges: ReadonlyMap<number, Range>;
}

/**
 * Judges nests whose sizes are bound. What comes after a nest with a problem is judged by the
 * smallest integers: the nest's own are known when the host has computed them.
 *
 * @param inputs ranges of buffers that are given
 */
export function judge(
  nests: readonly LoopNest[],
  { buffers }: LoopProgram,
  inputs: ReadonlyMap<number, Range>,
  integers: Integers,
): Verdict {
  const ranges = new Map(inputs);
  const problems = new Map<LoopNest, string>();
  const rangeOf = (id: number): Range => ranges.get(id) ?? rangeOfDType(buffers[id]!.dtype);
  for (const nest of nests) {
    const { range, problem } = analyzeNest(nest, rangeOf, integers);
    const isInexact = problem !== undefined && hasIntegers(nest);
    if (isInexact) problems.set(nest, problem);
    const unknown = isOpen(buffers[nest.output]!.dtype) ? ANY : point(0);
    ranges.set(nest.output, isInexact ? unknown : range);
  }
  return { problems, ranges };
}

/** A call with its own loops, in which nothing of other calls is fused. */
export interface CallLoops {
  /** The name of the call. */
  readonly node: string;
  /** Outputs are the results that the graph reads, by their names. */
  readonly loops: LoopProgram;
  /** Whether it computes with integers, shows some or reads places. */
  readonly hasIntegers: boolean;
  /** The tensors that it reads, by the names of their nodes. */
  readonly reads: readonly LoopBuffer[];
  /** Whether integers depend on floats that it reads, which become some. */
  readonly castsFloats: boolean;
}
/** The same for known sizes. */
export interface BoundCall {
  /** The call in symbolic sizes. */
  readonly call: CallLoops;
  /** Scans of long rows are in blocks. */
  readonly loops: LoopProgram;
  /** Its nests with sizes filled in. */
  readonly nests: readonly LoopNest[];
}
/** Ranges by the names of values. */
export type ValueRanges = Map<string, Range>;
/** What is taken for the range of a value about which nothing is known. */
export type Assumption = (dtype: DType) => Range;

/** Returns whether values may be anything. */
const isOpen = (dtype: DType): boolean => isFloatDType(dtype) || isComplexDType(dtype);

/** The smallest integers: what they break, all others break. */
export const smallest: Assumption = (dtype) => (isOpen(dtype) ? ANY : dtype === "bool" ? TRUTH : point(0));

export function callLoopsOf(node: string, loops: LoopProgram): CallLoops {
  const { nests, buffers, outputs } = loops;
  const shown = outputs.map((output) => (output.kind === "buffer" ? buffers[output.buffer]!.dtype : "bool"));
  const ofIntegers = nests.some(hasIntegers) || shown.some(isInteger);
  const reads = buffers.filter(({ kind }) => kind === "input");
  return { node, loops, hasIntegers: ofIntegers, reads, castsFloats: nests.some(castsFloats) };
}
export const isInteger = (dtype: DType): boolean => isIntegralDType(dtype);

function castsFloats({ value }: LoopNest): boolean {
  let found = false;
  forEachScalar(value, (scalar) => {
    found ||= scalar.kind === "cast" && isInteger(scalar.dtype) && isFloatDType(scalar.value.dtype);
  });
  return found;
}

/** Fills sizes into the loops of a call. */
export function bindCall(call: CallLoops, sizes: Bindings): BoundCall {
  const loops = blockScans(call.loops, sizes);
  return { call, loops, nests: loops.nests.map((nest) => bindNest(nest, sizes)) };
}

/**
 * Adds the ranges of a call's results. Returns why its integers are not exact or its places not
 * inside, or undefined.
 *
 * @param unknown for values that are not in `known`
 * @param failed for results of a call with a problem
 */
export function judgeCall(
  { nests, loops }: BoundCall,
  known: ValueRanges,
  integers: Integers,
  unknown: Assumption,
  failed: Assumption = unknown,
): string | undefined {
  const given = new Map<number, Range>();
  for (const { id, kind, node, dtype } of loops.buffers)
    if (kind === "input") given.set(id, known.get(node) ?? unknown(dtype));
  const { ranges, problems } = judge(nests, loops, given, integers);
  let [problem] = problems.values();
  const results = loops.outputs.flatMap((output) => (output.kind === "buffer" ? [output] : []));
  for (const { buffer } of results)
    if (isInteger(loops.buffers[buffer]!.dtype)) problem ??= whyNotShown(ranges.get(buffer)!, integers);
  for (const { node, buffer } of results)
    known.set(node, problem === undefined ? ranges.get(buffer)! : failed(loops.buffers[buffer]!.dtype));
  return problem;
}

const whyNotShown = (range: Range, { low, high }: Integers): string | undefined =>
  range.low >= low && range.high <= high ? undefined : `it shows integers beyond ${bitsOf(high)}`;

/** Calls for which a predicate holds, and those that the ranges of their integers depend on. */
export function withFeeders(
  calls: readonly CallLoops[],
  isWanted: (call: CallLoops) => boolean,
): readonly CallLoops[] {
  const producers = new Map<string, CallLoops>();
  for (const call of calls)
    for (const output of call.loops.outputs) if (output.kind === "buffer") producers.set(output.node, call);
  const open = calls.filter(isWanted);
  /** With whether the ranges of the floats that a call reads count. */
  const found = new Map(open.map((call) => [call, call.castsFloats]));
  // What is added meanwhile is visited, too.
  for (const call of open)
    for (const { node, dtype } of call.reads) {
      const isFloat = isFloatDType(dtype);
      const producer = producers.get(node);
      if (producer === undefined || (isFloat && !found.get(call))) continue;
      const [known, counts] = [found.get(producer), isFloat || producer.castsFloats];
      if (known === true || known === counts) continue;
      found.set(producer, counts);
      open.push(producer);
    }
  return calls.filter((call) => found.has(call));
}
