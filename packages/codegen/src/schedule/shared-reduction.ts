/**
 * @file Long reductions to few elements, a workgroup for each: threads take every 256th element and
 * fold what they have in memory that they share. One thread alone would leave most of a GPU idle;
 * in software there is nothing to share.
 */

import { mainReductions, outerReductions } from "../analysis/contraction.js";
import { isUnordered } from "../analysis/row-groups.js";
import { withSumGroups } from "../analysis/sum-groups.js";
import { volumeOf } from "../ir/extents.js";
import { add, atom, axis, constant, coordinatesOf, scale } from "../ir/index-expr.js";
import type { LoopNest } from "../ir/loop-program.js";
import { Rewriter } from "../ir/rewrite.js";
import { apply, both, constantScalar, indexScalar, TRUE } from "../ir/scalar.js";
import type { ReduceScalar } from "../ir/terms.js";
import { indexLiteral, type Kernel, type KernelMemory } from "../kernel/kernel.js";
import { KernelFrame, type ScheduleContext, SHARED_THREADS } from "./frame.js";
import { combined } from "./reductions.js";

/** Elements that keep a GPU busy without help. */
const MANY_ELEMENTS = 16384;

/** Returns the kernel of a nest; undefined if it is not a reduction that profits from it. */
export function sharedReduction(nest: LoopNest, context: ScheduleContext): Kernel | undefined {
  const [reduce, ...more] = mainReductions(nest.value);
  if (reduce === undefined || more.length > 0 || !isUnordered(reduce)) return undefined;
  const elements = volumeOf(nest.axes);
  const count = volumeOf(reduce.axes);
  if (count < 2 * SHARED_THREADS || elements > MANY_ELEMENTS || outerReductions(reduce.body).size > 0)
    return undefined;
  const frame = new KernelFrame(context);
  const output = frame.output(nest.output);
  const parts = frame.shared("parts", reduce.dtype, SHARED_THREADS);
  return frame.workgroups(elements, SHARED_THREADS, (flat) => {
    frame.defineCoordinates(nest.axes, () => flat);
    storeOwn(frame, reduce, count, parts);
    frame.foldLanes(reduce, parts, frame.local, SHARED_THREADS);
    const isFirst = frame.op("eq", "bool", [frame.local, indexLiteral(0)]);
    frame.when(isFirst, () => {
      const all = frame.load(parts, indexLiteral(0));
      const { initial } = reduce;
      frame.known(reduce, initial === undefined ? all : combined(reduce, frame.scalar(initial), all, frame));
      frame.store(output, flat, frame.scalar(withSumGroups(nest.value, [reduce])));
    });
  });
}

/** What a thread folds by itself: every 256th element. */
function storeOwn(frame: KernelFrame, reduce: ReduceScalar, count: number, parts: KernelMemory): void {
  const step = axis("step", constant(Math.ceil(count / SHARED_THREADS)));
  const lane = axis("lane", constant(SHARED_THREADS));
  const place = add(scale(atom(step), SHARED_THREADS), atom(lane));
  const coordinates = coordinatesOf(
    place,
    reduce.axes.map(({ extent }) => extent),
  );
  const rewriter = new Rewriter({ axes: new Map(reduce.axes.map(({ name }, d) => [name, coordinates[d]!])) });
  const isElement = apply("lt", indexScalar(place), constantScalar(count, "int64"));
  const when = both(
    count % SHARED_THREADS === 0 ? TRUE : isElement,
    reduce.when === undefined ? TRUE : rewriter.scalar(reduce.when),
  );
  const own: ReduceScalar = {
    ...reduce,
    axes: [step],
    body: rewriter.scalar(reduce.body),
    when: when === TRUE ? undefined : when,
    initial: undefined,
  };
  frame.defineAxis(lane.name, () => frame.local);
  frame.store(parts, frame.local, frame.scalar(withSumGroups(own, [], SHARED_THREADS)));
  frame.barrier();
}
