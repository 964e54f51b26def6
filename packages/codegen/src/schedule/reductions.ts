/** @file Reductions as loops over a variable. */
import { isFloatDType } from "@sconce/tensor";
import { conjunctsOf } from "../analysis/scan.js";
import { add, atom, axis, constant, fixedValue, flatIndex, type Index, scale } from "../ir/index-expr.js";
import { Rewriter } from "../ir/rewrite.js";
import type { Axis, ReduceScalar, Scalar } from "../ir/terms.js";
import {
  indexLiteral,
  type KernelOp,
  type KernelOperand,
  type KernelType,
  type KernelVariable,
  literal,
} from "../kernel/kernel.js";
import type { Target } from "../kernel/target.js";
import type { LoopRange } from "./loop-range.js";

/** Makes the statements of a reduction. */
interface ReductionBuilder {
  readonly target: Target;
  op(op: KernelOp, type: KernelType, args: readonly KernelOperand[]): KernelOperand;
  variable(type: KernelType, initial: KernelOperand): KernelVariable;
  assign(variable: KernelVariable, value: KernelOperand): void;
  when(condition: KernelOperand, yes: () => void): void;
  loop(range: LoopRange, body: (counter: KernelOperand) => void): void;
  index(index: Index): KernelOperand;
  scalar(scalar: Scalar): KernelOperand;
  axesOf(scalar: Scalar): ReadonlySet<string>;
}

/** Makes the loops of a reduction, and gives its result. */
export function writeReduction(scalar: ReduceScalar, builder: ReductionBuilder): KernelOperand {
  const { reduce, dtype } = scalar;
  if (reduce === "argmax" || reduce === "argmin") return placeOfExtreme(scalar, builder);
  const type = totalType(scalar, builder);
  const isExtreme = (reduce === "max" || reduce === "min") && scalar.initial === undefined;
  if (isExtreme && isFloatDType(dtype) && !builder.target.hasInfinity) return firstExtreme(scalar, builder);
  const start = scalar.initial === undefined ? identityOf(scalar, type) : builder.scalar(scalar.initial);
  const total = builder.variable(type, converted(start, type, builder));
  if (canUnroll(scalar, builder)) unrolledSum(scalar, builder, total);
  else if (isOpenSum(scalar, builder)) openSum(scalar, builder, total);
  else
    reductionLoops(scalar, builder, () => {
      const value = converted(builder.scalar(scalar.body), type, builder);
      if (reduce === "any" || reduce === "all") decide(reduce, total, value, builder);
      else builder.assign(total, combined(scalar, total, value, builder));
    });
  return converted(total, dtype, builder);
}
export const converted = (
  value: KernelOperand,
  type: KernelType,
  builder: ReductionBuilder,
): KernelOperand => {
  if (value.type === type) return value;
  return value.kind === "literal" && type === "float64"
    ? literal(value.value, type)
    : builder.op("cast", type, [value]);
};

/** Returns the type of the total: sums and products of floats may be wider than their terms. */
function totalType({ reduce, dtype }: ReduceScalar, { target }: ReductionBuilder): KernelType {
  const isSum = reduce === "sum" || reduce === "prod";
  return isSum && isFloatDType(dtype) && target.sumsIn === "float64" ? "float64" : dtype;
}

/** Returns what a reduction starts from where nothing else is given. */
export function identityOf({ reduce }: ReduceScalar, type: KernelType): KernelOperand {
  const isBool = type === "bool";
  switch (reduce) {
    case "any":
    case "all":
      return literal(reduce === "all", "bool");
    case "sum":
      return literal(isBool ? false : 0, type);
    case "prod":
      return literal(isBool ? true : 1, type);
    default:
      return lowest(reduce === "max", type);
  }
}
function lowest(isMax: boolean, type: KernelType): KernelOperand {
  if (type === "bool") return literal(!isMax, type);
  const infinity = isMax ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return literal(infinity, type);
}

/** Returns the greatest or least where there is no infinity: the first value is taken as it is. */
function firstExtreme(scalar: ReduceScalar, builder: ReductionBuilder): KernelOperand {
  const { dtype } = scalar;
  const best = builder.variable(dtype, literal(0, dtype));
  const isLater = builder.variable("bool", literal(false, "bool"));
  reductionLoops(scalar, builder, () => {
    const value = builder.scalar(scalar.body);
    const more = combined(scalar, best, value, builder);
    builder.assign(best, builder.op("select", dtype, [isLater, more, value]));
    builder.assign(isLater, literal(true, "bool"));
  });
  return best;
}

/** One value that decides is enough: the others change nothing. */
function decide(
  reduce: "any" | "all",
  total: KernelVariable,
  value: KernelOperand,
  builder: ReductionBuilder,
): void {
  const isAny = reduce === "any";
  const test = isAny ? value : builder.op("not", "bool", [value]);
  builder.when(test, () => builder.assign(total, literal(isAny, "bool")));
}

/** Two values of a reduction as one. */
export function combined(
  { reduce, dtype }: ReduceScalar,
  a: KernelOperand,
  b: KernelOperand,
  builder: Pick<ReductionBuilder, "op">,
): KernelOperand {
  switch (reduce) {
    case "sum":
      return builder.op("add", a.type, [a, b]);
    case "prod":
      return builder.op("mul", a.type, [a, b]);
    case "any":
    case "all":
      return builder.op(reduce === "any" ? "or" : "and", "bool", [a, b]);
    case "max":
    case "min":
      return builder.op(reduce, dtype, [a, b]);
    default:
      return b;
  }
}

/**
 * Loops over the axes around `inner`, which runs where the condition holds. Each part of the
 * condition is tested as soon as its axes are there: what fails for a whole row is not tested for
 * each of its elements.
 */
