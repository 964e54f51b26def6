/**
 * @file Writes of targets that run units: all sources are read once, and each is added to the
 * element that it points at. Element by element each would look at all sources.
 */
import { axesOf, outerReductions } from "../analysis/contraction.js";
import { conjunctsOf } from "../analysis/scan.js";
import { elementsOf, extentsOf, volumeOf } from "../ir/extents.js";
import { atom, fixedValue, flatIndex, type Index, same } from "../ir/index-expr.js";
import type { LoopNest } from "../ir/loop-program.js";
import { apply, cast, constantScalar, indexScalar, partsOf, type Scalar } from "../ir/scalar.js";
import type { Axis, ReduceScalar } from "../ir/terms.js";
import type { Kernel, KernelMemory, KernelOperand } from "../kernel/kernel.js";
import { KernelFrame, type ScheduleContext } from "./frame.js";
import { combined, identityOf } from "./reductions.js";

/** Elements of totals in the memory of one unit, at most. */
const MOST_TOTALS = 2 ** 22;
const KINDS: ReadonlySet<string> = new Set(["sum", "prod", "max", "min", "any", "all", "last"]);

/** A nest whose reductions go over the same sources. */
interface Scatter {
  readonly reductions: readonly ReduceScalar[];
  /** Axes of the sources. */
  readonly sources: readonly Axis[];
  /** Where a source points along axes of the nest. */
  readonly points: ReadonlyMap<Axis, Index>;
  /** What else has to hold for a source. */
  readonly when: readonly Scalar[];
}

/** Returns the kernel of a nest that writes where sources point; undefined for other nests. */
export function unitScatter(nest: LoopNest, context: ScheduleContext): Kernel | undefined {
  const scatter = nest.hint?.kind === "scatter" ? scatterOf(nest) : undefined;
  if (scatter === undefined) return undefined;
  // Axes before those that sources point along count units.
  const first = nest.axes.findIndex((one) => scatter.points.has(one));
  const [slow, own] = [nest.axes.slice(0, first), nest.axes.slice(first)];
  const count = fixedValue(elementsOf(own));
  if (count === undefined) return openScatter(nest, scatter, slow, own, context);
  if (count * scatter.reductions.length > MOST_TOTALS) return undefined;
  const frame = new KernelFrame(context);
  const output = frame.output(nest.output);
  const totals = scatter.reductions.map(({ dtype }, at) =>
    frame.memory({ name: `totals${at}`, space: "private", access: "read_write", type: dtype, length: count }),
  );
  return frame.units(elementsOf(slow), (unit) => {
    frame.defineCoordinates(slow, () => unit);
    writeStarts(frame, own, scatter, totals, own);
    writeSources(frame, own, scatter, totals, own);
    const place = flatIndex(nest.axes.map(atom), extentsOf(nest.axes));
    over(frame, own, () => {
      const at = frame.index(flatIndex(own.map(atom), extentsOf(own)));
      scatter.reductions.forEach((reduce, i) => {
        frame.known(reduce, frame.load(totals[i]!, at));
      });
      frame.store(output, frame.index(place), frame.scalar(nest.value));
    });
  });
}

/**
 * Returns the kernel of a nest of any length: its result holds the totals, of which it has one for
 * each element.
 */
function openScatter(
  nest: LoopNest,
  scatter: Scatter,
  slow: readonly Axis[],
  own: readonly Axis[],
  context: ScheduleContext,
): Kernel | undefined {
  const [reduce, ...more] = scatter.reductions;
  if (reduce === undefined || more.length > 0) return undefined;
  const frame = new KernelFrame(context);
  const output = frame.output(nest.output, "read_write");
  if (output.type !== reduce.dtype) return undefined;
  return frame.units(elementsOf(slow), (unit) => {
    frame.defineCoordinates(slow, () => unit);
    writeStarts(frame, own, scatter, [output], nest.axes);
    writeSources(frame, own, scatter, [output], nest.axes);
    over(frame, own, () => {
      const at = frame.index(flatIndex(nest.axes.map(atom), extentsOf(nest.axes)));
      frame.known(reduce, frame.load(output, at));
      frame.store(output, at, frame.scalar(nest.value));
    });
  });
}

