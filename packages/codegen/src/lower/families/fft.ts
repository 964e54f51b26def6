/**
 * @file Fourier transforms. A nest transforms lines of one length, a product of small primes.
 * Longer lines are transformed in two steps, as a matrix; other lengths as a convolution
 * (Bluestein).
 */
import { wrapDimension } from "@sconce/tensor";
import {
  atom,
  constant,
  divide,
  fixedValue,
  type Index,
  isZero,
  multiply,
  product,
  remainder,
  subtract,
} from "../../ir/index-expr.js";
import type { FourierHint } from "../../ir/loop-program.js";
import {
  apply,
  both,
  cast,
  complexOf,
  constantScalar,
  indexScalar,
  partsOfComplex,
  type Scalar,
  select,
} from "../../ir/scalar.js";
import type { LoweringArgs } from "../core/arguments.js";
import { cannot, type LoweringCall, outOf, shapeOf } from "../core/call.js";
import { LazyTensor, reshaped, viewOf } from "../core/lazy.js";
import { defineLowerings, lowering } from "../core/lowering.js";
import { made } from "../rules/made.js";
import { inside } from "../rules/window.js";

/** Factors that kernels have. */
const FACTORS = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31] as const;
/** Elements of lines that one nest transforms, at most. */
const LONGEST = 2048;
/** The same where there are few lines: kernels transform four at once. */
const LONGEST_OF_FEW = 128;
const FEW = 4;

/** How lines are transformed. */
interface Transform {
  readonly dim: number;
  readonly sign: 1 | -1;
  readonly scale: number;
  /** Elements of a result; all when left out. */
  readonly kept?: Index;
  /** Whether the real parts are wanted alone. */
  readonly isReal?: boolean;
}

const real = (value: number): Scalar => constantScalar(value, "float32");
/** `exp(i arc)`. */
const unit = (arc: Scalar): Scalar => complexOf(apply("cos", arc), apply("sin", arc));
const at = (coordinates: readonly Index[], dim: number, place: Index): Index[] =>
  coordinates.map((own, d) => (d === dim ? place : own));

/** Transforms along dimensions during the lowering of one call. */
class Lines {
  readonly #call: LoweringCall;

  constructor(call: LoweringCall) {
    this.#call = call;
  }

  /** Returns the lines of a tensor along a dimension, transformed. */
  transformed(tensor: LazyTensor, given: Transform): LazyTensor {
    const size =
      fixedValue(tensor.shape[given.dim]!) ?? cannot("the length of its lines is not a fixed number");
    if (size < 1) return cannot("it transforms no elements");
    const others = product(tensor.shape.filter((_, d) => d !== given.dim));
    const lines = fixedValue(others) ?? FEW;
    const longest = lines < FEW ? LONGEST_OF_FEW : LONGEST;
    if (!isSmooth(size)) return this.#convolved(tensor, given, size);
    return size <= longest ? this.#nest(tensor, given, size) : this.#inTwoSteps(tensor, given, size);
  }

  /** Returns a tensor whose elements are computed from those of others. */
  made(
    inputs: readonly LazyTensor[],
    shape: readonly Index[],
    element: LazyTensor["element"],
    dtype: LazyTensor["dtype"] = "complex64",
  ): LazyTensor {
    const tensor = new LazyTensor({ dtype, shape, node: this.#call.node, inputs, operations: 8, element });
    this.#call.context.made(tensor);
    return tensor;
  }

  /** One nest, by the definition. */
  #nest(tensor: LazyTensor, given: Transform, size: number): LazyTensor {
    const { context, node } = this.#call;
    const { dim, sign, scale, kept = constant(size), isReal = false } = given;
    const source = new LazyTensor({
      dtype: tensor.dtype,
      shape: tensor.shape,
      node,
      inputs: [],
      element: (coordinates) => tensor.element(coordinates),
    });
    source.place(context.buffer(tensor));
    const result = new LazyTensor({
      dtype: isReal ? "float32" : "complex64",
      shape: at(tensor.shape, dim, kept),
      node,
      inputs: [source],
      heavy: true,
      operations: 8,
      element: (coordinates) => {
        const along = context.axis(constant(size));
        const places = remainder(multiply(coordinates[dim]!, atom(along)), constant(size));
        const float = (value: number): Scalar => constantScalar(value, "float64");
        const arc = apply("mul", cast(indexScalar(places), "float64"), float((sign * 2 * Math.PI) / size));
        const [a, b] = partsOfComplex(source.element(at(coordinates, dim, atom(along)))).map((part) =>
          cast(part, "float64"),
        ) as [Scalar, Scalar];
        const [c, s] = [apply("cos", arc), apply("sin", arc)];
        const sum = (body: Scalar): Scalar => {
          const total: Scalar = { kind: "reduce", dtype: "float64", reduce: "sum", axes: [along], body };
          return cast(apply("mul", total, float(scale)), "float32");
        };
        const re = sum(apply("sub", apply("mul", a, c), apply("mul", b, s)));
        return isReal ? re : complexOf(re, sum(apply("add", apply("mul", a, s), apply("mul", b, c))));
      },
    });
    context.made(result);
    const hint: FourierHint = { kind: "fourier", dim, size, sign, scale };
    context.materialize(result, { hint });
    return result;
  }

  /** Lines as matrices: their columns are transformed, turned, and then their rows. */
  #inTwoSteps(tensor: LazyTensor, given: Transform, size: number): LazyTensor {
    const { node } = this.#call;
    const { dim, sign, scale, kept = constant(size), isReal = false } = given;
    const [rows, columns] = divided(size);
    const split = (shape: readonly Index[], ...parts: readonly Index[]): Index[] =>
      shape.toSpliced(dim, 1, ...parts);
    const matrix = reshaped(tensor, node, split(tensor.shape, constant(rows), constant(columns)));
    const first = this.transformed(matrix, { dim, sign, scale: 1 });
    const turned = this.made([first], first.shape, (coordinates) => {
      const place = multiply(coordinates[dim]!, coordinates[dim + 1]!);
      const arc = arcOf(indexScalar(place), size, (sign * 2 * Math.PI) / size);
      return apply("mul", first.element(coordinates), unit(arc));
    });
    const second = this.transformed(turned, { dim: dim + 1, sign, scale, isReal });
    // Element `k` is that of row `k % rows` and column `k / rows`.
    return viewOf(second, node, at(tensor.shape, dim, kept), (coordinates) => {
      const place = coordinates[dim]!;
      return split(coordinates, remainder(place, constant(rows)), divide(place, constant(rows)));
    });
  }

