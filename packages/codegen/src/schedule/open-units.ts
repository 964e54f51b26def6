/** @file Nests whose sizes are known when the kernel runs: one kernel for all sizes. */
import { outerReductions } from "../analysis/contraction.js";
import { elementsOf } from "../ir/extents.js";
import { add, atom, constant, divide, fixedValue, flatIndex, multiply } from "../ir/index-expr.js";
import type { LoopNest } from "../ir/loop-program.js";
import type { Axis, Scalar } from "../ir/terms.js";
import { indexLiteral, type Kernel } from "../kernel/kernel.js";
import { KernelFrame, type ScheduleContext } from "./frame.js";
import { joinedAxes } from "./thread-axes.js";
import { unitBlocks } from "./unit-blocks.js";
import { unitScan } from "./unit-scans.js";
import { unitScatter } from "./unit-scatter.js";

/** Steps of a unit, about. */
const UNIT = 4096;
/** Elements of a unit come in so many, so that few of them are left over by vectors. */
const PIECE = 16;
/** What is taken for the extent of an axis that is not known. */
const GUESS = 64;

/**
 * Returns the kernel of a nest whose sizes are symbols: it gets their values when it runs. No
 * extent of the nest may be zero then. Undefined for a nest that has a special kernel.
 */
export function scheduleOpen(nest: LoopNest, context: ScheduleContext): Kernel | undefined {
  if (nest.hint?.kind === "scan") return unitScan(nest, context);
  if (nest.hint?.kind === "scatter") return unitScatter(nest, context);
  if (nest.hint !== undefined && nest.hint.kind !== "contraction") return undefined;
  const blocks = unitBlocks(nest, context);
  if (blocks !== undefined) return blocks;
  const { axes, value } = joinedAxes(nest);
  const frame = new KernelFrame(context);
  const output = frame.output(nest.output);
  const place = flatIndex(
    axes.map((one) => atom(one)),
    axes.map(({ extent }) => extent),
  );
  const { slow, cut, inner, piece } = partsOf(axes, stepsOf(value));
  const whole = frame.grouped(value);
  const walk = ([axis, ...more]: readonly Axis[]): void => {
    if (axis === undefined) frame.store(output, frame.index(place), frame.scalar(whole));
    else frame.loop({ axis: axis.name, end: frame.index(axis.extent) }, () => walk(more));
  };
  const pieces =
    cut === undefined ? constant(1) : divide(add(cut.extent, constant(piece - 1)), constant(piece));
  return frame.units(multiply(elementsOf(slow), pieces), (unit) => {
    frame.defineCoordinates(slow, () => frame.over(unit, pieces));
    if (cut === undefined) walk(inner);
    else {
      const start = frame.place(frame.modulo(unit, pieces), piece);
      const until = frame.op("add", "index", [start, indexLiteral(piece)]);
      const end = frame.op("min", "index", [until, frame.index(cut.extent)]);
      frame.loop({ axis: cut.name, start, end }, () => walk(inner));
    }
  });
}

/** How the axes of a nest are divided into units. */
interface Parts {
  /** Each place of them has units to itself. */
  readonly slow: readonly Axis[];
  /** The axis that is cut into pieces. */
  readonly cut: Axis | undefined;
  /** Loops of a unit. */
  readonly inner: readonly Axis[];
  /** Elements of the cut axis in a unit. */
  readonly piece: number;
}

/** @param steps of one element */
function partsOf(axes: readonly Axis[], steps: number): Parts {
  let [at, inside] = [axes.length, steps];
  while (at > 0 && inside * guess(axes[at - 1]!) <= UNIT) inside *= guess(axes[--at]!);
  // What is not known may be long: it is cut, and so is the first axis.
  if (at === 0 && axes.length > 0) inside /= guess(axes[at++]!);
  const [cut, inner] = [axes[at - 1], axes.slice(at)];
  const most = Math.max(1, Math.floor(UNIT / inside));
  const piece = inner.length === 0 ? Math.ceil(most / PIECE) * PIECE : most;
  return { slow: axes.slice(0, Math.max(0, at - 1)), cut, inner, piece };
}
const guess = ({ extent }: Axis): number => fixedValue(extent) ?? GUESS;
const stepsOf = (value: Scalar): number =>
  [...outerReductions(value)].reduce(
    (sum, { axes, body }) => sum + axes.reduce((count, one) => count * guess(one), 1) * stepsOf(body),
    1,
  );
