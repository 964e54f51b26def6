import type { FakeTensor, MetaValue } from "@sconce/ir";
import type { CallArgument, RuntimeValue } from "@sconce/ops";
import type { DType, Tensor } from "@sconce/tensor";
import { dtypeInfo, Storage, Tensor as TensorClass } from "@sconce/tensor";
import { negativeSize } from "./errors.js";
import { numbersOf } from "./meta-number.js";

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
export interface KernelContext {
  readonly target: string;
  /**
   * Result of the meta rule, which ran before: the kernel's outputs have exactly these dtypes, shapes and
   * strides.
   */
  readonly meta: MetaValue;
  readonly random: RandomSource;
}

/**
 * Computes one overload. Arguments are bound by schema name as for meta rules, with real tensors in place of
 * fakes; a Python number given for a `Tensor` argument arrives as it is. Results are new tensors (see {@link
 * emptyOutput}).
 */
export type Kernel<A> = (args: A, context: KernelContext) => RuntimeValue;

/**
 * A kernel in a table, its argument type forgotten; the table's key and the binding by schema guarantee it.
 */
export type AnyKernel = Kernel<Readonly<Record<string, unknown>>>;

/** Kernels by target. */
export type KernelTable = Readonly<Record<string, AnyKernel>>;

/** Types a kernel's arguments: `kernel<{ self: Tensor; mat2: Tensor }>(({ self, mat2 }, context) => ...)`. */
export const kernel = <A>(run: Kernel<A>): AnyKernel => run as unknown as AnyKernel;

/** A frozen family of kernels. */
export const defineKernels = <const T extends KernelTable>(kernels: T): T => Object.freeze(kernels);

/** A zeroed tensor of a fake one's dtype, shape and strides, in storage of its own. */
export function allocate(fake: FakeTensor): Tensor {
  return emptyStrided(numbersOf(fake.shape), numbersOf(fake.strides), fake.dtype);
}

/** A zeroed tensor with these strides (in elements), in storage of its own. */
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

/** @throws RangeError when there is no such memory; the dispatcher makes it `OUT_OF_MEMORY` of the operator. */
function allocateFor(bytes: number, dtype: DType, shape: readonly number[]): Storage {
  try {
    return Storage.allocate(bytes);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new RangeError(
      `cannot allocate ${bytes} bytes for a tensor of shape [${shape.join(", ")}] and dtype ${dtype}`,
      {
        cause,
      },
    );
  }
}

/** The only output, allocated as the meta rule says. */
export const emptyOutput = (context: KernelContext): Tensor => allocate(context.meta as FakeTensor);

/** All outputs of an operator with several, allocated as the meta rule says. */
export const emptyOutputs = (context: KernelContext): Tensor[] =>
  (context.meta as readonly FakeTensor[]).map(allocate);
