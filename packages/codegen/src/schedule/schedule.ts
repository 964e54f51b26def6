/** @file Selects the schedule of a nest, or of several over the same rows. */
import { contractionOf } from "../analysis/contraction.js";
import { placingOf, rankOf } from "../analysis/order.js";
import { PLACE, type RowGroup } from "../analysis/row-groups.js";
import { scanOf } from "../analysis/scan.js";
import { extentOf, volumeOf } from "../ir/extents.js";
import { fixedValue } from "../ir/index-expr.js";
import type { LoopNest } from "../ir/loop-program.js";
import { forEachScalar } from "../ir/traverse.js";
import type { Kernel } from "../kernel/kernel.js";
import { blockedContraction } from "./blocked.js";
import { elementKernel } from "./element.js";
import { type Schedule, type ScheduleContext, SHARED_THREADS } from "./frame.js";
import { type RowSpread, rowKernel } from "./rows.js";
import { sharedReduction } from "./shared-reduction.js";
import { placeSchedule, sortSchedule } from "./sort.js";
import { unitBlocks } from "./unit-blocks.js";
import { unitScan } from "./unit-scans.js";
import { scatterIterations, unitScatter } from "./unit-scatter.js";
import { unitSort } from "./unit-sort.js";

/** Returns the kernels of a nest whose sizes are bound, for a target with workgroups or units. */
export function scheduleNest(nest: LoopNest, context: ScheduleContext): Schedule {
  const { program, sizes, target } = context;
  if (target.threads === "units") return { kernel: unitNest(nest, context) };
  const sort = sortSchedule(nest, context);
  if (sort !== undefined) return sort;
  const contraction = contractionOf(nest);
  const blocked = contraction && blockedContraction(nest, contraction, context);
  const shared = blocked ?? (target.isHardware === true ? sharedReduction(nest, context) : undefined);
  return { kernel: shared ?? elementKernel(nest, program, sizes!, target) };
}

/**
 * Returns the kernel of a group, which writes its stored parts in order; undefined where its nests
 * do better as separate kernels.
 */
export function scheduleRows(group: RowGroup, context: ScheduleContext): Kernel | undefined {
  // Elements of neighboring rows are computed together where those of a row are strided.
  if (context.target.threads === "units")
    return isAcross(group) ? undefined : rowKernel(group, context, ROW_UNITS);
  const spread = context.target.isHardware === true ? hardwareSpread(group) : softwareSpread(group);
  return spread && rowKernel(group, context, spread);
}

/** Returns the kernel of a nest for a target that runs units. */
function unitNest(nest: LoopNest, context: ScheduleContext): Kernel {
  const { program, sizes, target } = context;
  return (
    unitScan(nest, context) ??
    unitSort(nest, context) ??
    placeSchedule(nest, context) ??
    unitScatter(nest, context) ??
    unitBlocks(nest, context) ??
    elementKernel(nest, program, sizes!, target)
  );
}

/** Iterations of loops of the special kernels above; undefined for other nests. */
export function unitIterations(nest: LoopNest): number | undefined {
  const elements = volumeOf(nest.axes);
  if (scanOf(nest) !== undefined) return elements;
  const rank = rankOf(nest);
  if (rank !== undefined) return elements * Math.max(1, Math.ceil(Math.log2(extentOf(rank.axis))));
  // One pass over ranks, which is short beside the ranking.
  if (placingOf(nest) !== undefined) return elements;
  return scatterIterations(nest);
}

/** Each row is a unit. */
const ROW_UNITS: RowSpread = { lanes: 1, width: 1, isAcross: false, isKept: true };

/**
 * Elements of a lone row up to which one thread is no slower than several for what is not reduced.
 */
const SHORT_LONE_ROW = 2048;

/**
 * Returns a spread with a thread for each row, since there is nothing to share. Measured on
 * SwiftShader with two cores, softmax and layer norm: 1.1 to 1.8 times as fast as separate kernels
 * for 2 to 65,536 rows of 16 to 65,536 elements, and 0.9 for one long row.
 */
function softwareSpread(group: RowGroup): RowSpread | undefined {
  const rows = fixedValue(group.rows)!;
  if (rows === 1 && longest(group) > SHORT_LONE_ROW) return undefined;
  // Four is how many threads it computes at once; workgroups are what its threads share.
  const width = Math.min(64, Math.max(4, 2 ** Math.floor(Math.log2(rows / 16))));
  return { lanes: 1, width, isAcross: false, isKept: true };
}
const longest = ({ parts }: RowGroup): number => Math.max(...parts.map(({ places }) => fixedValue(places)!));

/**
 * Lanes of a row where neighbors have neighboring rows: so few that 32 rows share a workgroup,
 * whose elements are one access of memory.
 */
const LANES_ACROSS = 8;
/** Elements of a row for each of its lanes, where there are enough of them. */
const ELEMENTS_OF_LANE = 4;
/** Rows from which on they keep a GPU busy, however long they are. */
const MANY_ROWS = 128;
/** Elements that one workgroup goes through quickly, however few rows there are. */
const SHORT_ROW = 4096;
/** The same for the few lanes that a row has where neighbors have neighboring rows. */
const SHORT_ROW_ACROSS = 1024;

/**
 * Several threads for each row. Measured on an H100, softmax and layer norm: 2 to 7 times as
 * fast as separate kernels within these limits, and down to a quarter as fast beyond them.
 */
function hardwareSpread(group: RowGroup): RowSpread | undefined {
  const places = longest(group);
  const across = isAcross(group);
  if (across ? places > SHORT_ROW_ACROSS : fixedValue(group.rows)! < MANY_ROWS && places > SHORT_ROW)
    return undefined;
  const most = across ? LANES_ACROSS : SHARED_THREADS;
  const lanes = Math.min(most, 2 ** Math.ceil(Math.log2(places / ELEMENTS_OF_LANE)));
  return { lanes: Math.max(1, lanes), width: SHARED_THREADS, isAcross: across, isKept: false };
}

/** Returns whether the elements of a row are strided, so that those of the next row are nearer. */
function isAcross({ parts }: RowGroup): boolean {
  let [along, across] = [0, 0];
  forEachScalar(parts[0]!.reduce!.body, (scalar) => {
    if (scalar.kind !== "load") return;
    for (const { coefficient, atoms } of scalar.index.terms)
      if (atoms.some((item) => item.kind === "axis" && item.name === PLACE))
        coefficient === 1 ? along++ : across++;
  });
  return across > along;
}
