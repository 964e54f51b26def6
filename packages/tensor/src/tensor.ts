/// <reference lib="esnext.disposable" preserve="true" />
import { checkOptions, markClass, type OptionNames } from "@sconce/errors";
import { DTYPES, type DType, dtypeInfo, isDType, type TypedArray } from "./dtype.js";
import { type Element, elementReader, elementWriter, laneReader } from "./element.js";
import {
  dtypeAsOptions,
  elementCountMismatch,
  indexOutOfRange,
  invalidSizes,
  notTensorInit,
  tensorCoercion,
  unknownDType,
  wrongArray,
} from "./errors.js";
import type { Items } from "./items.js";
import {
  flatten,
  holdsDType,
  type NestedValues,
  type NumericArray,
  numericArrayName,
  requireFits,
} from "./nested.js";
import { printTensor, showsAsText } from "./print.js";
import { contiguousStrides, forEachPosition, isContiguous, isSize, numel, requiredBytes } from "./shape.js";
import { Storage } from "./storage.js";
import { type TensorJson, tensorJson } from "./tensor-json.js";
import { COPY } from "./this-copy.js";

/** Everything that fixes how a {@link Tensor} reads its storage. */
export interface TensorInit {
  /** The element type. */
  readonly dtype: DType;
  /** Sizes, outermost dimension first. */
  readonly shape: readonly number[];
  /** The memory that holds the elements. */
  readonly storage: Storage;
  /** In elements; row-major when left out. */
  readonly strides?: readonly number[] | undefined;
  /** In elements. */
  readonly storageOffset?: number | undefined;
  /** Whether PyTorch records gradients for it; kept for files. @defaultValue false */
  readonly requiresGrad?: boolean | undefined;
}

/** The dtype of a tensor, and where its elements lie in its storage. */
export interface TensorLayout {
  /** The element type. */
  readonly dtype: DType;
  /** Sizes, outermost dimension first. */
  readonly shape: readonly number[];
  /** In elements, one for each dimension. */
  readonly strides: readonly number[];
  /** In elements. */
  readonly storageOffset: number;
}

/** How a tensor is made of nested arrays. */
export interface TensorOptions {
  /** The element type. @defaultValue what `torch.tensor` infers */
  readonly dtype?: DType | undefined;
  /** Whether PyTorch records gradients for it. @defaultValue false */
  readonly requiresGrad?: boolean | undefined;
}

/**
 * A strided view over a {@link Storage}, as PyTorch's CPU tensor: element `(i, j, ...)` lies at
 * `storageOffset + i * strides[0] + j * strides[1] + ...`, in elements of its dtype.
 */
export class Tensor {
  static {
    markClass(Tensor, "Tensor", COPY);
  }

  /** The element type. */
  readonly dtype: DType;
  /** Sizes, outermost dimension first. */
  readonly shape: Items<number>;
  /** Strides in elements, one for each dimension. */
  readonly strides: Items<number>;
  /** Where the first element lies in the storage, in elements. */
  readonly storageOffset: number;
  /** The memory that holds the elements; views share it. */
  readonly storage: Storage;
  /** Whether PyTorch records gradients for it; kept for files. */
  readonly requiresGrad: boolean;

  /** @throws SconceError `TENSOR_OPTION` for values, which `Tensor.from` takes */
  constructor(init: TensorInit) {
    if (init?.storage === undefined) throw notTensorInit(init);
    this.dtype = init.dtype;
    this.shape = init.shape as Items<number>;
    this.strides = (init.strides ?? contiguousStrides(init.shape)) as Items<number>;
    this.storageOffset = init.storageOffset ?? 0;
    this.storage = init.storage;
    this.requiresGrad = init.requiresGrad ?? false;
  }

  /** The number of dimensions. */
  get ndim(): number {
    return this.shape.length;
  }

  /** The number of elements. */
  get numel(): number {
    return numel(this.shape);
  }

