/** @file Ranges from call to call: what a call gives, from what its own loops read. */
import {
  bindNest,
  blockScans,
  forEachScalar,
  type LoopBuffer,
  type LoopNest,
  type LoopProgram,
} from "@sconce/codegen";
import type { Bindings } from "@sconce/symbolic";
import { type DType, isFloatDType } from "@sconce/tensor";
import type { Integers } from "../device.js";
import { bitsOf, hasIntegers } from "./analyze.js";
import { ANY, point, type Range, TRUTH } from "./interval.js";
import { judge } from "./judge.js";

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
  readonly call: CallLoops;
  /** Scans of long rows are in blocks. */
  readonly loops: LoopProgram;
  readonly nests: readonly LoopNest[];
}
/** Ranges by the names of values. */
export type ValueRanges = Map<string, Range>;
/** What is taken for the range of a value about which nothing is known. */
export type Assumption = (dtype: DType) => Range;

/** The smallest integers: what they break, all others break. */
export const smallest: Assumption = (dtype) =>
  isFloatDType(dtype) ? ANY : dtype === "bool" ? TRUTH : point(0);

export function callLoopsOf(node: string, loops: LoopProgram): CallLoops {
  const { nests, buffers, outputs } = loops;
  const shown = outputs.map((output) => (output.kind === "buffer" ? buffers[output.buffer]!.dtype : "bool"));
  const ofIntegers = nests.some(hasIntegers) || shown.some(isInteger);
  const reads = buffers.filter(({ kind }) => kind === "input");
  return { node, loops, hasIntegers: ofIntegers, reads, castsFloats: nests.some(castsFloats) };
}
export const isInteger = (dtype: DType): boolean => !isFloatDType(dtype) && dtype !== "bool";

function castsFloats({ value }: LoopNest): boolean {
  let found = false;
  forEachScalar(value, (scalar) => {
    found ||= scalar.kind === "cast" && isInteger(scalar.dtype) && isFloatDType(scalar.value.dtype);
  });
  return found;
}

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

/** Calls that compute values, by the names of these. */
export function producersOf(calls: Iterable<CallLoops>): Map<string, CallLoops> {
  const producers = new Map<string, CallLoops>();
  for (const call of calls)
    for (const output of call.loops.outputs) if (output.kind === "buffer") producers.set(output.node, call);
  return producers;
}

/**
 * The calls that ranges of these depend on, and these themselves, each with whether the ranges of
 * floats that it reads count.
 */
export function withFeeders(
  calls: Iterable<CallLoops>,
  producers: ReadonlyMap<string, CallLoops>,
): Map<CallLoops, boolean> {
  const found = new Map([...calls].map((call) => [call, call.castsFloats]));
  const open = [...found.keys()];
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
  return found;
}