/** Steps of the kernel of a scatter; undefined for other nests. */
export function scatterIterations(nest: LoopNest): number | undefined {
  const scatter = nest.hint?.kind === "scatter" ? scatterOf(nest) : undefined;
  if (scatter === undefined) return undefined;
  const { points, sources, reductions } = scatter;
  const first = nest.axes.findIndex((one) => points.has(one));
  if (volumeOf(nest.axes.slice(first)) * reductions.length > MOST_TOTALS) return undefined;
  const free = nest.axes.filter((one) => !points.has(one));
  return 2 * volumeOf(nest.axes) + volumeOf(sources) * volumeOf(free);
}

/** Loops over axes. */
function over(frame: KernelFrame, axes: readonly Axis[], body: () => void): void {
  const [first, ...rest] = axes;
  if (first === undefined) body();
  else frame.loop({ axis: first.name, end: frame.index(first.extent) }, () => over(frame, rest, body));
}

/**
 * Writes what each total starts from.
 *
 * @param axes those of the totals
 */
function writeStarts(
  frame: KernelFrame,
  own: readonly Axis[],
  { reductions }: Scatter,
  totals: readonly KernelMemory[],
  axes: readonly Axis[],
): void {
  over(frame, own, () => {
    const at = frame.index(flatIndex(axes.map(atom), extentsOf(axes)));
    reductions.forEach((reduce, i) => {
      const { initial, dtype } = reduce;
      frame.store(totals[i]!, at, initial === undefined ? identityOf(reduce, dtype) : frame.scalar(initial));
    });
  });
}

/**
 * Adds each source where it points; one that points nowhere is left out.
 *
 * @param axes those of the totals
 */
function writeSources(
  frame: KernelFrame,
  own: readonly Axis[],
  { reductions, sources, points, when }: Scatter,
  totals: readonly KernelMemory[],
  axes: readonly Axis[],
): void {
  const free = own.filter((one) => !points.has(one));
  const inside = [...points].flatMap(([{ extent }, place]) => [
    apply("ge", indexScalar(place), constantScalar(0, "int64")),
    apply("lt", indexScalar(place), indexScalar(extent)),
  ]);
  const place = flatIndex(
    axes.map((one) => points.get(one) ?? atom(one)),
    extentsOf(axes),
  );
  // Places that elements hold are compared as they are, not as what remains of them as indices.
  const tests = [...when, ...inside.map(asElements)];
  guarded(frame, sources, free, tests, () => {
    const at = frame.index(place);
    reductions.forEach((reduce, i) => {
      const memory = totals[i]!;
      const value = frame.scalar(reduce.body);
      frame.store(memory, at, combined(reduce, frame.load(memory, at), value, frame));
    });
  });
}
/** Returns a comparison of a place that an element holds, as one of elements. */
function asElements(test: Scalar): Scalar {
  if (test.kind !== "call") return test;
  return { ...test, args: test.args.map((arg) => elementIn(arg) ?? arg) };
}
function elementIn(scalar: Scalar): Scalar | undefined {
  if (scalar.kind !== "index" || scalar.index.terms.length !== 1 || scalar.index.constant !== 0)
    return undefined;
  const [{ coefficient, atoms }] = scalar.index.terms as [(typeof scalar.index.terms)[number]];
  const [only] = atoms;
  return coefficient === 1 && atoms.length === 1 && only?.kind === "value"
    ? cast(only.scalar, "int64")
    : undefined;
}

/** Loops over sources, then over free axes; tests are made as soon as their axes are there. */
function guarded(
  frame: KernelFrame,
  sources: readonly Axis[],
  free: readonly Axis[],
  tests: readonly Scalar[],
  body: () => void,
): void {
  const order = [...sources, ...free];
  const descend = (at: number, open: readonly Scalar[]): void => {
    const later = new Set(order.slice(at).map(({ name }) => name));
    const ready = open.filter((test) => [...frame.axesOf(test)].every((name) => !later.has(name)));
    const rest = open.filter((test) => !ready.includes(test));
    const next = order[at];
    const inner = (): void => {
      if (next === undefined) body();
      else frame.loop({ axis: next.name, end: frame.index(next.extent) }, () => descend(at + 1, rest));
    };
    const all = ready.map((test) => frame.scalar(test));
    const [test, ...more] = all;
    if (test === undefined) inner();
    else
      frame.when(
        more.reduce<KernelOperand>((a, b) => frame.op("and", "bool", [a, b]), test),
        inner,
      );
  };
  descend(0, tests);
}