  /**
   * Whether its elements are known. A tensor without values has a dtype, a shape and strides;
   * reading its elements throws `NO_VALUES`.
   */
  get hasValues(): boolean {
    return this.storage.hasValues;
  }

  /**
   * Whether its elements are in memory. Those of a program that was loaded with `weights: "lazy"`
   * are not at first: reading them throws `VALUES_NOT_LOADED` until {@link load} has read them.
   */
  get isLoaded(): boolean {
    return this.storage.isLoaded;
  }

  /**
   * Reads its elements into memory, if they are not there yet, and returns the tensor. Tensors that
   * share memory are read together, once.
   * @throws SconceError `ABORTED` for the signal; what reading the file throws
   */
  async load(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<this> {
    await this.storage.load(options.signal);
    return this;
  }

  /**
   * Frees memory of a device that holds its elements, for all tensors that share it; they cannot be
   * read afterwards. A tensor in the memory of JavaScript needs no call, and stays as it is.
   */
  dispose(): void {
    this.storage.dispose();
  }
  [Symbol.dispose](): void {
    this.dispose();
  }

  /**
   * The whole storage as this dtype's typed array (complex: interleaved lanes). Not offset, not
   * strided.
   * @throws SconceError `NO_VALUES`, `VALUES_NOT_LOADED`
   */
  get data(): TypedArray {
    return this.storage.view(this.dtype);
  }

  /** Whether the elements lie in row-major order without holes. */
  get isContiguous(): boolean {
    return isContiguous(this.shape, this.strides);
  }

  /**
   * Returns a new, zeroed, row-major tensor.
   * @throws SconceError `SHAPE` for sizes that are not whole numbers from 0 on, `TENSOR_OPTION` for
   * an unknown dtype
   */
  static empty(shape: readonly number[], dtype: DType): Tensor {
    if (!shape.every(isSize)) throw invalidSizes(shape);
    requireDType(dtype);
    return new Tensor({ dtype, shape, storage: Storage.allocate(numel(shape) * dtypeInfo(dtype).itemSize) });
  }

  /**
   * Returns a tensor of which only the dtype, shape and layout are known, with its own storage; see
   * {@link hasValues}.
   */
  static withoutValues(init: Omit<TensorInit, "storage">): Tensor {
    const { dtype, shape, strides = contiguousStrides(shape), storageOffset = 0 } = init;
    const bytes = requiredBytes(shape, strides, storageOffset, dtypeInfo(dtype).itemSize);
    return new Tensor({ ...init, strides, storage: Storage.withoutValues(bytes) });
  }

  /**
   * Returns a new row-major tensor of nested arrays, as `torch.tensor` makes it. The shape is that
   * of the arrays. Without a dtype, integral numbers and bigints give int64, other numbers float32,
   * booleans bool and `{ re, im }` complex64; a mixture gives the last of these. A typed array
   * keeps its own dtype. JavaScript has no `1.0`: give `{ dtype: "float32" }` for floats that may
   * be whole.
   *
   * @example Tensor.from([[1, 2], [3, 4.5]]); // float32[2, 2]
   * @throws SconceError `TENSOR_VALUES` for arrays of different lengths, for what is not an
   * element, and for numbers that an integer dtype does not hold; `TENSOR_OPTION`
   */
  static from(values: NestedValues, options?: TensorOptions): Tensor;
  /**
   * Returns a new row-major tensor of these values in logical order. Integers wrap and floats round
   * to the dtype.
   * @throws SconceError `SHAPE` when the number of values does not fit the shape.
   */
  static from(values: ArrayLike<Element>, shape: readonly number[], dtype: DType): Tensor;
  static from(
    values: NestedValues | ArrayLike<Element>,
    shape?: TensorOptions | readonly number[],
    dtype?: DType,
  ): Tensor {
    if (!Array.isArray(shape)) return fromNested(values as NestedValues, shape as TensorOptions | undefined);
    requireDType(dtype);
    return ofElements(values as ArrayLike<Element>, shape, dtype);
  }

  /**
   * Returns a row-major tensor over the memory of a typed array, without a copy: a write to one
   * shows in the other. The array is of the class that holds the dtype: `Uint16Array` with the
   * patterns of float16 and bfloat16, `Uint8Array` for bool and float8, interleaved parts for
   * complex. `Float16Array` holds float16, too, and `Uint8ClampedArray` uint8. The shape is that of
   * a vector when left out.
   *
   * @throws SconceError `TENSOR_VALUES` for an array of another class, `SHAPE` for another number
   * of elements, `TENSOR_OPTION`
   */
  static fromData(data: NumericArray, dtype: DType, shape?: readonly number[]): Tensor {
    requireDType(dtype);
    const { array, lanes } = dtypeInfo(dtype);
    const got = numericArrayName(data) ?? typeof data;
    if (!holdsDType(got, dtype)) throw wrongArray(got, (array as { readonly name?: string }).name!, dtype);
    const sizes = shape ?? [data.length / lanes];
    if (data.length !== numel(sizes) * lanes || !sizes.every(isSize))
      throw elementCountMismatch(data.length / lanes, sizes);
    const storage = new Storage(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    return new Tensor({ dtype, shape: sizes, storage });
  }

  /** Another view of the same storage. */
  asStrided(
    shape: readonly number[],
    strides: readonly number[],
    storageOffset = this.storageOffset,
  ): Tensor {
    return new Tensor({ dtype: this.dtype, shape, strides, storageOffset, storage: this.storage });
  }

  /** Itself when row-major, else a row-major copy. */
  contiguous(): Tensor {
    if (this.isContiguous) return this;
    if (!this.hasValues) return Tensor.withoutValues({ ...this, strides: undefined, storageOffset: 0 });
    const copy = new Tensor({
      dtype: this.dtype,
      shape: this.shape,
      storage: Storage.allocate(this.numel * dtypeInfo(this.dtype).itemSize),
      requiresGrad: this.requiresGrad,
    });
    copyLanes(this, copy.data);
    return copy;
  }

  /** Itself when its elements lie so already, else a copy in which they do. */
  withLayout(strides: readonly number[], storageOffset: number): Tensor {
    const { dtype, shape, requiresGrad } = this;
    if (storageOffset === this.storageOffset && strides.join() === this.strides.join()) return this;
    if (!this.hasValues) return Tensor.withoutValues({ dtype, shape, strides, storageOffset, requiresGrad });
    const { itemSize, lanes } = dtypeInfo(dtype);
    const storage = Storage.allocate(requiredBytes(shape, strides, storageOffset, itemSize));
    const copy = new Tensor({ dtype, shape, strides, storageOffset, storage, requiresGrad });
    const source = this.contiguous();
    const start = source.storageOffset * lanes;
    // All lane types behave alike here; one static type keeps the loop simple.
    const [from, to] = [source.data as Float64Array, copy.data as Float64Array];
    forEachPosition(shape, strides, storageOffset, (position, ordinal) => {
      for (let lane = 0; lane < lanes; lane++)
        to[position * lanes + lane] = from[start + ordinal * lanes + lane]!;
    });
    return copy;
  }

  /** Elements in logical order: int64 as bigint, bool as boolean, complex as `{ re, im }`. */
  toArray(): Element[] {
    const read = elementReader(this.dtype, this.data);
    const values = new Array<Element>(this.numel);
    forEachPosition(this.shape, this.strides, this.storageOffset, (position, ordinal) => {
      values[ordinal] = read(position);
    });
    return values;
  }

  /** Returns what PyTorch's `print(tensor)` shows; see `printTensor` for options. */
  toString(): string {
    return printTensor(this);
  }

  /**
   * Refuses to be an operand: `x + 1` would be a text, and `x < 1` false. As a text it prints.
   *
   * @throws SconceError `TENSOR_COERCION`
   */
  [Symbol.toPrimitive](hint: string): string {
    if (hint === "string") return this.toString();
    throw tensorCoercion(this.dtype, hint);
  }

  /**
   * Returns what `JSON.stringify` shows: `{ dtype, shape, values }`, with the values in nested
   * arrays. `values` is left out for more than 10,000 elements, and where there are none; `toArray`
   * has all.
   */
  toJSON(): TensorJson {
    return tensorJson(this, this.numel, this.hasValues && this.isLoaded ? () => this.toArray() : undefined);
  }

  /**
   * Elements in logical order as doubles; int64 may lose precision, complex gives interleaved
   * pairs.
   */
  toFloat64Array(): Float64Array {
    const { lanes } = dtypeInfo(this.dtype);
    const read = laneReader(this.dtype, this.data);
    const values = new Float64Array(this.numel * lanes);
    forEachPosition(this.shape, this.strides, this.storageOffset, (position, ordinal) => {
      for (let lane = 0; lane < lanes; lane++) values[ordinal * lanes + lane] = read(position * lanes + lane);
    });
    return values;
  }

  /** Elements in logical order. */
  [Symbol.iterator](): Iterator<Element> {
    return this.toArray()[Symbol.iterator]();
  }

  static {
    showsAsText(Tensor.prototype);
  }
}

function requireDType(dtype: unknown): asserts dtype is DType {
  if (!isDType(dtype)) throw unknownDType(dtype, DTYPES);
}

function ofElements(values: ArrayLike<Element>, shape: readonly number[], dtype: DType): Tensor {
  const tensor = Tensor.empty(shape, dtype);
  if (values.length !== tensor.numel) throw elementCountMismatch(values.length, shape);
  const write = elementWriter(dtype, tensor.data);
  for (let i = 0; i < values.length; i++) write(i, values[i]!);
  return tensor;
}

const OPTIONS: OptionNames<TensorOptions> = { dtype: true, requiresGrad: true };

function fromNested(values: NestedValues, options: TensorOptions = {}): Tensor {
  if (isDType(options)) throw dtypeAsOptions(options);
  checkOptions("Tensor.from", options, OPTIONS);
  const flat = flatten(values);
  const { dtype = flat.dtype, requiresGrad } = options;
  requireDType(dtype);
  requireFits(flat, dtype);
  const { shape, storage } = ofElements(flat.elements, flat.shape, dtype);
  return new Tensor({ dtype, shape, storage, requiresGrad });
}

/** Copies the tensor's lanes, patterns as they are, in logical order. */
function copyLanes(tensor: Tensor, target: TypedArray): void {
  const { lanes } = dtypeInfo(tensor.dtype);
  // All lane types behave alike here; one static type keeps the loop simple.
  const [from, to] = [tensor.data as Float64Array, target as Float64Array];
  forEachPosition(tensor.shape, tensor.strides, tensor.storageOffset, (position, ordinal) => {
    to[ordinal * lanes] = from[position * lanes]!;
    if (lanes === 2) to[ordinal * 2 + 1] = from[position * 2 + 1]!;
  });
}

/** Storage position of an index. @throws SconceError `INDEX` */
function positionOf(tensor: Tensor, index: readonly number[]): number {
  const { shape, strides } = tensor;
  let position = tensor.storageOffset;
  if (index.length !== shape.length) throw indexOutOfRange(index, shape);
  for (let d = 0; d < index.length; d++) {
    const i = index[d]!;
    if (!(Number.isInteger(i) && i >= 0 && i < shape[d]!)) throw indexOutOfRange(index, shape);
    position += i * strides[d]!;
  }
  return position;
}

/** Returns the element at an index. @throws SconceError `INDEX` */
export function getElement(tensor: Tensor, index: readonly number[]): Element {
  return elementReader(tensor.dtype, tensor.data)(positionOf(tensor, index));
}

/** Overwrites the element at an index, in the shared storage. @throws SconceError `INDEX` */
export function setElement(tensor: Tensor, index: readonly number[], value: Element): void {
  elementWriter(tensor.dtype, tensor.data)(positionOf(tensor, index), value);
}
