/** @file The plain schedule of targets that run units, each of which loops over its elements. */
import { outerReductions } from "../analysis/contraction.js";
import { extentOf, volumeOf } from "../ir/extents.js";
import { add, atom, flatIndex, type Index, subtract } from "../ir/index-expr.js";
import type { LoopNest } from "../ir/loop-program.js";
import type { Axis, Scalar } from "../ir/terms.js";
import { forEachScalar } from "../ir/traverse.js";
import { indexLiteral, type Kernel, type KernelMemory, type KernelOperand } from "../kernel/kernel.js";
import { dividedAxes, rangesOf } from "./axis-parts.js";
import type { KernelFrame } from "./frame.js";
import { joinedAxes } from "./thread-axes.js";

/** Steps of a unit, where an axis is cut. */
const UNIT = 4096;
/** Elements of a unit come in so many, so that few of them are left over by vectors. */
const PIECE = 16;
/** Units from which on the work is divided well enough. */
const MANY_UNITS = 64;

/**
 * Units of the slow axes, and loops over the others. The first of them is cut if those before it
 * make few units.
 */
export function unitKernel(nest: LoopNest, frame: KernelFrame, output: KernelMemory): Kernel {
  const { axes, value } = dividedAxes(joinedAxes(nest));
  let outer = 0;
  while (outer < axes.length - 1 && volumeOf(axes.slice(0, outer)) < MANY_UNITS) outer++;
  const [slow, cut, inner] = [axes.slice(0, outer), axes[outer], axes.slice(outer + 1)];
  const piece = cut === undefined ? 1 : pieceOf(cut, volumeOf(slow), volumeOf(inner) * stepsOf(value));
  const pieces = cut === undefined ? 1 : Math.ceil(extentOf(cut) / piece);
  const place = flatIndex(
    axes.map((one) => atom(one)),
    axes.map(({ extent }) => extent),
  );
  const whole = frame.grouped(value);
  const across = axisAcross(value, axes);
  if (across !== undefined)
    return tiledKernel(frame, axes, across, () =>
      frame.store(output, frame.index(place), frame.scalar(whole)),
    );
  const isCut = pieces > 1 && cut === axes.at(-1);
  const walk = (rest: readonly Axis[]): void => {
    const [axis, ...more] = rest;
    if (axis === undefined) frame.store(output, frame.index(place), frame.scalar(whole));
    else if (more.length === 0 && !isCut && stepsOf(value) === 1)
      inRanges(frame, output, axis, { value: whole, place });
    else frame.loop({ axis: axis.name, end: indexLiteral(extentOf(axis)) }, () => walk(more));
  };
  return frame.units(volumeOf(slow) * pieces, (unit) => {
    frame.defineCoordinates(slow, () => frame.over(unit, pieces));
    if (cut === undefined || pieces === 1) walk(axes.slice(outer));
    else {
      const range = rangeOf(frame, frame.modulo(unit, pieces), piece, extentOf(cut));
      frame.loop({ axis: cut.name, ...range }, () => walk(inner));
    }
  });
}

/** Loops over ranges of the last axis in which conditions on it are known. */
function inRanges(
  frame: KernelFrame,
  output: KernelMemory,
  last: Axis,
  { value, place }: { readonly value: Scalar; readonly place: Index },
): void {
  for (const range of rangesOf(last, value)) {
    const at = substituted(place, last, range.place);
    frame.loop({ axis: range.axis.name, end: indexLiteral(extentOf(range.axis)) }, () =>
      frame.store(output, frame.index(at), frame.scalar(range.value)),
    );
  }
}
/** Returns a sum of axes with one of them replaced. */
const substituted = (index: Index, one: Axis, by: Index): Index => add(subtract(index, atom(one)), by);

/** Elements of the cut axis in a unit. */
function pieceOf(cut: Axis, units: number, steps: number): number {
  const extent = extentOf(cut);
  if (units >= MANY_UNITS) return extent;
  const piece = Math.ceil(UNIT / Math.max(1, steps) / PIECE) * PIECE;
  return piece >= extent ? extent : piece;
}
function rangeOf(frame: KernelFrame, number: KernelOperand, piece: number, extent: number) {
  const start = frame.place(number, piece);
  const end = frame.op("add", "index", [start, indexLiteral(piece)]);
  return {
    start,
    end: extent % piece === 0 ? end : frame.op("min", "index", [end, indexLiteral(extent)]),
  };
}

/** Terms of the reductions in an element, at least one. */
const stepsOf = (value: Scalar): number =>
  [...outerReductions(value)].reduce((sum, { axes, body }) => sum + volumeOf(axes) * stepsOf(body), 1);

/** Sides of tiles: their rows and columns stay in the cache nearest to the processor. */
const TILE = 16;

/**
 * Returns the axis along which elements are read next to each other, where those along the last
 * axis lie far from each other; undefined if some load runs along the last axis.
 */
function axisAcross(value: Scalar, axes: readonly Axis[]): Axis | undefined {
  const [last, ...others] = [...axes].reverse();
  if (last === undefined || extentOf(last) < TILE || outerReductions(value).size > 0) return undefined;
  let across: Axis | undefined;
  let isAlong = false;
  forEachScalar(value, (scalar) => {
    if (scalar.kind !== "load") return;
    const steps = new Map<string, number>();
    for (const { coefficient, atoms } of scalar.index.terms)
      for (const item of atoms) if (item.kind === "axis") steps.set(item.name, Math.abs(coefficient));
    const own = steps.get(last.name) ?? 0;
    isAlong ||= own === 1;
    if (own >= TILE) across ??= others.find((one) => steps.get(one.name) === 1 && extentOf(one) >= TILE);
  });
  return isAlong ? undefined : across;
}

/** Tiles of the last axis and of one before it. */
function tiledKernel(frame: KernelFrame, axes: readonly Axis[], across: Axis, write: () => void): Kernel {
  const last = axes.at(-1)!;
  const slow = axes.filter((one) => one !== last && one !== across);
  const tiles = Math.ceil(extentOf(across) / TILE);
  return frame.units(volumeOf(slow) * tiles, (unit) => {
    frame.defineCoordinates(slow, () => frame.over(unit, tiles));
    const rows = rangeOf(frame, frame.modulo(unit, tiles), TILE, extentOf(across));
    frame.loop({ changes: [last.name], end: indexLiteral(extentOf(last)), step: TILE }, (start) => {
      const until = frame.op("add", "index", [start, indexLiteral(TILE)]);
      const isEven = extentOf(last) % TILE === 0;
      const end = isEven ? until : frame.op("min", "index", [until, indexLiteral(extentOf(last))]);
      frame.loop({ axis: across.name, ...rows }, () => frame.loop({ axis: last.name, start, end }, write));
    });
  });
}