function reductionLoops(
  { axes, when }: ReduceScalar,
  builder: ReductionBuilder,
  inner: () => void,
  along = (one: Axis, body: () => void): void =>
    builder.loop({ axis: one.name, end: builder.index(one.extent) }, body),
): void {
  let open: readonly Scalar[] = when === undefined ? [] : conjunctsOf(when);
  const descend = (at: number): void => {
    const later = new Set(axes.slice(at).map(({ name }) => name));
    const tests = open.filter((part) => [...builder.axesOf(part)].every((name) => !later.has(name)));
    open = open.filter((part) => !tests.includes(part));
    const next = axes[at];
    const body = (): void => {
      if (next === undefined) inner();
      else along(next, () => descend(at + 1));
    };
    const [first, ...more] = tests.map((part) => builder.scalar(part));
    if (first === undefined) body();
    else
      builder.when(
        more.reduce((all, test) => builder.op("and", "bool", [all, test]), first),
        body,
      );
  };
  descend(0);
}

/** Terms that are added to one total, where it is not known how many there are. */
const GROUP = 512;
const isOpen = ({ extent }: Axis): boolean => fixedValue(extent) === undefined;
const isOpenSum = ({ reduce, dtype, axes }: ReduceScalar, { target }: ReductionBuilder): boolean =>
  reduce === "sum" && isFloatDType(dtype) && target.sumsIn !== "float64" && axes.some(isOpen);

/** A sum of any number of terms: in groups, whose totals are added, so that errors stay small. */
function openSum(scalar: ReduceScalar, builder: ReductionBuilder, all: KernelVariable): void {
  let total = all;
  const inGroups = (one: Axis, body: () => void): void => {
    const extent = builder.index(one.extent);
    const known = fixedValue(one.extent);
    if (known !== undefined && known <= GROUP) {
      builder.loop({ axis: one.name, end: extent }, body);
      return;
    }
    builder.loop({ end: extent, step: GROUP }, (start) => {
      const outer = total;
      total = builder.variable(all.type, literal(0, all.type));
      const until = builder.op("add", "index", [start, indexLiteral(GROUP)]);
      const end = builder.op("min", "index", [until, extent]);
      builder.loop({ axis: one.name, start, end }, body);
      builder.assign(outer, builder.op("add", all.type, [outer, total]));
      total = outer;
    });
  };
  reductionLoops(
    scalar,
    builder,
    () => {
      const value = converted(builder.scalar(scalar.body), all.type, builder);
      builder.assign(total, builder.op("add", all.type, [total, value]));
    },
    inGroups,
  );
}

/**
 * Returns whether it sums products of two elements, as matrix products do, over as many as come out
 * even.
 */
function canUnroll({ reduce, body, axes, when }: ReduceScalar, { target }: ReductionBuilder): boolean {
  const isProduct =
    body.kind === "call" && body.fn === "mul" && body.args.every(({ kind }) => kind === "load");
  const extent = axes.length === 0 ? 0 : (fixedValue(axes.at(-1)!.extent) ?? 0);
  return (
    target.unroll > 1 &&
    reduce === "sum" &&
    isProduct &&
    when === undefined &&
    extent >= 4 * target.unroll &&
    extent % target.unroll === 0
  );
}
/** Several products in each iteration of the innermost loop. */
function unrolledSum(scalar: ReduceScalar, builder: ReductionBuilder, total: KernelVariable): void {
  const last = scalar.axes.at(-1)!;
  const count = builder.target.unroll;
  const step = axis(`${last.name} by ${count}`, constant(fixedValue(last.extent)! / count));
  const terms = Array.from({ length: count }, (_, i) =>
    new Rewriter({ axes: new Map([[last.name, add(scale(atom(step), count), constant(i))]]) }).scalar(
      scalar.body,
    ),
  );
  const axes: Axis[] = [...scalar.axes.slice(0, -1), step];
  reductionLoops({ ...scalar, axes }, builder, () => {
    const [first, ...more] = terms.map((term) => converted(builder.scalar(term), total.type, builder));
    const sum = more.reduce((all, term) => builder.op("add", total.type, [all, term]), first!);
    builder.assign(total, builder.op("add", total.type, [total, sum]));
  });
}

/** Returns the first place of the greatest or least; NaN is before all. */
function placeOfExtreme(scalar: ReduceScalar, builder: ReductionBuilder): KernelOperand {
  const { axes, body } = scalar;
  const type = body.dtype;
  const best = builder.variable(type, literal(type === "bool" ? false : 0, type));
  const at = builder.variable("index", indexLiteral(-1));
  reductionLoops(scalar, builder, () => {
    const value = builder.scalar(body);
    const not = (one: KernelOperand): KernelOperand => builder.op("not", "bool", [one]);
    const isBetter = builder.op(scalar.reduce === "argmax" ? "gt" : "lt", "bool", [value, best]);
    let test = builder.op("or", "bool", [builder.op("lt", "bool", [at, indexLiteral(0)]), isBetter]);
    if (isFloatDType(type)) {
      const [isNan, wasNan] = [value, best].map((one) => builder.op("isnan", "bool", [one]));
      const isFirstNan = builder.op("and", "bool", [isNan!, not(wasNan!)]);
      test = builder.op("or", "bool", [test, isFirstNan]);
    }
    builder.when(test, () => {
      builder.assign(best, value);
      builder.assign(at, builder.index(placeIn(axes)));
    });
  });
  return builder.op("cast", "int64", [builder.op("max", "index", [at, indexLiteral(0)])]);
}
const placeIn = (axes: readonly Axis[]): Index =>
  flatIndex(
    axes.map((one) => atom(one)),
    axes.map(({ extent }) => extent),
  );
