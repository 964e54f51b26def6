/** @file Types of the functions and methods that PyTorch writes in Python or binds by hand. */
import type { MemoryFormat } from "@sconce/ir";
import type { DType, Items, Tensor } from "@sconce/tensor";
import type { Size } from "../trace/sym-int.js";
import type { Device, Float, Scalar } from "./argument-types.js";
import type { finfo, iinfo } from "./dtype-limits.js";
import type { Index } from "./indexing.js";

/** Values for a tensor: a number, nested lists, or another tensor. */
type TensorValues = Scalar | { readonly re: number; readonly im: number } | readonly TensorValues[];

interface ConstantOptions {
  readonly dtype?: DType | null;
  readonly device?: Device | null;
  readonly requiresGrad?: boolean;
}

interface UniqueOptions {
  readonly sorted?: boolean;
  readonly dim?: number | null;
}

interface ConsecutiveOptions {
  readonly dim?: number | null;
}

interface NormOptions {
  readonly p?: Float | string | null;
  readonly dim?: Size | readonly Size[] | null;
  readonly keepdim?: boolean;
  readonly dtype?: DType | null;
}

interface RangeOptions {
  readonly dtype?: DType | null;
  readonly device?: Device | null;
}

interface StftOptions {
  readonly hopLength?: Size | null;
  readonly winLength?: Size | null;
  readonly window?: Tensor | null;
  readonly center?: boolean;
  readonly padMode?: string;
  readonly normalized?: boolean;
  readonly onesided?: boolean | null;
  readonly returnComplex?: boolean | null;
  readonly alignToWindow?: boolean | null;
}

/** How a function takes several tensors: one by one, or in a list. */
interface TensorLists {
  <R extends readonly Tensor[] = Items<Tensor>>(tensors: readonly Tensor[]): R;
  <R extends readonly Tensor[] = Items<Tensor>>(...tensors: readonly Tensor[]): R;
}
interface Joining {
  (tensors: readonly Tensor[]): Tensor;
  (...tensors: readonly Tensor[]): Tensor;
}
interface AtLeast {
  (tensor: Tensor): Tensor;
  <R extends readonly Tensor[] = Items<Tensor>>(tensors: readonly Tensor[]): R;
  <R extends readonly Tensor[] = Items<Tensor>>(first: Tensor, second: Tensor, ...more: readonly Tensor[]): R;
}

