/**
 * @file Between which numbers a scalar lies, as far as that can be proved. Devices without 64-bit integers compute int64
 * in 32 bits wherever nothing can get lost; where that is not certain, the nest is refused.
 */
import { type DType, dtypeInfo, isFloatDType } from "@sconce/tensor";
import { boundsOf, forEachAtom, type Index } from "../ir/index-expr.js";
import type { LoopNest, LoopProgram } from "../ir/loop-program.js";
import type { CallScalar, ReduceScalar, Scalar } from "../ir/scalar.js";
import { indicesOf } from "../ir/traverse.js";

export interface Interval {
  readonly min: number;
  readonly max: number;
}
const interval = (min: number, max: number): Interval => ({ min, max });
const ANY = interval(-Infinity, Infinity);
const BIT = interval(0, 1);
const union = (a: Interval, b: Interval): Interval =>
  interval(Math.min(a.min, b.min), Math.max(a.max, b.max));
const isWithin = (inner: Interval, outer: Interval): boolean =>
  inner.min >= outer.min && inner.max <= outer.max;
/** The interval that holds all of these; nothing is known when one is not a number (infinity times zero, for one). */
const hull = (...values: readonly number[]): Interval =>
  values.some(Number.isNaN) ? ANY : interval(Math.min(...values), Math.max(...values));

/** What a device says about its integers. */
export interface RangeOptions {
  /** Values of int64 that a cell in memory may have when it is given from outside. */
  readonly input: Interval;
  /** Values of int64 that can be computed with. */
  readonly compute: Interval;
  /** What sizes that are not known yet stay below. */
  readonly size: number;
}

/** The ranges of one program's buffers, nest by nest, and what in a nest may leave the device's integers. */
export class ProgramRanges {
  readonly #buffers: Interval[] = [];
  readonly #problems = new Map<number, string>();

  constructor(program: LoopProgram, options: RangeOptions) {
    for (const { id, dtype } of program.buffers) this.#buffers[id] = storedRange(dtype, options.input);
    for (const nest of program.nests) {
      const ranges = new NestRanges(this.#buffers, options);
      const range = ranges.of(nest.value);
      if (ranges.problem !== undefined) this.#problems.set(nest.id, ranges.problem);
      else this.#buffers[nest.output] = range;
    }
  }

  /** What int64 value of the nest cannot be proved to fit; undefined when all do. */
  problem(nest: LoopNest): string | undefined {
    return this.#problems.get(nest.id);
  }
}

function storedRange(dtype: DType, wide: Interval): Interval {
  if (dtype === "bool") return BIT;
  if (isFloatDType(dtype)) return ANY;
  return dtype === "int64" ? wide : fullRange(dtype);
}
function fullRange(dtype: DType): Interval {
  const { itemSize, signed } = dtypeInfo(dtype);
  const half = 2 ** (itemSize * 8 - 1);
  return signed ? interval(-half, half - 1) : interval(0, half * 2 - 1);
}

/** Ranges in one nest; `narrow` holds what a condition says of scalars. */
class NestRanges {
  readonly #buffers: readonly Interval[];
  readonly #options: RangeOptions;
  readonly #narrow: ReadonlyMap<Scalar, Interval>;
  readonly #known = new Map<Scalar, Interval>();
  problem: string | undefined;

  constructor(
    buffers: readonly Interval[],
    options: RangeOptions,
    narrow: ReadonlyMap<Scalar, Interval> = new Map(),
  ) {
    this.#buffers = buffers;
    this.#options = options;
    this.#narrow = narrow;
  }

  of(scalar: Scalar): Interval {
    const known = this.#narrow.get(scalar) ?? this.#known.get(scalar);
    if (known !== undefined) return known;
    this.#visitIndices(scalar);
    const exact = this.#exact(scalar);
    const range = this.#stored(scalar, exact);
    this.#known.set(scalar, range);
    return range;
  }

