/** @file Ranges, and the places of a triangle's elements. */
import type { ScalarArg } from "@sconce/ops";
import { type DType, isFloatDType } from "@sconce/tensor";
import {
  add,
  boundsOf,
  constant,
  divide,
  fixedValue,
  type Index,
  multiply,
  remainder,
  scale,
  size,
  subtract,
} from "../../ir/index-expr.js";
import { apply, cast, indexScalar, type Scalar, select } from "../../ir/scalar.js";
import { cannot, type LoweringCall, outOf, shapeOf } from "../core/call.js";
import { LazyTensor } from "../core/lazy.js";
import { defineLowerings, lowering } from "../core/lowering.js";
import { computeType, numberScalar } from "../core/numbers.js";
import { made } from "../rules/made.js";
import { integer } from "../rules/rank.js";
import { sumOf } from "../rules/reduce.js";

/**
 * `start + i * step`. Floats that are not whole are computed in the dtype of the result, halves in
 * float32 (`aten/src/ATen/native/RangeFactories.cpp`).
 */
function range(call: LoweringCall, start: ScalarArg, end: ScalarArg, step: ScalarArg): LazyTensor {
  checkLength(call, start, end, step);
  const { dtype } = outOf(call);
  // Integers are counted in integers, whatever start and step were written as.
  const [first, stride] = [start, step].map((value) => wholeOf(value, !isFloatDType(dtype)));
  if (first !== undefined && stride !== undefined) {
    const value = (at: readonly Index[]): Index => add(first, multiply(at[0]!, stride));
    if (holdsAll(dtype, value(shapeOf(outOf(call)))))
      return made(call, { inputs: [], operations: 1, element: (at) => cast(indexScalar(value(at)), dtype) });
  }
  const compute = computeType(dtype);
  const [from, by] = [numberScalar(start, compute), numberScalar(step, compute)];
  const rise = (base: Scalar, steps: Index): Scalar =>
    cast(apply("add", base, apply("mul", cast(indexScalar(steps), compute), by)), dtype);
  if (compute === dtype)
    return made(call, { inputs: [], operations: 2, element: (at) => rise(from, at[0]!) });
  return made(call, { inputs: [], operations: 4, element: (at) => halfStep(call, at[0]!, from, rise) });
}
/** Returns whether a dtype holds all whole numbers up to one, as far as it is known. */
function holdsAll(dtype: DType, last: Index): boolean {
  if (computeType(dtype) === dtype) return true;
  const { min, max } = boundsOf(last);
  const most = dtype === "float16" ? 2 ** 11 : 2 ** 8;
  return min !== undefined && max !== undefined && min >= -most && max <= most;
}

/** Elements that PyTorch's vectors of halves have. */
const LANES = 16;
/**
 * PyTorch computes halves in pairs of vectors. The first element of a vector is rounded, and the
 * others count from it; elements that fill no pair count from the start
 * (`Vectorized<T>::arange`, `vectorized_loop`).
 */
function halfStep(
  call: LoweringCall,
  at: Index,
  from: Scalar,
  rise: (base: Scalar, steps: Index) => Scalar,
): Scalar {
  const [length] = shapeOf(outOf(call));
  const known = fixedValue(length!);
  const plain = rise(from, at);
  if (known !== undefined && known < 2 * LANES) return plain;
  const lane = remainder(at, constant(LANES));
  const inVector = rise(cast(rise(from, subtract(at, lane)), from.dtype), lane);
  const end = scale(divide(length!, constant(2 * LANES)), 2 * LANES);
  return select(apply("lt", indexScalar(at), indexScalar(end)), inVector, plain);
}
/**
 * The loops trust the size in the metadata; the interpreter computes it, and refuses bounds that
 * have none. It gets the calls whose bounds do not give that size.
 */
function checkLength(call: LoweringCall, ...bounds: readonly [ScalarArg, ScalarArg, ScalarArg]): void {
  const [size] = outOf(call).shape;
  const [start, end, step] = bounds.map(numberIn);
  if (typeof size !== "number" || start === undefined || end === undefined || step === undefined) return;
  if (Math.max(0, Math.ceil((end - start) / step)) !== size)
    cannot(`its bounds do not give the ${size} elements that the program says`);
}

/** Returns a number that is known; undefined for symbolic ones. */
function numberIn(value: ScalarArg): number | undefined {
  const inner = typeof value === "object" && value.kind === "float" ? value.value : value;
  return typeof inner === "object" ? undefined : Number(inner);
}