/** Functions of `torch` that PyTorch writes in Python or binds by hand. */
export interface PythonFunctions {
  /** The limits of a float dtype, float32 when left out: `torch.finfo(x.dtype).min`. */
  readonly finfo: typeof finfo;
  /** The limits of an integer dtype. */
  readonly iinfo: typeof iinfo;
  /** Whether a value is a tensor. */
  isTensor(value: unknown): value is Tensor;
  /** A tensor with at least one dimension. */
  readonly atleast1d: AtLeast;
  /** A tensor with at least two dimensions. */
  readonly atleast2d: AtLeast;
  /** A tensor with at least three dimensions. */
  readonly atleast3d: AtLeast;
  /** A block diagonal matrix of the tensors. */
  readonly blockDiag: Joining;
  /** The tensors, expanded to the shape that they broadcast to. */
  readonly broadcastTensors: TensorLists;
  /** All combinations of elements of one-dimensional tensors. */
  readonly cartesianProd: Joining;
  /** The product of matrices, in the cheapest order. */
  readonly chainMatmul: Joining;
  /** A sum of products by an equation: `torch.einsum("ij,jk->ik", a, b)`. */
  einsum(equation: string, ...operands: readonly (Tensor | readonly Tensor[])[]): Tensor;
  /** The same with lists of subscripts: `torch.einsum(a, [0, 1], b, [1, 2], [0, 2])`. */
  einsum(operand: Tensor, ...more: readonly (Tensor | readonly (number | "...")[])[]): Tensor;
  /** Grids of coordinates, one for each tensor. */
  meshgrid<R extends readonly Tensor[] = Items<Tensor>>(
    ...tensors: readonly (Tensor | readonly Tensor[] | { readonly indexing?: "ij" | "xy" })[]
  ): R;
  /**
   * A tensor of values. An integral number is an int: give a dtype for floats that may be whole.
   * While a program is traced, the values are a constant of the program; with dynamic sizes among
   * them they are computed when it runs.
   */
  tensor(data: TensorValues, options?: ConstantOptions): Tensor;
  /** A tensor of values, or a tensor as it is, in another dtype where one is given. */
  asTensor(data: TensorValues, options?: ConstantOptions): Tensor;
  /** As `asTensor`; a tensor of the dtype stays itself. */
  asarray(obj: TensorValues, options?: ConstantOptions & { readonly copy?: boolean | null }): Tensor;
  /** The shape that tensors of these shapes broadcast to. */
  broadcastShapes<R extends readonly Size[] = Items<Size>>(...shapes: readonly (Size | readonly Size[])[]): R;
  /** Distances between all pairs of rows. */
  cdist(x1: Tensor, x2: Tensor, p?: Float, computeMode?: string): Tensor;
  cdist(x1: Tensor, x2: Tensor, options: { readonly p?: Float; readonly computeMode?: string }): Tensor;
  /** The factors of a matrix, packed, and the pivots. */
  lu(A: Tensor, pivot?: boolean): readonly [Tensor, Tensor];
  lu(A: Tensor, pivot: boolean, getInfos: true): readonly [Tensor, Tensor, Tensor];
  /** Positions of elements that are not zero. */
  nonzero(input: Tensor, options?: { readonly asTuple?: false; readonly out?: Tensor }): Tensor;
  nonzero<R extends readonly Tensor[] = Items<Tensor>>(input: Tensor, options: { readonly asTuple: true }): R;
  /** The norm of a tensor. */
  norm(
    input: Tensor,
    p?: Float | string | null,
    dim?: Size | readonly Size[] | null,
    keepdim?: boolean,
  ): Tensor;
  norm(input: Tensor, options: NormOptions): Tensor;
  norm(input: Tensor, p: Float | string, options: NormOptions): Tensor;
  /** The number of elements. */
  numel(input: Tensor): Size;
  /** Values from `start` to `end`, which is included. */
  range(start: Scalar, end: Scalar, step?: Scalar, options?: RangeOptions): Tensor;
  range(start: Scalar, end: Scalar, options: RangeOptions & { readonly step?: Scalar }): Tensor;
  /** Chunks of one size, or of the sizes in a list. */
  split<R extends readonly Tensor[] = Items<Tensor>>(
    tensor: Tensor,
    splitSizeOrSections: Size | readonly Size[],
    dim?: number | { readonly dim?: number },
  ): R;
  /** The Fourier transform of short windows of a signal. */
  stft(input: Tensor, nFft: number, options?: StftOptions): Tensor;
  stft(input: Tensor, nFft: number, hopLength: Size | null, options?: StftOptions): Tensor;
  stft(
    input: Tensor,
    nFft: number,
    hopLength: Size | null,
    winLength: Size | null,
    options?: StftOptions,
  ): Tensor;
  stft(
    input: Tensor,
    nFft: number,
    hopLength: Size | null,
    winLength: Size | null,
    window: Tensor | null,
    options?: StftOptions,
  ): Tensor;
  /** The product over several dimensions. */
  tensordot(
    a: Tensor,
    b: Tensor,
    dims?:
      | number
      | Tensor
      | readonly [readonly number[], readonly number[]]
      | { readonly dims?: unknown; readonly out?: Tensor },
    out?: Tensor | null,
  ): Tensor;
  /** The different elements. */
  unique(input: Tensor, options?: UniqueOptions): Tensor;
  unique(input: Tensor, sorted: boolean, options?: UniqueOptions): Tensor;
  unique<R extends readonly Tensor[] = Items<Tensor>>(
    input: Tensor,
    options: UniqueOptions & { readonly returnInverse?: boolean; readonly returnCounts?: boolean },
  ): R;
  /** The elements without repetitions in a row. */
  uniqueConsecutive(input: Tensor, options?: ConsecutiveOptions): Tensor;
  uniqueConsecutive<R extends readonly Tensor[] = Items<Tensor>>(
    input: Tensor,
    options: ConsecutiveOptions & { readonly returnInverse?: boolean; readonly returnCounts?: boolean },
  ): R;
  /** Positions in each dimension of flat positions. */
  unravelIndex<R extends readonly Tensor[] = Items<Tensor>>(
    indices: Tensor,
    shape: number | readonly number[],
  ): R;
  /** Whether the elements are complex. */
  isComplex(input: Tensor): boolean;
  /** Whether the elements are floats. */
  isFloatingPoint(input: Tensor): boolean;
  /** Whether elements can be negative. */
  isSigned(input: Tensor): boolean;
  /** The complex conjugate; a real tensor is its own. */
  conj(input: Tensor): Tensor;
  /** The number of a device that is not the CPU; -1 for the CPU. */
  getDevice(input: Tensor): number;
  /** Whether the tensor is a conjugated view; never here. */
  isConj(input: Tensor): boolean;
  /** Whether the tensor was made in inference mode; never here. */
  isInference(input: Tensor): boolean;
  /** Whether the tensor is a negated view; never here. */
  isNeg(input: Tensor): boolean;
  /** A singular value decomposition of low rank. */
  svdLowrank(
    A: Tensor,
    q?: number | null,
    niter?: number | null,
    M?: Tensor | null,
  ): readonly [Tensor, Tensor, Tensor];
  /** A principal component analysis of low rank. */
  pcaLowrank(
    A: Tensor,
    q?: number | null,
    center?: boolean,
    niter?: number,
  ): readonly [Tensor, Tensor, Tensor];
}