  #stored(scalar: Scalar, exact: Interval): Interval {
    const { dtype } = scalar;
    if (isFloatDType(dtype)) return exact;
    if (dtype === "bool") return BIT;
    if (dtype !== "int64") {
      const full = fullRange(dtype);
      return isWithin(exact, full) ? exact : full;
    }
    const { compute } = this.#options;
    if (isWithin(exact, compute)) return exact;
    const name = scalar.kind === "call" ? scalar.fn : scalar.kind === "reduce" ? scalar.reduce : scalar.kind;
    this.problem ??= `an int64 "${name}" may exceed ${compute.max}, the device's largest integer`;
    return compute;
  }

  #visitIndices(scalar: Scalar): void {
    for (const index of indicesOf(scalar))
      forEachAtom(index, (item) => {
        if (item.kind === "value") this.of(item.scalar);
      });
  }

  #index(index: Index): Interval {
    const { min, max } = boundsOf(index);
    return interval(min ?? -this.#options.size, max ?? this.#options.size);
  }

  #exact(scalar: Scalar): Interval {
    switch (scalar.kind) {
      case "constant":
        return hull(Number(scalar.value));
      case "index":
        return this.#index(scalar.index);
      case "load":
        return this.#buffers[scalar.buffer]!;
      case "cast":
        return this.#cast(this.of(scalar.value), scalar.value.dtype, scalar.dtype);
      case "select": {
        this.of(scalar.condition);
        const then = this.#under(scalar.condition, true).#take(scalar.then, this);
        const otherwise = this.#under(scalar.condition, false).#take(scalar.otherwise, this);
        return union(then, otherwise);
      }
      case "call":
        return callRange(
          scalar,
          scalar.args.map((arg) => this.of(arg)),
        );
      case "reduce":
        return this.#reduce(scalar);
    }
  }
  #take(scalar: Scalar, from: NestRanges): Interval {
    const range = this.of(scalar);
    from.problem ??= this.problem;
    return range;
  }

  /** Floats beyond the device's integers are cut to its ends, so that they never leave them. */
  #cast(range: Interval, from: DType, to: DType): Interval {
    if (isFloatDType(to) || to === "bool" || !isFloatDType(from)) return range;
    const { min, max } = to === "int64" ? this.#options.compute : fullRange("int32");
    const clamp = (value: number): number => Math.trunc(Math.min(max, Math.max(min, value)));
    return interval(clamp(range.min), clamp(range.max));
  }

  /** Ranges where a condition holds or does not. */
  #under(condition: Scalar, holds: boolean): NestRanges {
    if (condition.kind !== "call") return this;
    const [x, bound] = condition.args;
    if (bound === undefined || isFloatDType(x!.dtype) || x!.dtype === "bool") return this;
    const [range, limit] = [this.of(x!), this.of(bound)];
    const fn = holds ? condition.fn : OPPOSITE[condition.fn];
    const narrowed =
      fn === "lt"
        ? interval(range.min, Math.min(range.max, limit.max - 1))
        : fn === "le"
          ? interval(range.min, Math.min(range.max, limit.max))
          : fn === "gt"
            ? interval(Math.max(range.min, limit.min + 1), range.max)
            : fn === "ge"
              ? interval(Math.max(range.min, limit.min), range.max)
              : undefined;
    if (narrowed === undefined || narrowed.min > narrowed.max) return this;
    return new NestRanges(this.#buffers, this.#options, new Map([...this.#narrow, [x!, narrowed]]));
  }

  #reduce(scalar: ReduceScalar): Interval {
    if (scalar.when !== undefined) this.of(scalar.when);
    const body = this.of(scalar.body);
    const initial = scalar.initial === undefined ? undefined : this.of(scalar.initial);
    const count = scalar.axes.reduce((total, { extent }) => total * Math.max(0, this.#index(extent).max), 1);
    const start = initial ?? interval(0, 0);
    switch (scalar.reduce) {
      case "sum":
        return hull(
          start.min,
          start.max,
          start.min + count * Math.min(0, body.min),
          start.max + count * Math.max(0, body.max),
        );
      case "prod": {
        const top = Math.max(Math.abs(body.min), Math.abs(body.max), 1) ** count;
        return hull(body.min < 0 ? -top : 0, top);
      }
      case "argmax":
      case "argmin":
        return interval(0, Math.max(0, count - 1));
      case "any":
      case "all":
        return BIT;
      default:
        return initial === undefined ? body : union(initial, body);
    }
  }
}
const OPPOSITE: Partial<Record<string, string>> = { lt: "ge", le: "gt", gt: "le", ge: "lt" };