  /** Returns a transform of any length as a convolution with `exp(-sign pi i n^2 / size)`. */
  #convolved(tensor: LazyTensor, given: Transform, size: number): LazyTensor {
    const { dim, sign, scale, kept = constant(size), isReal = false } = given;
    const wide = constant(2 ** Math.ceil(Math.log2(2 * size - 1)));
    const count = constant(size);
    const chirp = (place: Index, direction: number): Scalar => {
      const whole = indexScalar(place);
      const square = apply("remainder", apply("mul", whole, whole), constantScalar(2 * size, "int64"));
      return unit(arcOf(square, 2 * size, (direction * Math.PI) / size));
    };
    const padded = this.made([tensor], at(tensor.shape, dim, wide), (coordinates) => {
      const element = cast(tensor.element(coordinates), "complex64");
      const turned = apply("mul", element, chirp(coordinates[dim]!, sign));
      return select(inside(coordinates[dim]!, count), turned, cast(real(0), "complex64"));
    });
    const filter = this.made([], [wide], ([place]) => {
      const isFirst = inside(place!, count);
      const mirrored = subtract(wide, place!);
      const isLast = inside(mirrored, count);
      const zero = cast(real(0), "complex64");
      return select(isFirst, chirp(place!, -sign), select(isLast, chirp(mirrored, -sign), zero));
    });
    const forth = { sign: -1, scale: 1 } as const;
    const spectrum = this.transformed(padded, { ...forth, dim });
    const factors = this.transformed(filter, { ...forth, dim: 0 });
    const together = this.made([spectrum, factors], spectrum.shape, (coordinates) =>
      apply("mul", spectrum.element(coordinates), factors.element([coordinates[dim]!])),
    );
    const back = this.transformed(together, { dim, sign: 1, scale: scale / fixedValue(wide)! });
    const dtype = isReal ? "float32" : "complex64";
    return this.made(
      [back],
      at(tensor.shape, dim, kept),
      (coordinates) => cast(apply("mul", back.element(coordinates), chirp(coordinates[dim]!, sign)), dtype),
      dtype,
    );
  }
}

/**
 * `places * by` for places below `whole`, as an angle of at most half a circle: small ones are
 * exact.
 */
function arcOf(places: Scalar, whole: number, by: number): Scalar {
  const isFar = apply("gt", places, constantScalar(Math.floor(whole / 2), "int64"));
  const near = select(isFar, apply("sub", places, constantScalar(whole, "int64")), places);
  return apply("mul", cast(near, "float32"), real(by));
}

function isSmooth(size: number): boolean {
  let left = size;
  for (const factor of FACTORS) while (left % factor === 0) left /= factor;
  return left === 1;
}
/** Two factors that are as near to each other as possible. */
function divided(size: number): readonly [number, number] {
  let least = Math.floor(Math.sqrt(size));
  while (size % least !== 0) least--;
  return [least, size / least];
}