interface Format {
  readonly memoryFormat?: MemoryFormat;
}

interface ToOptions extends Format {
  readonly device?: Device | null;
  readonly dtype?: DType | null;
  readonly nonBlocking?: boolean;
  readonly copy?: boolean;
}

/** Methods of tensors that PyTorch writes in Python or binds by hand. */
export interface PythonMethods {
  /** A tensor as bfloat16. */
  bfloat16(options?: Format): Tensor;
  /** A tensor as bool. */
  bool(options?: Format): Tensor;
  /** A tensor as uint8. */
  byte(options?: Format): Tensor;
  /** A tensor as complex128. */
  cdouble(options?: Format): Tensor;
  /** A tensor as complex64. */
  cfloat(options?: Format): Tensor;
  /** A tensor as int8. */
  char(options?: Format): Tensor;
  /** A tensor as float64. */
  double(options?: Format): Tensor;
  /** A tensor as float32. */
  float(options?: Format): Tensor;
  /** A tensor as float16. */
  half(options?: Format): Tensor;
  /** A tensor as int32. */
  int(options?: Format): Tensor;
  /** A tensor as int64. */
  long(options?: Format): Tensor;
  /** A tensor as int16. */
  short(options?: Format): Tensor;
  /**
   * Reads by index, as Python's `x[...]`: `x.at("1:3", null, "...", mask)` is `x[1:3, None, ...,
   * mask]`. A list is one index with several positions.
   */
  at(...indices: readonly Index[]): Tensor;
  /**
   * Writes by index, as Python's `x[...] = value`: `x.setAt(["1:3", 0], value)`. The indices are
   * in a list; one that is not a list may stand alone.
   */
  setAt(indices: Exclude<Index, readonly unknown[]> | readonly Index[], value: Tensor | Scalar): void;
  /** Overwrites the elements with those of another tensor, broadcast. */
  copy_(other: Tensor | Scalar, nonBlocking?: boolean | { readonly nonBlocking?: boolean }): Tensor;
  /** The tensor on the CPU. */
  cpu(options?: Format): Tensor;
  /** The number of dimensions. */
  dim(): number;
  /** The complex conjugate; a real tensor is its own. */
  conj(): Tensor;
  /** Whether the tensor is a conjugated view; never here. */
  isConj(): boolean;
  /** Whether the tensor was made in inference mode; never here. */
  isInference(): boolean;
  /** Whether the tensor is a negated view; never here. */
  isNeg(): boolean;
  /** The bytes of one element. */
  elementSize(): number;
  /** The number of a device that is not the CPU; -1 for the CPU. */
  getDevice(): number;
  /** Whether the elements are complex. */
  isComplex(): boolean;
  /** Whether the elements are floats. */
  isFloatingPoint(): boolean;
  /** Whether elements can be negative. */
  isSigned(): boolean;
  /**
   * The number of a tensor with one element. While a program is traced, it is symbolic: use it
   * with `sym`.
   */
  item(): number;
  /** The factors of a matrix, packed, and the pivots. */
  lu(pivot?: boolean): readonly [Tensor, Tensor];
  lu(pivot: boolean, getInfos: true): readonly [Tensor, Tensor, Tensor];
  /** The number of dimensions. */
  ndimension(): number;
  /** The number of elements. */
  nelement(): Size;
  /** A tensor of the same dtype, of values or of sizes. */
  new (...sizes: readonly Size[]): Tensor;
  new (values: readonly number[]): Tensor;
  /** A tensor of values, of the same dtype unless another is given. */
  newTensor(data: TensorValues, options?: ConstantOptions): Tensor;
  /** Positions of elements that are not zero. */
  nonzero(options?: { readonly asTuple?: false }): Tensor;
  nonzero<R extends readonly Tensor[] = Items<Tensor>>(options: { readonly asTuple: true }): R;
  /** The norm of the tensor. */
  norm(p?: Float | string | null, dim?: Size | readonly Size[] | null, keepdim?: boolean): Tensor;
  norm(options: NormOptions): Tensor;
  norm(p: Float | string, options: NormOptions): Tensor;
  /** Asks for gradients; a trace takes no note of it. */
  requiresGrad_(requiresGrad?: boolean): Tensor;
  /**
   * The sizes: a number where a size is static, a `SymInt` where it is dynamic.
   * `sym.isStatic(size)` is true for numbers.
   */
  size<R extends readonly Size[] = Items<Size>>(): R;
  size(dim: number): Size;
  /** Chunks of one size, or of the sizes in a list. */
  split<R extends readonly Tensor[] = Items<Tensor>>(
    splitSize: Size | readonly Size[],
    dim?: number | { readonly dim?: number },
  ): R;
  /** The Fourier transform of short windows of a signal. */
  stft(nFft: number, options?: StftOptions): Tensor;
  /** The strides, in elements. */
  stride<R extends readonly Size[] = Items<Size>>(): R;
  stride(dim: number): Size;
  /** The tensor in another dtype, on another device, or in those of another tensor. */
  to(dtype: DType, nonBlocking?: boolean, copy?: boolean): Tensor;
  to(dtype: DType, options: ToOptions): Tensor;
  to(device: Device, dtype?: DType | null, nonBlocking?: boolean, copy?: boolean): Tensor;
  to(device: Device, options: ToOptions): Tensor;
  to(other: Tensor, nonBlocking?: boolean, copy?: boolean): Tensor;
  to(other: Tensor, options: ToOptions): Tensor;
  to(options?: ToOptions): Tensor;
  /** The numbers in nested lists. */
  tolist(): number | readonly unknown[];
  /** The name of the tensor's type. */
  type(): string;
  /** The tensor in another dtype. */
  type(dtype: string): Tensor;
  /** One dimension as several. */
  unflatten(dim: number, sizes: readonly Size[]): Tensor;
  /** The different elements. */
  unique(options?: UniqueOptions): Tensor;
  unique<R extends readonly Tensor[] = Items<Tensor>>(
    options: UniqueOptions & { readonly returnInverse?: boolean; readonly returnCounts?: boolean },
  ): R;
  /** The elements without repetitions in a row. */
  uniqueConsecutive(options?: ConsecutiveOptions): Tensor;
  uniqueConsecutive<R extends readonly Tensor[] = Items<Tensor>>(
    options: ConsecutiveOptions & { readonly returnInverse?: boolean; readonly returnCounts?: boolean },
  ): R;
  /** The transposed matrix (`aten.numpy_T`). */
  readonly T: Tensor;
  /** The adjoint matrix (`aten.matrix_H`). */
  readonly H: Tensor;
  /** The last two dimensions transposed (`aten.mT`). */
  readonly mT: Tensor;
  /** The last two dimensions transposed and conjugated (`aten.mH`). */
  readonly mH: Tensor;
  /** The real parts. */
  readonly real: Tensor;
  /** The imaginary parts. */
  readonly imag: Tensor;
}
