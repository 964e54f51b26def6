/** @file Elements for sampled inputs. */
import type { FakeTensor } from "@sconce/ir";
import { evaluateInt } from "@sconce/symbolic";
import {
  type DType,
  dtypeInfo,
  elementWriter,
  forEachPosition,
  isBigIntDType,
  requiredBytes,
  Storage,
  Tensor,
} from "@sconce/tensor";
import type { Draw } from "./random.js";
import type { Sizes } from "./sizes.js";

/**
 * The least and the largest element of an example, which samples keep to: indices stay indices, and
 * logarithms defined.
 */
interface Extent {
  readonly low: number;
  readonly high: number;
}

/** Integers without an example: small enough to be indices into most things. */
const DEFAULT_INTEGERS: Extent = { low: 0, high: 3 };

/** The sizes that are drawn, and those of the example. */
export interface SizesBeside {
  readonly sizes: Sizes;
  readonly examples: Sizes;
}

/** Returns a tensor of random elements with the dtype, sizes, strides and offset of a fake. */
export function drawTensor(
  fake: FakeTensor,
  { sizes, examples }: SizesBeside,
  example: Tensor | undefined,
  draw: Draw,
): Tensor {
  const shape = fake.shape.map((size) => evaluateInt(size, sizes));
  const strides = fake.strides.map((stride) => evaluateInt(stride, sizes));
  const storageOffset = evaluateInt(fake.storageOffset, sizes);
  const { itemSize } = dtypeInfo(fake.dtype);
  const bytes = requiredBytes(shape, strides, storageOffset, itemSize);
  const { dtype, requiresGrad } = fake;
  const storage = Storage.allocate(bytes);
  const tensor = new Tensor({ dtype, shape, strides, storageOffset, requiresGrad, storage });
  const write = elementWriter(dtype, tensor.data);
  const extent = example === undefined ? undefined : extentOf(example);
  const next = elementDraw(
    dtype,
    extent && dtypeInfo(dtype).kind === "int" ? belowSizes(extent, sizes, examples) : extent,
    draw,
  );
  forEachPosition(shape, strides, storageOffset, (position) => write(position, next()));
  return tensor;
}

/** Returns a copy with its own storage and the same layout: a run may write to its inputs. */
export function copyOf(tensor: Tensor): Tensor {
  const { dtype, shape, strides, storageOffset, requiresGrad } = tensor;
  const storage = new Storage(tensor.storage.bytes.slice());
  return new Tensor({ dtype, shape, strides, storageOffset, requiresGrad, storage });
}

function extentOf(example: Tensor): Extent | undefined {
  const finite = example.toFloat64Array().filter(Number.isFinite);
  if (finite.length === 0) return undefined;
  return { low: finite.reduce((a, b) => Math.min(a, b)), high: finite.reduce((a, b) => Math.max(a, b)) };
}

/** Integers that could index something of a size that is now smaller stay below it. */
function belowSizes({ low, high }: Extent, sizes: Sizes, examples: Sizes): Extent {
  let limit = high;
  for (const [name, size] of examples)
    if (size > high) limit = Math.min(limit, (sizes.get(name) ?? size) - 1);
  return { low: Math.min(low, limit), high: limit };
}

type ElementDraw = () => number | bigint | boolean | { readonly re: number; readonly im: number };

function elementDraw(dtype: DType, extent: Extent | undefined, draw: Draw): ElementDraw {
  const { kind, signed } = dtypeInfo(dtype);
  if (kind === "bool") return () => draw.unit() < 0.5;
  if (kind === "int") {
    const { low, high } = extent ?? DEFAULT_INTEGERS;
    const clamped = signed ? low : Math.max(low, 0);
    return isBigIntDType(dtype)
      ? () => BigInt(draw.integer(clamped, high))
      : () => draw.integer(clamped, high);
  }
  const real = realDraw(extent, draw);
  return kind === "complex" ? () => ({ re: real(), im: real() }) : real;
}

/**
 * Returns what draws numbers in the range of an example. One whose elements are all equal says
 * nothing of its range, except on which side of zero it lies.
 */
function realDraw(extent: Extent | undefined, draw: Draw): () => number {
  if (extent !== undefined && extent.low < extent.high)
    return () => extent.low + (extent.high - extent.low) * draw.unit();
  return () => draw.normal();
}
