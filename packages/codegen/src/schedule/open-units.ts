/** @file Nests whose units are the places along their first axis, however many there are. */
import { extentOf } from "../ir/extents.js";
import { atom, flatIndex } from "../ir/index-expr.js";
import type { LoopNest } from "../ir/loop-program.js";
import type { Axis } from "../ir/terms.js";
import { indexLiteral, type Kernel } from "../kernel/kernel.js";
import { KernelFrame, type ScheduleContext } from "./frame.js";
import { joinedAxes } from "./thread-axes.js";

/**
 * The kernel of a nest, with a unit for each place along an axis: the first one of more than one
 * element. Its code does not depend on the extent of that axis. Undefined for a nest without other
 * axes, whose units would be single elements.
 */
export function scheduleOpen(nest: LoopNest, context: ScheduleContext): Kernel | undefined {
  const slow = nest.axes.find((one) => extentOf(one) > 1);
  if (slow === undefined) return undefined;
  const { axes, value } = joinedAxes({ ...nest, axes: nest.axes.filter((one) => one !== slow) });
  if (axes.length === 0) return undefined;
  const frame = new KernelFrame(context);
  const output = frame.output(nest.output);
  const all = [slow, ...axes];
  const place = flatIndex(
    all.map((one) => atom(one)),
    all.map(({ extent }) => extent),
  );
  const whole = frame.grouped(value);
  const walk = ([axis, ...more]: readonly Axis[]): void => {
    if (axis === undefined) frame.store(output, frame.index(place), frame.scalar(whole));
    else frame.loop({ axis: axis.name, end: indexLiteral(extentOf(axis)) }, () => walk(more));
  };
  return frame.units(extentOf(slow), (unit) => {
    frame.defineCoordinates([slow], () => unit);
    walk(axes);
  });
}