/** 0: none, 1: by the root of the number of elements, 2: by that number. */
function scaleOf(shape: readonly Index[], dims: readonly number[], normalization: number): number {
  const sizes = dims.map(
    (dim) => fixedValue(shape[dim]!) ?? cannot("the length of its lines is not a fixed number"),
  );
  const count = sizes.reduce((all, size) => all * size, 1);
  return normalization === 0 ? 1 : 1 / (normalization === 1 ? Math.sqrt(count) : count);
}

const R2C = "aten::_fft_r2c(Tensor self, int[] dim, int normalization, bool onesided) -> Tensor";
const C2C = "aten::_fft_c2c(Tensor self, SymInt[] dim, int normalization, bool forward) -> Tensor";
const C2R = "aten::_fft_c2r(Tensor self, int[] dim, int normalization, SymInt last_dim_size) -> Tensor";

interface Dims {
  readonly dims: readonly number[];
  readonly isNothing: boolean;
}
/** Returns the dimensions in order; single precision alone has kernels. */
function checked(call: LoweringCall, self: LazyTensor, dim: readonly (number | object)[]): Dims {
  const out = outOf(call);
  for (const dtype of [out.dtype, self.dtype])
    if (dtype !== "float32" && dtype !== "complex64") cannot(`Fourier transforms of ${dtype} have no loops`);
  const dims = dim.map((one) => wrapDimension(Number(one), self.shape.length));
  if (dims.length === 0) cannot("it transforms no dimension");
  return { dims, isNothing: shapeOf(out).some(isZero) };
}
const nothing = (call: LoweringCall): LazyTensor =>
  made(call, { inputs: [], element: () => cast(real(0), outOf(call).dtype) });

/** One dimension after the other; the last step has the scale. */
function along(
  lines: Lines,
  self: LazyTensor,
  dims: readonly number[],
  sign: 1 | -1,
  scale: number,
): LazyTensor {
  return dims.reduce(
    (tensor, dim, i) => lines.transformed(tensor, { dim, sign, scale: i === dims.length - 1 ? scale : 1 }),
    self,
  );
}
function realToComplex(args: LoweringArgs<typeof R2C>, call: LoweringCall): LazyTensor {
  const { dims, isNothing } = checked(call, args.self, args.dim);
  if (isNothing) return nothing(call);
  const scale = scaleOf(args.self.shape, dims, args.normalization);
  const last = dims.at(-1)!;
  const kept = shapeOf(outOf(call))[last]!;
  const lines = new Lines(call);
  const rest = dims.slice(0, -1);
  const first = { dim: last, sign: -1, kept, scale: rest.length === 0 ? scale : 1 } as const;
  return along(lines, lines.transformed(args.self, first), rest, -1, scale);
}
function complexToComplex(args: LoweringArgs<typeof C2C>, call: LoweringCall): LazyTensor {
  const { dims, isNothing } = checked(call, args.self, args.dim);
  if (isNothing) return nothing(call);
  const scale = scaleOf(args.self.shape, dims, args.normalization);
  return along(new Lines(call), args.self, dims, args.forward ? -1 : 1, scale);
}
/** The other half of a line is the mirrored conjugate; what has no mirror is real. */
function complexToReal(args: LoweringArgs<typeof C2R>, call: LoweringCall): LazyTensor {
  const { dims, isNothing } = checked(call, args.self, args.dim);
  if (isNothing) return nothing(call);
  const shape = shapeOf(outOf(call));
  const last = dims.at(-1)!;
  const scale = scaleOf(shape, dims, args.normalization);
  const lines = new Lines(call);
  const half = along(lines, args.self, dims.slice(0, -1), 1, 1);
  const [size, given] = [shape[last]!, half.shape[last]!];
  const whole = lines.made([half], shape, (coordinates) => {
    const place = coordinates[last]!;
    const partsAt = (from: Index): readonly [Scalar, Scalar] => {
      const [re, im] = partsOfComplex(half.element(at(coordinates, last, from)));
      const isGiven = inside(from, given);
      return [select(isGiven, re, real(0)), select(isGiven, im, real(0))];
    };
    const [here, there] = [partsAt(place), partsAt(subtract(size, place))];
    const isFirst = inside(place, halfOf(size));
    const re = select(isFirst, here[0], there[0]);
    const im = select(isFirst, here[1], apply("neg", there[1]));
    const isOwn = both(
      apply("ne", indexScalar(place), constantScalar(0, "int64")),
      apply("ne", indexScalar(multiply(constant(2), place)), indexScalar(size)),
    );
    return complexOf(re, select(isOwn, im, real(0)));
  });
  return lines.transformed(whole, { dim: last, sign: 1, scale, isReal: true });
}
/** Elements up to the middle. */
const halfOf = (size: Index): Index => constant(Math.floor(fixedValue(size)! / 2) + 1);

export const FOURIER_TRANSFORMS = defineLowerings([
  lowering(R2C, realToComplex),
  lowering(C2C, complexToComplex),
  lowering(C2R, complexToReal),
]);
