/** @file Runs a prepared program on samples, and keeps the range of each observed edge. */
import { type ExportedProgram, float, type ProgramRunner, rebuild } from "@sconce/ir";
import { castTensor, Tensor } from "@sconce/tensor";
import { noSamples, notPrepared } from "../errors.js";
import { type ObservedRange, type Observer, observerOf } from "../observers/observer.js";
import { ownInputs, type Sample } from "../report/measure.js";
import { type GraphObserver, graphObservers, WEIGHT } from "./observers.js";

/** The name of the pass. */
export const CALIBRATE = "calibrate";

/** How a program is calibrated. */
export interface CalibrationOptions {
  /** Runs programs. */
  readonly run: ProgramRunner;
  /** Inputs to run on: at least one, like those that the program will see. */
  readonly samples: Iterable<Sample>;
  /** Takes warnings: saturated values, edges whose values are all 0. */
  readonly note?: ((text: string) => void) | undefined;
  /** Takes the number of samples that were run. */
  readonly onProgress?: ((done: number) => void) | undefined;
}

/** A part of saturated values that is worth a warning. */
const SATURATED = 0.01;

/**
 * Returns the prepared program with the range of each observed edge.
 * @throws SconceError `NOT_PREPARED`, `NO_SAMPLES`, and what runs throw
 */
export function calibrate(program: ExportedProgram, options: CalibrationOptions): ExportedProgram {
  const { run, samples, note, onProgress } = options;
  const all = graphObservers(program.graph);
  if (all.length === 0) throw notPrepared(CALIBRATE);
  const placed = all.filter(({ group, spec }) => group !== WEIGHT && spec.isDynamic !== true);
  const observers = new Map<string, Observer>();
  for (const { group, spec } of placed) if (!observers.has(group)) observers.set(group, observerOf(spec));
  const byNode = new Map(placed.map(({ node, group }) => [node.name, observers.get(group)!]));
  let done = 0;
  for (const sample of samples) {
    run(program, ownInputs(sample), ({ name }, value) => {
      if (value instanceof Tensor) byNode.get(name)?.add(floatsOf(value));
    });
    done += 1;
    onProgress?.(done);
  }
  if (done === 0) throw noSamples();
  const ranges = new Map([...observers].map(([group, observer]) => [group, rangeOf(observer)]));
  if (note !== undefined) warn(placed, ranges, note);
  return withRanges(program, placed, ranges);
}

/** Returns the range; an infinite one for edges with infinite values, such as a mask. */
const rangeOf = (observer: Observer): ObservedRange | undefined =>
  observer.hasInfinite
    ? { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY, partOutside: 0 }
    : observer.range();

function floatsOf(tensor: Tensor): Float32Array {
  const { data, storageOffset, numel } = castTensor(tensor, "float32").contiguous();
  return (data as Float32Array).subarray(storageOffset, storageOffset + numel);
}

function withRanges(
  program: ExportedProgram,
  placed: readonly GraphObserver[],
  ranges: ReadonlyMap<string, ObservedRange | undefined>,
): ExportedProgram {
  const groups = new Map(placed.map(({ node, group }) => [node.name, group]));
  const graph = rebuild(program.graph, (node) => {
    const range = ranges.get(groups.get(node.name) ?? "");
    if (range === undefined) return true;
    return { ...node, args: [...node.args.slice(0, 3), float(range.low), float(range.high)] };
  });
  return program.with({ graph });
}

/** Warns once a group, with the node whose value it is. */
function warn(
  placed: readonly GraphObserver[],
  ranges: ReadonlyMap<string, ObservedRange | undefined>,
  note: (text: string) => void,
): void {
  const seen = new Set<string>();
  for (const { value, group } of placed) {
    const range = ranges.get(group);
    if (range === undefined || seen.has(group)) continue;
    seen.add(group);
    const { low, high, partOutside } = range;
    if (low === Number.NEGATIVE_INFINITY)
      note(`%${value} has infinite values, which no code represents: its edges stay in float`);
    if (low === 0 && high === 0)
      note(
        `the scale of %${value} would be zero: all its values are 0 in the samples; it gets the least scale`,
      );
    if (partOutside > SATURATED)
      note(
        `${(100 * partOutside).toFixed(1)} % of the values of %${value} lie outside of [${low.toPrecision(4)}, ${high.toPrecision(4)}] and saturate; choose another observer`,
      );
  }
}
