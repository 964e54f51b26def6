import type { FakeTensor, MetaValue } from "@sconce/ir";
import {
  type ArgsOf,
  type CallArgument,
  type CheckedSchema,
  type ResultOf,
  type RuntimeTypes,
  type RuntimeValue,
  type TargetOf,
  tableOf,
  targetOf,
} from "@sconce/ops";
import type { DType, Tensor } from "@sconce/tensor";
import { contiguousStrides, dtypeInfo, Storage, Tensor as TensorClass } from "@sconce/tensor";
import { negativeSize } from "./errors.js";
import { numbersOf } from "./meta-number.js";
import { mapTuple, type TupleOf } from "./tuple.js";

export type { CallArgument, RuntimeValue };

/** A source of random bits; the same seed gives the same stream. */
export interface RandomSource {
  /** 32 uniform bits as a non-negative integer. */
  uint32(): number;
  /** Sets the stream back to the start of a seed's. */
  seed(value: number | bigint): void;
  /** The second of the last pair of normal deviates, while it waits to be used. */
  spareNormal?: number | undefined;
}

/** What a kernel may need besides its arguments. */
export interface KernelContext<M extends MetaValue = FakeTensor> {
  /** The operator that is called. */
  readonly target: string;
  /**
   * Result of the meta rule, which ran before: the kernel's outputs have exactly these dtypes,
   * shapes and strides, but where PyTorch's own rule gives other strides than its kernel.
   */
  readonly meta: M;
  /** The source of random numbers of this run. */
  readonly random: RandomSource;
}

/** What the meta rule gives for a result: a fake for each tensor. */
type MetaOf<R> = R extends Tensor
  ? FakeTensor
  : R extends readonly unknown[]
    ? { readonly [I in keyof R]: MetaOf<R[I]> }
    : R extends null
      ? null
      : MetaValue;

/**
 * Computes one overload, or several that share it. Arguments are bound by schema name as for meta
 * rules, with real tensors in place of fakes; a Python number given for a `Tensor` argument arrives
 * as it is. Results are new tensors (see {@link emptyOutput}).
 */
export type Kernel<A, R = Tensor> = (args: A, context: KernelContext<MetaOf<R>>) => R;

/** A kernel in a table: what its schema says of arguments and result is known at run time only. */
export type AnyKernel = (
  args: Readonly<Record<string, unknown>>,
  context: KernelContext<MetaValue>,
) => RuntimeValue;

/** Kernels by target. */
export type KernelTable = Readonly<Record<string, AnyKernel>>;

/** A kernel and the overloads that it computes. */
export interface KernelDefinition<T extends string = string> {
  /** The overloads: `aten.silu.default`. */
  readonly targets: readonly T[];
  /** One schema for each target, as PyTorch prints it. */
  readonly schemas: readonly string[];
  /** Computes a call from its arguments by name. */
  readonly run: AnyKernel;
}

/** What a function returns that serves all of several schemas. */
type CommonResult<S extends string> = (
  S extends unknown
    ? (result: ResultOf<S, RuntimeTypes>) => void
    : never
) extends (result: infer R) => void
  ? R
  : never;

/** No value has this type. It makes the compiler read `[values, indices]` as a tuple. */
type Tuple = readonly [never];

/** The function of a kernel with these schemas. */
type KernelOf<S extends string> = (
  args: ArgsOf<S, RuntimeTypes>,
  context: KernelContext<MetaOf<CommonResult<S>>>,
) => CommonResult<S> | Tuple;

/**
 * Defines the kernel of an overload, or of several; its arguments and its result are typed by the
 * schema: `kernel("aten::silu(Tensor self) -> Tensor", ({ self }, context) => ...)`. A schema of
 * `aten::` that differs from PyTorch's does not compile.
 */
export function kernel<const S extends string>(
  schemas: CheckedSchema<S> | readonly CheckedSchema<S>[],
  run: KernelOf<S>,
): KernelDefinition<TargetOf<S>> {
  const list: readonly S[] = [schemas].flat() as readonly S[];
  // Here the types end: the dispatcher binds arguments by the schema of the target.
  return Object.freeze({ targets: list.map(targetOf<S>), schemas: list, run: run as unknown as AnyKernel });
}

/** Kernels of these definitions, by target. */
export type KernelsOf<D extends readonly KernelDefinition[]> = Readonly<
  Record<D[number]["targets"][number], AnyKernel>
>;

/**
 * Returns the frozen table of a family of kernels.
 *
 * @throws SconceError `DUPLICATE_KEY` for a target that two of them compute
 */
export function defineKernels<const D extends readonly KernelDefinition[]>(definitions: D): KernelsOf<D> {
  return tableOf(definitions.flatMap(({ targets, run }) => targets.map((target) => [target, run] as const)));
}

/** Returns a zeroed tensor of a fake one's dtype, shape and strides, in its own storage. */
export function allocate(fake: FakeTensor): Tensor {
  return emptyStrided(numbersOf(fake.shape), numbersOf(fake.strides), fake.dtype);
}

/** Returns a zeroed tensor with these strides (in elements), in its own storage. */
export function emptyStrided(shape: readonly number[], strides: readonly number[], dtype: DType): Tensor {
  let last = 0;
  let empty = false;
  for (let d = 0; d < shape.length; d++) {
    if (shape[d]! < 0) throw negativeSize(shape);
    if (shape[d] === 0) empty = true;
    last += (shape[d]! - 1) * strides[d]!;
  }
  const bytes = empty ? 0 : (last + 1) * dtypeInfo(dtype).itemSize;
  return new TensorClass({ dtype, shape, strides, storage: allocateFor(bytes, dtype, shape) });
}

/**
 * @throws RangeError when there is no such memory; the dispatcher makes it `OUT_OF_MEMORY` of the
 * operator.
 */
function allocateFor(bytes: number, dtype: DType, shape: readonly number[]): Storage {
  try {
    return Storage.allocate(bytes);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new RangeError(
      `cannot allocate ${bytes} bytes for a tensor of shape [${shape.join(", ")}] and dtype ${dtype}: ${cause.message}`,
      {
        cause,
      },
    );
  }
}

/** Returns the only output, allocated as the meta rule says. */
export const emptyOutput = (context: KernelContext): Tensor => allocate(context.meta);

/**
 * Returns the only output in rows, of kernels whose results do not have the strides of the meta
 * rule.
 */
export const rowsOutput = ({ meta }: KernelContext): Tensor => {
  const shape = numbersOf(meta.shape);
  return emptyStrided(shape, contiguousStrides(shape), meta.dtype);
};

/** Returns all outputs of an operator with several, allocated as the meta rule says. */
export const emptyOutputs = <const M extends readonly FakeTensor[]>(
  context: KernelContext<M>,
): TupleOf<M, Tensor> => mapTuple(context.meta, allocate);

/**
 * Returns the outputs of an operator with an output mask, allocated as the meta rule says; null for
 * those that it leaves out.
 */
export const maskedOutputs = <const M extends readonly (FakeTensor | null)[]>(
  context: KernelContext<M>,
): TupleOf<M, Tensor | null> => mapTuple(context.meta, (meta) => meta && allocate(meta));
