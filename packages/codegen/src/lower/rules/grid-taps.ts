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

/** Numbers from here on do not fit an int32. */
const INT32_END = 2 ** 31;

/**
 * Arithmetic of one dtype; halves are rounded at each step, as PyTorch's kernel does. PyTorch
 * samples images in vectors, and volumes one number after the other. They differ in NaN and large
 * numbers.
 */
export class Places {
  readonly isImage: boolean;
  readonly #dtype: DType;
  readonly #compute: DType;

  constructor(dtype: DType, isImage: boolean) {
    this.isImage = isImage;
    this.#dtype = dtype;
    this.#compute = computeType(dtype);
  }

  number(value: number): Scalar {
    return constantScalar(value, this.#compute);
  }
  extent(size: Index): Scalar {
    return numberOf(size, this.#compute);
  }
  op(fn: "add" | "sub" | "mul" | "div" | "abs", ...args: readonly Scalar[]): Scalar {
    return cast(cast(apply(fn, ...args), this.#dtype), this.#compute);
  }

  /** From `-1..1` to a place among `size` elements. */
  unscaled(value: Scalar, size: Index, align: boolean): Scalar {
    const shifted = this.op("add", value, this.number(1));
    const extent = this.extent(size);
    if (this.isImage) {
      const count = align ? apply("sub", extent, this.number(1)) : extent;
      const scaled = this.op("mul", shifted, this.op("div", count, this.number(2)));
      return align ? scaled : this.op("sub", scaled, this.number(0.5));
    }
    if (align) {
      const half = this.op("div", shifted, this.number(2));
      return this.op("mul", half, apply("sub", extent, this.number(1)));
    }
    const wide = this.op("sub", this.op("mul", shifted, extent), this.number(1));
    return this.op("div", wide, this.number(2));
  }

  /** Returns the place that is read instead by the padding mode. */
  padded(x: Scalar, size: Index, mode: number, align: boolean): Scalar {
    if (mode === BORDER) return this.#clipped(x, size);
    if (mode === REFLECTION) return this.#clipped(this.#reflected(x, size, align), size);
    if (this.isImage) return x;
    // A coordinate that no int32 holds is outside. PyTorch's test does not see NaN of bfloat16.
    const fits = apply(
      "and",
      apply("ge", x, this.number(-INT32_END)),
      apply("lt", x, this.number(INT32_END)),
    );
    const isKept = this.#dtype === "bfloat16" ? apply("or", fits, apply("ne", x, x)) : fits;
    return select(isKept, x, this.number(-100));
  }
  /** NaN is the first place of images and the last one of volumes. */
  #clipped(x: Scalar, size: Index): Scalar {
    const [zero, last] = [this.number(0), apply("sub", this.extent(size), this.number(1))];
    return this.isImage
      ? select(apply("gt", x, zero), apply("min", x, last), zero)
      : select(apply("lt", x, last), apply("max", x, zero), last);
  }
  #reflected(x: Scalar, size: Index, align: boolean): Scalar {
    const low = this.number(align ? 0 : -0.5);
    const span = align ? apply("sub", this.extent(size), this.number(1)) : this.extent(size);
    const distance = this.op("abs", this.op("sub", x, low));
    const folded = this.isImage ? this.#foldedImage(distance, span) : this.#foldedVolume(distance, span);
    return select(apply("eq", span, this.number(0)), this.number(0), this.op("add", folded, low));
  }
  #foldedImage(distance: Scalar, span: Scalar): Scalar {
    const period = apply("mul", span, this.number(2));
    const periods = apply("trunc", this.op("div", distance, period));
    const rest = this.op("sub", distance, this.op("mul", periods, period));
    return apply("min", rest, this.op("sub", period, rest));
  }
  /** The count of folds is an int32; one that does not fit is even. */
  #foldedVolume(distance: Scalar, span: Scalar): Scalar {
    const rest = apply("fmod", distance, span);
    const folds = apply("floor", this.op("div", distance, span));
    const isEven = apply("eq", apply("fmod", folds, this.number(2)), this.number(0));
    const isLarge = apply("ge", folds, this.number(INT32_END));
    return select(apply("or", isEven, isLarge), rest, this.op("sub", span, rest));
  }

  /**
   * Returns a whole half as PyTorch's vectors convert it: low bits of an int32, 0 where none holds
   * it.
   */
  whole(place: Scalar): Scalar {
    if (!this.isImage) return select(apply("eq", place, place), place, this.number(0));
    if (this.#dtype === this.#compute) return place;
    const range16 = this.number(2 ** 16);
    const wraps = apply("floor", apply("add", apply("div", place, range16), this.number(0.5)));
    const fits = apply("lt", apply("abs", place), this.number(INT32_END));
    return select(fits, apply("sub", place, apply("mul", wraps, range16)), this.number(0));
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
      return { place: places.whole(apply("floor", places.padded(place, size, padding, align))), weight };
    });
  }
  const x = places.padded(raw, size, padding, align);
  if (interpolation === NEAREST) return [{ place: places.whole(apply("round", x)), weight: undefined }];
  const first = apply("floor", x);
  const next = apply("add", first, places.number(1));
  const share = places.op("sub", x, first);
  return [
    {
      place: places.whole(first),
      weight: places.isImage ? places.op("sub", places.number(1), share) : places.op("sub", next, x),
    },
    { place: places.whole(next), weight: share },
  ];
}
/**
 * Returns an element by a weight; one outside is 0. Zeros of images are weighted, too, because
 * weights may be NaN.
 */
function weighted(places: Places, within: Scalar, value: Scalar, weight: Scalar): Scalar {
  const zero = places.number(0);
  if (places.isImage) return places.op("mul", select(within, value, zero), weight);
  return select(within, places.op("mul", value, weight), zero);
}
/** Returns all choices of one item from each list. */
const choices = <T>(lists: readonly (readonly T[])[]): T[][] =>
  lists.reduce<T[][]>((all, list) => all.flatMap((some) => list.map((item) => [...some, item])), [[]]);

type ElementAt = (corner: readonly Scalar[]) => Scalar;
const isInside = (places: Places, { place }: Tap, size: Index): Scalar =>
  apply("and", apply("ge", place, places.number(0)), apply("lt", place, places.extent(size)));

/**
 * Returns the sum over corners of elements by products of weights, those of the fastest dimension
 * first.
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
    return weight === undefined
      ? select(within, value, places.number(0))
      : weighted(places, within, value, weight);
  });
  return corners.reduce((total, corner) => places.op("add", total, corner));
}
/**
 * One dimension after the other, as cubic sampling of images is computed. Elements outside are
 * zeros with weights, too.
 */
export function byDimension(
  places: Places,
  [taps, ...rest]: readonly Tap[][],
  [size, ...sizes]: readonly Index[],
  elementAt: ElementAt,
  within: Scalar = TRUE,
): Scalar {
  const terms = taps!.map((tap) => {
    const inner: ElementAt = (corner) => elementAt([tap.place, ...corner]);
    const inside = both(within, isInside(places, tap, size!));
    const value =
      rest.length === 0
        ? select(inside, inner([]), places.number(0))
        : byDimension(places, rest, sizes, inner, inside);
    return places.op("mul", value, tap.weight!);
  });
  return terms.reduce((total, term) => places.op("add", total, term));
}

/** Returns a whole float as an index; read only where it is within the size. */
export function placeOf(place: Scalar, bound: Index): Index {
  const scalar = cast(place, "int64");
  return atom({ kind: "value", scalar, key: `[${scalarText(scalar)}]`, bound });
}