function callRange({ fn, dtype }: CallScalar, args: readonly Interval[]): Interval {
  const [a, b = a!] = args as [Interval, Interval?];
  const corners = (of: (x: number, y: number) => number): Interval =>
    hull(of(a.min, b.min), of(a.min, b.max), of(a.max, b.min), of(a.max, b.max));
  const map = (of: (x: number) => number): Interval => hull(of(a.min), of(a.max));
  const widest = Math.max(Math.abs(a.min), Math.abs(a.max));
  switch (fn) {
    case "add":
      return corners((x, y) => x + y);
    case "sub":
      return corners((x, y) => x - y);
    case "mul":
      return corners((x, y) => x * y);
    case "neg":
      return map((x) => -x);
    case "abs":
      return interval(a.min > 0 ? a.min : 0, widest);
    case "sign":
      return interval(-1, 1);
    case "max":
      return interval(Math.max(a.min, b.min), Math.max(a.max, b.max));
    case "min":
      return interval(Math.min(a.min, b.min), Math.min(a.max, b.max));
    case "floor":
    case "ceil":
    case "round":
    case "trunc":
      return map((x) => (fn === "round" ? Math.round(x) : Math[fn](x)));
    case "div":
    case "floor_div":
    case "trunc_div":
      return quotientRange(a, b, fn === "div" ? (x) => x : fn === "floor_div" ? Math.floor : Math.trunc);
    case "remainder":
      return b.min > 0
        ? interval(0, isFloatDType(dtype) ? b.max : b.max - 1)
        : hull(-furthest(b), furthest(b));
    case "fmod":
      return hull(a.min < 0 ? -widest : 0, a.max > 0 ? widest : 0);
    case "bitwise_and":
    case "bitwise_or":
    case "bitwise_xor":
      return maskRange(a, b);
    case "bitwise_not":
      return map((x) => -1 - x);
    case "shift_right":
      return hull(a.min < 0 ? a.min : 0, a.max > 0 ? a.max : 0);
    case "shift_left":
      return b.min < 0
        ? hull(-widest * 2 ** 63, widest * 2 ** 63)
        : corners((x, y) => x * 2 ** Math.min(y, 64));
    case "pow":
      return b.max === Infinity
        ? ANY
        : hull(a.min < 0 ? -(widest ** b.max) : 0, Math.max(1, widest) ** b.max);
    default:
      return ANY;
  }
}
const furthest = ({ min, max }: Interval): number => Math.max(Math.abs(min), Math.abs(max));
/** Dividing by what is no zero makes nothing larger, nothing else is known of a divisor with both signs. */
function quotientRange(a: Interval, b: Interval, round: (x: number) => number): Interval {
  if (b.min > 0) {
    const ends = [a.min / b.min, a.min / b.max, a.max / b.min, a.max / b.max];
    return hull(...ends.map(round));
  }
  return round(0.5) === 0 ? hull(-furthest(a), furthest(a)) : ANY;
}
/** Bit functions stay within the next power of two. */
function maskRange(a: Interval, b: Interval): Interval {
  const most = Math.max(a.max + 1, b.max + 1, -a.min, -b.min, 1);
  const top = 2 ** Math.ceil(Math.log2(most));
  return interval(a.min < 0 || b.min < 0 ? -top : 0, top - 1);
}