/**
 * Returns the parts of a nest that writes; undefined where elements have to look at sources
 * themselves.
 */
function scatterOf(nest: LoopNest): Scatter | undefined {
  const reductions = [...outerReductions(nest.value)];
  const [first] = reductions;
  if (first?.when === undefined) return undefined;
  const names = first.axes.map(({ name }) => name).join();
  const isAlike = reductions.every(
    ({ reduce, axes, when }) =>
      KINDS.has(reduce) && when === first.when && axes.map(({ name }) => name).join() === names,
  );
  if (!isAlike) return undefined;
  const points = new Map<Axis, Index>();
  const when: Scalar[] = [];
  for (const test of conjunctsOf(first.when)) {
    const point = pointOf(test, nest.axes);
    if (point !== undefined && !points.has(point[0])) points.set(...point);
    else when.push(test);
  }
  const guard = guardOf(nest.value, new Set<Scalar>(reductions));
  if (points.size === 0 || guard === undefined) return undefined;
  const pointed = new Set([...points.keys()].map(({ name }) => name));
  const bodies = reductions.map(({ body }) => body);
  const places = [...points.values()].map(indexScalar);
  for (const part of [...bodies, ...when, ...guard, ...places])
    if ([...axesOf(part)].some((name) => pointed.has(name))) return undefined;
  return { reductions, sources: first.axes, points, when: [...guard, ...when] };
}
/** Returns the axis that a test compares with a place of the source. */
function pointOf(test: Scalar, axes: readonly Axis[]): readonly [Axis, Index] | undefined {
  if (test.kind !== "call" || test.fn !== "eq") return undefined;
  const [a, b] = test.args as [Scalar, Scalar];
  if (a.kind !== "index" || b.kind !== "index") return undefined;
  const found = axes.find((one) => same(b.index, atom(one)));
  return found && [found, a.index];
}

/**
 * Returns what has to hold where reductions are read; undefined where they are read in several
 * ways.
 */
function guardOf(value: Scalar, reductions: ReadonlySet<Scalar>): readonly Scalar[] | undefined {
  return new Guards(reductions).of(value);
}

/** {@link guardOf}, for each part of a value once. */
class Guards {
  readonly #reductions: ReadonlySet<Scalar>;
  readonly #holds = new Map<Scalar, boolean>();
  readonly #guards = new Map<Scalar, readonly Scalar[] | undefined>();

  constructor(reductions: ReadonlySet<Scalar>) {
    this.#reductions = reductions;
  }
  #hold(scalar: Scalar): boolean {
    let found = this.#holds.get(scalar);
    if (found === undefined) {
      found =
        this.#reductions.has(scalar) ||
        (scalar.kind !== "reduce" && partsOf(scalar).some((part) => this.#hold(part)));
      this.#holds.set(scalar, found);
    }
    return found;
  }
  of(value: Scalar): readonly Scalar[] | undefined {
    if (!this.#guards.has(value)) this.#guards.set(value, this.#find(value));
    return this.#guards.get(value);
  }
  #find(value: Scalar): readonly Scalar[] | undefined {
    if (this.#reductions.has(value)) return [];
    const holds = (part: Scalar): boolean => this.#hold(part);
    if (value.kind === "select" && !holds(value.condition) && holds(value.then) && !holds(value.otherwise)) {
      const inner = this.of(value.then);
      return inner && [value.condition, ...inner];
    }
    const [first, ...more] = partsOf(value).filter(holds);
    if (first === undefined) return [];
    const guard = this.of(first);
    const isSame = more.every((one) => {
      const other = this.of(one);
      return other?.length === 0 && guard?.length === 0;
    });
    return more.length === 0 || isSame ? guard : undefined;
  }
}
