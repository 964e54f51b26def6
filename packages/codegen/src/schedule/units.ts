/** @file The plain schedule of targets that run units, each of which loops over its elements. */
import { outerReductions } from "../analysis/contraction.js";
import { extentOf, volumeOf } from "../ir/extents.js";
import { atom, flatIndex } from "../ir/index-expr.js";
import type { LoopNest } from "../ir/loop-program.js";
import type { Axis, Scalar } from "../ir/terms.js";
import { indexLiteral, type Kernel, type KernelMemory, type KernelOperand } from "../kernel/kernel.js";
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
  const { axes, value } = joinedAxes(nest);
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
  const walk = (rest: readonly Axis[]): void => {
    const [axis, ...more] = rest;
    if (axis === undefined) frame.store(output, frame.index(place), frame.scalar(whole));
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
