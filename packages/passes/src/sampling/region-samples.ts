/** @file Inputs for a region of a program, one class of values at a time. */
import { FakeTensor, isSymScalar, type MetaValue, type Value } from "@sconce/ir";
import { evaluate, evaluateInt } from "@sconce/symbolic";
import {
  type DType,
  dtypeInfo,
  elementWriter,
  forEachPosition,
  requiredBytes,
  Storage,
  Tensor,
} from "@sconce/tensor";
import type { PairInput } from "../changes/region-pair.js";
import { type CornerOptions, cornerElements, cornersOf } from "./corner-values.js";
import type { IndexSizes } from "./index-inputs.js";
import type { ValueClass } from "./number-change.js";
import type { Draw } from "./random.js";
import type { Sizes } from "./sizes.js";

export interface RegionSampleOptions {
  readonly sizes: Sizes;
  readonly valueClass: ValueClass;
  readonly literals: readonly number[];
  /** Literals for integers besides: limits of dtypes. */
  readonly integerLiterals: readonly number[];
  /** Sizes of what inputs index, by their names. */
  readonly indexSizes: IndexSizes;
  readonly density: number;
  /** Integers are below it, where they are not of the class; 1 makes them all 0. */
  readonly below: number;
  /** Whether integers stay ordinary: they may be indices or sizes. */
  readonly plainIntegers: boolean;
  /**
   * Elements are the values of the class in their order, from this position on: those of the second
   * input change when the first has had all, and so on, so that every combination comes up.
   */
  readonly inOrder?: number | undefined;
}

/** What the corners of an input depend on. */
type CornerSource = Pick<
  RegionSampleOptions,
  "valueClass" | "literals" | "integerLiterals" | "indexSizes" | "sizes"
>;

function cornerSource(
  name: string,
  dtype: DType,
  { valueClass, literals, integerLiterals, indexSizes, sizes }: CornerSource,
): Pick<CornerOptions, "dtype" | "valueClass" | "literals" | "indexed"> {
  const isInteger = dtypeInfo(dtype).kind === "int";
  const indexed = isInteger ? indexSizes.get(name)?.map((size) => evaluateInt(size, sizes)) : undefined;
  return {
    dtype,
    valueClass,
    literals: isInteger ? [...literals, ...integerLiterals] : literals,
    indexed: indexed && Math.min(...indexed),
  };
}

/**
 * Returns how many positions it takes for each combination of the values of a class to come up, and
 * elements of the smallest input.
 */
export function combinationsOf(
  inputs: readonly PairInput[],
  options: CornerSource,
): { readonly combinations: number; readonly elements: number } {
  let [combinations, elements] = [1, Number.POSITIVE_INFINITY];
  for (const { name, val, fixed } of inputs) {
    if (!(val instanceof FakeTensor) || fixed !== undefined) continue;
    combinations *= Math.max(1, cornersOf(cornerSource(name, val.dtype, options)).length);
    const count = val.shape.reduce<number>((product, size) => product * evaluateInt(size, options.sizes), 1);
    elements = Math.min(elements, count);
  }
  return { combinations, elements };
}

/** Returns a value for each input; undefined where one cannot be made up. */
export function regionSample(
  inputs: readonly PairInput[],
  options: RegionSampleOptions,
  draw: Draw,
): Value[] | undefined {
  const values: Value[] = [];
  let each = 1;
  for (const { name, val, fixed } of inputs) {
    const value = fixed === undefined ? drawn(val, { ...options, name, each }, draw) : fitted(fixed, val);
    if (val instanceof FakeTensor && fixed === undefined)
      each *= Math.max(1, cornersOf(cornerSource(name, val.dtype, options)).length);
    if (value === undefined) return undefined;
    values.push(value);
  }
  return values;
}

/** Returns a constant, cut to the size that its placeholder has. */
function fitted(fixed: Tensor, val: MetaValue | undefined): Tensor {
  if (!(val instanceof FakeTensor) || val.shape.join() === fixed.shape.join()) return fixed;
  const shape = val.shape.map((size, d) => Math.min(Number(size), fixed.shape[d]!));
  return Tensor.from(
    fixed.asStrided(shape, fixed.strides, fixed.storageOffset).toArray(),
    shape,
    fixed.dtype,
  );
}

/** With how often each value of a class comes up in a row. */
interface InputOptions extends Omit<RegionSampleOptions, "inOrder"> {
  readonly name: string;
  readonly each: number;
  readonly inOrder?: number | undefined;
}

function drawn(val: MetaValue | undefined, options: InputOptions, draw: Draw): Value | undefined {
  if (val instanceof FakeTensor) return tensorOf(val, options, draw);
  if (!isSymScalar(val)) return undefined;
  if (val.kind === "SymInt") return evaluateInt(val.expr, options.sizes);
  if (val.kind === "SymBool") return draw.unit() < 0.5;
  if (typeof val.expr === "number") return val.expr;
  const known =
    [...options.sizes.keys()].length > 0 ? evaluate(val.expr as never, options.sizes) : Number.NaN;
  return typeof known === "number" && Number.isFinite(known) ? known : draw.normal();
}

function tensorOf(fake: FakeTensor, options: InputOptions, draw: Draw): Tensor {
  const { sizes } = options;
  const shape = fake.shape.map((size) => evaluateInt(size, sizes));
  const strides = fake.strides.map((stride) => evaluateInt(stride, sizes));
  const storageOffset = evaluateInt(fake.storageOffset, sizes);
  const { dtype } = fake;
  const { itemSize } = dtypeInfo(dtype);
  const storage = Storage.allocate(requiredBytes(shape, strides, storageOffset, itemSize));
  const tensor = new Tensor({ dtype, shape, strides, storageOffset, storage });
  const write = elementWriter(dtype, tensor.data);
  const next = cornerElements(cornerOptions(dtype, options), draw);
  forEachPosition(shape, strides, storageOffset, (position) => write(position, next()));
  return tensor;
}

function cornerOptions(dtype: DType, options: InputOptions): CornerOptions {
  const { name, plainIntegers, density, below, inOrder, each } = options;
  const source = cornerSource(name, dtype, options);
  const isPlain = plainIntegers && dtypeInfo(dtype).kind === "int";
  return {
    ...source,
    valueClass: isPlain ? "ordinary" : source.valueClass,
    // The last way to make up integers that a region takes: all are 0.
    indexed: below === 1 ? undefined : source.indexed,
    density,
    below,
    inOrder: inOrder === undefined ? undefined : { start: inOrder, each },
  };
}
