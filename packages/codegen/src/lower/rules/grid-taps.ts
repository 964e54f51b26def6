/** @file Which elements of an image a sample reads, and their weights. */
import type { DType } from "@sconce/tensor";
import { atom, type Index } from "../../ir/index-expr.js";
import { apply, both, cast, constantScalar, type Scalar, select, TRUE } from "../../ir/scalar.js";
import { scalarText } from "../../ir/scalar-text.js";
import { computeType, numberOf } from "../core/numbers.js";

const LINEAR = 0;
const NEAREST = 1;
const BORDER = 1;
const REFLECTION = 2;

/** Arithmetic of one dtype; halves are rounded at each step, as PyTorch's kernel does. */
export class Places {
  readonly #dtype: DType;
  readonly #compute: DType;

  constructor(dtype: DType) {
    this.#dtype = dtype;
    this.#compute = computeType(dtype);
  }

  number(value: number): Scalar {
    return constantScalar(value, this.#compute);
  }
  extent(size: Index): Scalar {
    return numberOf(size, this.#compute);
  }
  op(fn: "add" | "sub" | "mul" | "div" | "abs" | "remainder", ...args: readonly Scalar[]): Scalar {
    return cast(cast(apply(fn, ...args), this.#dtype), this.#compute);
  }

  /** From `-1..1` to a place among `size` elements. */
  unscaled(value: Scalar, size: Index, align: boolean): Scalar {
    const shifted = this.op("add", value, this.number(1));
    const extent = this.extent(size);
    if (align) {
      const half = this.op("div", shifted, this.number(2));
      return this.op("mul", half, apply("sub", extent, this.number(1)));
    }
    const wide = this.op("sub", this.op("mul", shifted, extent), this.number(1));
    return this.op("div", wide, this.number(2));
  }

  /** The place that is read instead by the padding mode. */
  padded(x: Scalar, size: Index, mode: number, align: boolean): Scalar {
    if (mode === BORDER) return this.#clipped(x, size);
    return mode === REFLECTION ? this.#clipped(this.#reflected(x, size, align), size) : x;
  }
  #clipped(x: Scalar, size: Index): Scalar {
    const last = apply("sub", this.extent(size), this.number(1));
    return apply("min", apply("max", x, this.number(0)), last);
  }
  #reflected(x: Scalar, size: Index, align: boolean): Scalar {
    const low = this.number(align ? 0 : -0.5);
    const span = align ? apply("sub", this.extent(size), this.number(1)) : this.extent(size);
    const distance = this.op("abs", this.op("sub", x, low));
    const rest = apply("fmod", distance, span);
    const periods = apply("floor", this.op("div", distance, span));
    const isEven = apply("eq", apply("fmod", periods, this.number(2)), this.number(0));
    const back = this.op("add", this.op("sub", span, rest), low);
    const folded = select(isEven, this.op("add", rest, low), back);
    return select(apply("eq", span, this.number(0)), this.number(0), folded);
  }

  /** Cubic convolution with a = -0.75. */
  cubic(t: Scalar): Scalar[] {
    const a = -0.75;
    const polynomial = (x: Scalar, factors: readonly number[]): Scalar =>
      factors.slice(1).reduce<Scalar>((total, factor, i) => {
        const product = this.op("mul", total, x);
        return factor === 0 && i === 1 ? product : this.op("add", product, this.number(factor));
      }, this.number(factors[0]!));
    const near = (x: Scalar): Scalar => polynomial(x, [a + 2, -(a + 3), 0, 1]);
    const far = (x: Scalar): Scalar => polynomial(x, [a, -5 * a, 8 * a, -4 * a]);
    const rest = this.op("sub", this.number(1), t);
    return [
      far(this.op("add", t, this.number(1))),
      near(t),
      near(rest),
      far(this.op("add", rest, this.number(1))),
    ];
  }
}

/** The modes of a grid sampler, as PyTorch numbers them. */
export interface Sampling {
  readonly interpolation: number;
  readonly padding: number;
  readonly align: boolean;
}
export const isCubic = ({ interpolation }: Sampling): boolean =>
  interpolation !== LINEAR && interpolation !== NEAREST;

/** A read along one dimension: a place that may be outside, and its weight. */
interface Tap {
  readonly place: Scalar;
  readonly weight: Scalar | undefined;
}
export function tapsOf(places: Places, value: Scalar, size: Index, sampling: Sampling): Tap[] {
  const { interpolation, padding, align } = sampling;
  const raw = places.unscaled(value, size, align);
  if (isCubic(sampling)) {
    const first = apply("floor", raw);
    const weights = places.cubic(places.op("sub", raw, first));
    return weights.map((weight, k) => {
      const place = apply("add", first, places.number(k - 1));
      return { place: apply("floor", places.padded(place, size, padding, align)), weight };
    });
  }
  const x = places.padded(raw, size, padding, align);
  if (interpolation === NEAREST) return [{ place: apply("round", x), weight: undefined }];
  const first = apply("floor", x);
  const next = apply("add", first, places.number(1));
  return [
    { place: first, weight: places.op("sub", next, x) },
    { place: next, weight: places.op("sub", x, first) },
  ];
}
/** All choices of one item from each list. */
const choices = <T>(lists: readonly (readonly T[])[]): T[][] =>
  lists.reduce<T[][]>((all, list) => all.flatMap((some) => list.map((item) => [...some, item])), [[]]);

type ElementAt = (corner: readonly Scalar[]) => Scalar;
const isInside = (places: Places, { place }: Tap, size: Index): Scalar =>
  apply("and", apply("ge", place, places.number(0)), apply("lt", place, places.extent(size)));

/**
 * The sum over corners of elements by products of weights, those of the fastest dimension first.
 */
export function byCorner(
  places: Places,
  taps: readonly Tap[][],
  sizes: readonly Index[],
  elementAt: ElementAt,
): Scalar {
  const corners = choices(taps).map((corner) => {
    const within = corner.reduce<Scalar>((all, tap, d) => both(all, isInside(places, tap, sizes[d]!)), TRUE);
    const weights = corner.map(({ weight }) => weight).filter((weight) => weight !== undefined);
    const value = elementAt(corner.map(({ place }) => place));
    const [first, ...others] = weights.reverse();
    const weight = others.reduce<Scalar | undefined>(
      (total, other) => places.op("mul", total!, other),
      first,
    );
    return select(within, weight === undefined ? value : places.op("mul", value, weight), places.number(0));
  });
  return corners.reduce((total, corner) => places.op("add", total, corner));
}
/** One dimension after the other, as cubic sampling is computed. */
export function byDimension(
  places: Places,
  [taps, ...rest]: readonly Tap[][],
  [size, ...sizes]: readonly Index[],
  elementAt: ElementAt,
): Scalar {
  const terms = taps!.map((tap) => {
    const inner: ElementAt = (corner) => elementAt([tap.place, ...corner]);
    const value = rest.length === 0 ? inner([]) : byDimension(places, rest, sizes, inner);
    return select(isInside(places, tap, size!), places.op("mul", value, tap.weight!), places.number(0));
  });
  return terms.reduce((total, term) => places.op("add", total, term));
}

/** A whole float as an index; read only where it is within the size. */
export function placeOf(place: Scalar, bound: Index): Index {
  const scalar = cast(place, "int64");
  return atom({ kind: "value", scalar, key: `[${scalarText(scalar)}]`, bound });
}