/** Returns a whole number, symbolic ones too; others are cut when asked for. */
function wholeOf(value: ScalarArg, isCut: boolean): Index | undefined {
  if (typeof value === "object" && value.kind === "SymInt") return size(value.expr);
  const inner = typeof value === "object" && value.kind === "float" ? value.value : value;
  if (typeof inner !== "number" && typeof inner !== "boolean") return undefined;
  const number = Number(inner);
  if (Number.isInteger(number)) return constant(number);
  return isCut ? constant(Math.trunc(number)) : undefined;
}

interface TriangleArgs {
  readonly row: number;
  readonly col: number;
  readonly offset: number;
}
/** A triangle of a matrix, by rows. */
class Triangle {
  readonly #call: LoweringCall;
  readonly #isUpper: boolean;
  readonly #rows: number;
  readonly #columns: number;
  readonly #offset: number;

  constructor(call: LoweringCall, isUpper: boolean, { row, col, offset }: TriangleArgs) {
    this.#call = call;
    this.#isUpper = isUpper;
    this.#rows = row;
    this.#columns = col;
    // Beyond the matrix all offsets are alike, and sums with them leave 64 bits.
    this.#offset = Math.max(-row, Math.min(offset, col));
  }

  #clamped(column: Scalar): Scalar {
    return apply("min", apply("max", column, integer(0)), integer(this.#columns));
  }
  /** Returns how many elements a row has. */
  lengthOf(row: Index): Scalar {
    // The first column of a row for an upper triangle, the one after the last for a lower one.
    const border = this.#clamped(indexScalar(add(row, constant(this.#offset + (this.#isUpper ? 0 : 1)))));
    return this.#isUpper ? apply("sub", integer(this.#columns), border) : border;
  }
  /** Returns the first column of a row that is computed. */
  startOf(row: Scalar): Scalar {
    return this.#isUpper ? this.#clamped(apply("add", row, integer(this.#offset))) : integer(0);
  }
  /** Returns the sum over rows. */
  sum(body: (row: Index) => Scalar, when: (row: Index) => Scalar): Scalar {
    const { axes, at } = this.#call.context.axes([constant(this.#rows)]);
    const row = at[0]!;
    return sumOf(axes, body(row), when(row));
  }
  /** Returns a vector of integers in memory. */
  vector(shape: readonly Index[], inputs: readonly LazyTensor[], element: (at: Index) => Scalar): LazyTensor {
    const { context, node } = this.#call;
    const vector = new LazyTensor({
      dtype: "int64",
      shape,
      node,
      inputs,
      heavy: true,
      element: ([at]) => element(at!),
    });
    context.made(vector);
    context.materialize(vector);
    return vector;
  }
}

/** Places of a triangle's elements: where each row ends in one nest, the places in the next. */
function trianglePlaces(call: LoweringCall, isUpper: boolean, args: TriangleArgs): LazyTensor {
  const triangle = new Triangle(call, isUpper, args);
  const { dtype } = outOf(call);
  const ends = triangle.vector([constant(args.row)], [], (row) =>
    triangle.sum(
      (other) => triangle.lengthOf(other),
      (other) => apply("le", indexScalar(other), indexScalar(row)),
    ),
  );
  const rows = triangle.vector(shapeOf(outOf(call)).slice(1), [ends], (element) =>
    triangle.sum(
      () => integer(1),
      (row) => apply("le", ends.element([row]), indexScalar(element)),
    ),
  );
  return made(call, {
    inputs: [ends, rows],
    operations: 4,
    element: ([which, element]) => {
      const found = rows.element([element!]);
      const before = triangle.sum(
        (row) => triangle.lengthOf(row),
        (other) => apply("lt", indexScalar(other), found),
      );
      const column = apply("add", apply("sub", indexScalar(element!), before), triangle.startOf(found));
      return cast(select(apply("eq", indexScalar(which!), integer(0)), found, column), dtype);
    },
  });
}

export const RANGES = defineLowerings([
  lowering(
    "aten::arange.start_step(Scalar start, Scalar end, Scalar step=1, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    ({ start, end, step }, call) => range(call, start, end, step),
  ),
  lowering(
    "aten::arange.start(Scalar start, Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    ({ start, end }, call) => range(call, start, end, 1),
  ),
  lowering(
    "aten::arange(Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    ({ end }, call) => range(call, 0, end, 1),
  ),
  lowering(
    "aten::tril_indices(int row, int col, int offset=0, *, ScalarType? dtype=4, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    (args, call) => trianglePlaces(call, false, args),
  ),
  lowering(
    "aten::triu_indices(int row, int col, int offset=0, *, ScalarType? dtype=4, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    (args, call) => trianglePlaces(call, true, args),
  ),
]);
