/** @file Scans of targets that run units: one pass over each row, with the total so far. */
import { scanOf } from "../analysis/scan.js";
import { elementsOf, extentsOf } from "../ir/extents.js";
import { atom, flatIndex } from "../ir/index-expr.js";
import type { LoopNest } from "../ir/loop-program.js";
import { Rewriter } from "../ir/rewrite.js";
import type { Scalar } from "../ir/terms.js";
import type { Kernel, KernelOperand } from "../kernel/kernel.js";
import { KernelFrame, type ScheduleContext } from "./frame.js";
import { combined, converted, identityOf } from "./reductions.js";

const KINDS: ReadonlySet<string> = new Set(["sum", "prod", "max", "min", "any", "all", "last"]);

/** Returns the kernel of a scan; undefined for other nests. */
export function unitScan(nest: LoopNest, context: ScheduleContext): Kernel | undefined {
  const scan = scanOf(nest);
  if (scan === undefined || !KINDS.has(scan.reduce.reduce)) return undefined;
  const { axis, along, reduce, when } = scan;
  const frame = new KernelFrame(context);
  const output = frame.output(nest.output);
  const others = nest.axes.filter((one) => one !== axis);
  // The total so far represents the reduction, in an element at the place along the row.
  const total: Scalar = { ...reduce };
  const rewriter = new Rewriter({
    axes: new Map([[axis.name, atom(along)]]),
    scalars: new Map([[reduce, total]]),
  });
  const [value, place] = [
    rewriter.scalar(nest.value),
    rewriter.index(flatIndex(nest.axes.map(atom), extentsOf(nest.axes))),
  ];
  // As PyTorch does: the error of a running sum grows with the length of the row.
  const isSum = reduce.reduce === "sum" || reduce.reduce === "prod";
  const type = isSum && reduce.dtype === "float32" ? "float64" : reduce.dtype;
  return frame.units(elementsOf(others), (unit) => {
    frame.defineCoordinates(others, () => unit);
    const start = reduce.initial === undefined ? identityOf(reduce, type) : frame.scalar(reduce.initial);
    const sum = frame.variable(type, converted(start, type, frame));
    frame.loop({ axis: along.name, end: frame.index(along.extent) }, () => {
      const step = (): void =>
        frame.assign(sum, combined(reduce, sum, converted(frame.scalar(reduce.body), type, frame), frame));
      const [first, ...more] = when.map((test) => frame.scalar(test));
      if (first === undefined) step();
      else frame.when(both(frame, first, more), step);
      frame.known(total, converted(sum, reduce.dtype, frame));
      frame.store(output, frame.index(place), frame.scalar(value));
    });
  });
}

const both = (frame: KernelFrame, first: KernelOperand, more: readonly KernelOperand[]): KernelOperand =>
  more.reduce((all, test) => frame.op("and", "bool", [all, test]), first);
