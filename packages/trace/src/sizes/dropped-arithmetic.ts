/**
 * @file Names of arithmetic on sizes that PyTorch's trace makes and drops: what its C++ code asks
 * of the sizes of tensors becomes nodes that nothing reads, and later nodes are numbered after
 * them.
 */
import { type ExportedProgram, FakeTensor, type MetaValue, type Namespace } from "@sconce/ir";
import { type IntLike, SymExpr } from "@sconce/symbolic";
import { dtypeInfo, wrapDimension } from "@sconce/tensor";
import { type Counted, CountedArithmetic, MINUS_ONE, ONE, TakenNames, ZERO } from "./counted-arithmetic.js";
import { takeGuardNames } from "./guard-names.js";
import { isDense, lastPlace } from "./memory-places.js";
import { ReferenceArithmetic, type ReferenceTensor } from "./reference-arithmetic.js";
import type { RetraceEnv } from "./retrace-env.js";

/** What PyTorch has found out about a tensor, and does not compute again. */
interface Known {
  numel?: Counted;
  isContiguous?: boolean;
}

const isSymbolic = (value: IntLike): boolean => value instanceof SymExpr;

/** What names are taken from. */
interface Trace {
  readonly names: Namespace;
  readonly env: RetraceEnv;
  readonly sizes: { readonly hasSymbols: boolean; read(size: SymExpr): void };
  isTracked(tensor: FakeTensor): boolean;
  readonly arithmetic: { multiplied(count: IntLike, sizes: readonly IntLike[]): void };
  isInput(tensor: FakeTensor): boolean;
  elementsOf(tensor: FakeTensor): IntLike;
}

export class DroppedArithmetic {
  readonly #trace: Trace;
  readonly #names: TakenNames;
  readonly #with: CountedArithmetic;
  readonly #known = new WeakMap<FakeTensor, Known>();
  /** What references of operators in place ask. */
  readonly references: ReferenceArithmetic;

  constructor(trace: Trace) {
    this.#trace = trace;
    this.#names = new TakenNames(trace.names);
    this.#with = new CountedArithmetic(this.#names, trace.env);
    this.references = new ReferenceArithmetic(this.#with, (size) => this.#read(size));
  }

  /** Whether names can be taken: static programs have none. */
  get isNeeded(): boolean {
    return this.#trace.sizes.hasSymbols;
  }

  /** Takes the names with this base that wait, before a node gets its name. */
  takeWaiting(base: string): void {
    this.#names.takeWaiting(base);
  }

  /** A call that is dropped again, by the name of its node. */
  named(base: string): void {
    this.#names.take(base);
  }

  /** A size that arithmetic takes: it is read. */
  #size(size: IntLike): void {
    if (size instanceof SymExpr) this.#trace.sizes.read(size);
  }

  /** The guards of the program, which PyTorch traces first (`_guards_fn`). */
  guards(program: ExportedProgram, inputOf: (name: string) => MetaValue | undefined): void {
    takeGuardNames(program, { names: this.#names, read: (size) => this.#size(size), inputOf });
  }

  #of(tensor: FakeTensor): Known {
    const known = this.#known.get(tensor) ?? {};
    this.#known.set(tensor, known);
    return known;
  }

  /**
   * The size in bytes of a storage for a tensor (`computeStorageNbytes`): a wrapper asks for it.
   */
  storage(tensor: FakeTensor): void {
    const { shape, strides, storageOffset, dtype } = tensor;
    // Names alone count: this is asked of every result.
    const { env } = this.#trace;
    let [dims, sums, products, isSum] = [0, 0, 0, false];
    for (const [dim, size] of shape.entries()) {
      const stride = strides[dim]!;
      const isDynamic = isSymbolic(size);
      this.#size(size);
      if (isDynamic) {
        if (env.hint(size) === 0) return;
        dims++;
      } else if (size === 0) return;
      const isTerm = isDynamic || isSymbolic(stride);
      if (isTerm && stride !== 1 && size !== 2) products++;
      // A product with 0 is the number.
      isSum ||= isTerm && size !== 1 && stride !== 0;
      if (isSum) sums++;
    }
    if (isSum || isSymbolic(storageOffset)) {
      this.#size(storageOffset);
      sums++;
      const isNumber = isSymbolic(storageOffset) && typeof lastPlace(tensor) === "number";
      if (dtypeInfo(dtype).itemSize !== 1 && !isNumber) products++;
    }
    this.#names.take("eq", dims);
    this.#names.take("sub", dims);
    this.#names.take("mul", products);
    this.#names.take("add", sums);
  }

  /** A functional tensor is made around results. */
  wrapped(result: unknown): void {
    if (!this.isNeeded) return;
    if (result instanceof FakeTensor) this.storage(result);
    else if (Array.isArray(result)) for (const item of result) this.wrapped(item);
  }

  /** A result shares the storage of an operand: its place there is looked at. */
  aliased(result: unknown): void {
    if (!this.isNeeded) return;
    if (result instanceof FakeTensor) this.#with.ge(this.#with.of(result.storageOffset), ZERO);
    else if (Array.isArray(result)) for (const item of result) this.aliased(item);
  }

  /**
   * A functional tensor is an operand of a call that writes: a view that is made anew has new
   * sizes, and keeps the offset of the first one.
   */
  unwrapped(operand: FakeTensor, storageOffset: IntLike): void {
    if (!this.isNeeded) return;
    const { shape, strides } = operand;
    if (![...shape, ...strides].some(isSymbolic)) return;
    for (const size of shape) this.#with.ge(this.#with.of(size), ZERO);
    this.storage(new FakeTensor({ ...operand, storageOffset }));
  }

  /** A factory looks whether sizes are negative. */
  checked(sizes: readonly IntLike[]): void {
    for (const size of sizes) {
      this.#size(size);
      this.#with.ge(this.#with.of(size), ZERO);
    }
  }

  /** Returns a size that is asked for: read, and ready for arithmetic. */
  #read(size: IntLike): Counted {
    this.#size(size);
    return this.#with.of(size);
  }

  /** Returns the number of elements, which a tensor computes once. */
  numel(tensor: FakeTensor): Counted {
    const known = this.#of(tensor);
    known.numel ??= this.#elements(tensor);
    return known.numel;
  }
  /** A traced tensor has a node for it; the sizes of others are multiplied. */
  #elements(tensor: FakeTensor): Counted {
    const elements = this.#trace.elementsOf(tensor);
    if (!this.#trace.isTracked(tensor)) {
      for (const size of tensor.shape) this.#size(size);
      this.#trace.arithmetic.multiplied(elements, tensor.shape);
    }
    return this.#with.of(elements);
  }

  /** Returns whether the number of elements of a tensor is computed by now. */
  knowsElements(tensor: FakeTensor): boolean {
    return this.#known.get(tensor)?.numel !== undefined;
  }

  #product(sizes: readonly IntLike[]): Counted {
    for (const size of sizes) this.#size(size);
    return sizes.reduce((product, size) => this.#with.mul(product, this.#with.of(size)), ONE);
  }

  /**
   * Returns what a reference asks of tensors that are traced: they have a node for their elements.
   */
  traced(tensor: FakeTensor): ReferenceTensor {
    return Object.assign(this.references.of(tensor), { numel: this.numel(tensor) });
  }

  /** Whether tensors are made of one shape. */
  aligned(tensors: readonly FakeTensor[]): void {
    this.references.aligned(tensors.map(({ shape }) => shape.map((size) => this.#read(size))));
  }

  /** Returns whether all sizes are 1, until one is not. */
  areOnes(sizes: readonly IntLike[]): boolean {
    return sizes.every((size) => this.#with.eq(this.#read(size), ONE, false));
  }

  /** Returns whether a tensor has no elements. */
  isEmpty(tensor: FakeTensor): boolean {
    return this.#with.eq(this.numel(tensor), ZERO, false);
  }

  /** Returns whether a tensor is contiguous (`SymbolicShapeMeta`), which it computes once. */
  isContiguous(tensor: FakeTensor): boolean {
    const known = this.#of(tensor);
    // It was known of inputs before the trace.
    known.isContiguous ??= this.#trace.isInput(tensor)
      ? isDense(this.#hints(tensor.shape), this.#hints(tensor.strides))
      : this.#contiguous(tensor);
    return known.isContiguous;
  }

  #hints(sizes: readonly IntLike[]): readonly IntLike[] {
    return sizes.map((size) => (this.#trace.env.hint(size) as number | undefined) ?? size);
  }

  #contiguous(tensor: FakeTensor): boolean {
    const { shape, strides } = tensor;
    if (![...shape, ...strides].some(isSymbolic)) return isDense(shape, strides);
    if (this.#isContiguousOrFalse(tensor)) return true;
    this.#contiguityCondition(tensor);
    const isHinted = this.#hints([...shape, ...strides]).every((size) => typeof size === "number");
    return isHinted && this.#isContiguousByHints(tensor);
  }

  #isContiguousOrFalse(tensor: FakeTensor): boolean {
    const count = this.#with;
    if (this.isEmpty(tensor)) return true;
    let [expected, most] = [ONE, ONE];
    for (let dim = tensor.ndim - 1; dim >= 0; dim--) {
      const [size, stride] = [this.#read(tensor.shape[dim]!), count.of(tensor.strides[dim]!)];
      if (count.eq(size, ONE, false)) continue;
      if (count.ne(stride, expected, true) && count.ne(stride, most, true)) return false;
      most = count.mul(most, count.max(size, ONE));
      expected = count.mul(expected, size);
    }
    return true;
  }

  /** One expression for all dimensions. */
  #contiguityCondition(tensor: FakeTensor): void {
    const count = this.#with;
    this.isEmpty(tensor);
    let expected = ONE;
    for (let dim = tensor.ndim - 1; dim >= 0; dim--) {
      const [size, stride] = [this.#read(tensor.shape[dim]!), count.of(tensor.strides[dim]!)];
      count.eq(size, ONE, false);
      count.eq(stride, expected, false);
      expected = count.mul(expected, size);
    }
  }

  #isContiguousByHints(tensor: FakeTensor): boolean {
    const count = this.#with;
    if (this.isEmpty(tensor)) return true;
    let expected = ONE;
    for (let dim = tensor.ndim - 1; dim >= 0; dim--) {
      const [size, stride] = [this.#read(tensor.shape[dim]!), count.of(tensor.strides[dim]!)];
      if (count.eq(size, ONE, false)) continue;
      if (count.ne(stride, expected, true)) return false;
      expected = count.mul(expected, size);
    }
    return true;
  }

  /** `reshape` of a tensor: a contiguous one is viewed, others are looked at. */
  reshaped(tensor: FakeTensor, sizes: readonly IntLike[]): void {
    if (this.isContiguous(tensor)) return;
    if (sizes.includes(-1)) this.#inferred(tensor, sizes);
    else this.viewed(tensor, sizes);
  }

  /** A size that is given as -1. The call itself computes it. */
  #inferred(tensor: FakeTensor, sizes: readonly IntLike[]): void {
    const count = this.#with;
    let product = ONE;
    for (const size of sizes) {
      const one = count.of(size);
      if (!count.eq(one, MINUS_ONE, false) && count.gt(one, MINUS_ONE) && one.isSymbolic) product = one;
    }
    count.gt(product, ZERO);
    count.eq(this.numel(tensor), product, false);
    count.ne(product, ZERO, true);
  }

  /** Whether strides exist for a view (`infer_size` and `computeStride` in ATen). */
  viewed(tensor: FakeTensor, sizes: readonly IntLike[]): void {
    if (!this.isNeeded) return;
    const count = this.#with;
    let product = ONE;
    for (const size of sizes) {
      const one = count.of(size);
      if (!count.eq(one, MINUS_ONE, false) && count.gt(one, MINUS_ONE)) product = count.mul(product, one);
    }
    if (sizes.includes(-1) || !product.isSymbolic) return;
    count.eq(this.numel(tensor), product, true);
    this.strides(tensor, sizes);
  }

  /** Shapes that are made equal (`_broadcast_shapes` in `torch/_refs`). */
  broadcast(...shapes: readonly (readonly IntLike[])[]): void {
    const count = this.#with;
    const common = Array.from({ length: Math.max(...shapes.map((shape) => shape.length)) }, () => ONE);
    for (const shape of shapes)
      for (let dim = shape.length - 1; dim >= 0; dim--) {
        const at = common.length - shape.length + dim;
        const size = this.#read(shape[dim]!);
        if (count.eq(size, common[at]!, false)) continue;
        if (count.eq(common[at]!, ONE, false)) {
          count.lt(size, ZERO);
          common[at] = size;
        }
        if (!count.eq(size, ONE, false)) count.eq(common[at]!, size, false);
      }
  }

  /** Returns whether `matmul` makes rows of a batch (`should_fold` in `torch/_decomp`). */
  folds(a: FakeTensor, b: FakeTensor): boolean {
    const [large, small] = a.ndim >= b.ndim ? [a, b] : [b, a];
    if (large.ndim < 3 || small.ndim > 2) return false;
    if (small.requiresGrad) return true;
    if (a.ndim === 2) return false;
    const count = this.#with;
    if (count.eq(this.#product(large.shape), ZERO, false)) return true;
    const expected = [ONE];
    for (let dim = large.ndim - 1; dim > 0; dim--)
      expected.unshift(count.mul(this.#read(large.shape[dim]!), expected[0]!));
    return large.shape.every(
      (size, dim) =>
        count.eq(this.#read(size), ONE, false) ||
        count.eq(count.of(large.strides[dim]!), expected[dim]!, false),
    );
  }

  /** What `matmul` asks of batches. */
  multiplied(a: FakeTensor, b: FakeTensor): void {
    const [left, right] = [a.shape.slice(0, -2), b.shape.slice(0, -2)];
    if (a.ndim === 3 && b.ndim === 3 && this.#with.ne(this.#read(left[0]!), this.#read(right[0]!), true)) {
      this.#with.eq(this.#read(left[0]!), ONE, false);
      this.#with.eq(this.#read(right[0]!), ONE, false);
    }
    this.broadcast(left, right);
  }

  /** Whether shapes are equal, dimension by dimension (`sym_eq`). */
  compared(shape: readonly IntLike[], other: readonly IntLike[]): void {
    if (shape.length !== other.length) return;
    for (const [dim, size] of shape.entries())
      this.#with.eq(this.#read(size), this.#read(other[dim]!), false);
  }

  /** Returns whether two shapes are equal; questions end where sizes differ. */
  equal(shape: readonly IntLike[], other: readonly IntLike[]): boolean {
    return (
      shape.length === other.length &&
      shape.every((size, dim) => this.#with.eq(this.#read(size), this.#read(other[dim]!), false))
    );
  }

  differs(size: IntLike, other: IntLike): void {
    this.#with.ne(this.#read(size), this.#read(other), false);
  }

  /** Whether a tensor has as many elements as a product comes to. */
  counts(tensor: FakeTensor, factors: readonly IntLike[]): void {
    const numel = this.numel(tensor);
    this.#with.eq(numel, this.#product(factors), false);
  }

  /** Whether there is an index, and it fits its operands. */
  scattered(self: FakeTensor, index: FakeTensor, source: FakeTensor | null, dim: number): void {
    const count = this.#with;
    const elements = this.#product(index.shape);
    count.ne(elements, ZERO, true);
    if (count.eq(elements, ZERO, false)) return;
    const written = wrapDimension(dim, self.ndim);
    for (const [at, size] of index.shape.entries())
      if (at !== written && at < self.ndim) count.le(this.#read(size), this.#read(self.shape[at]!));
    if (source === null) return;
    for (const [at, size] of index.shape.entries())
      count.le(this.#read(size), this.#read(source.shape[at] ?? 1));
  }

  /** Returns whether dimensions are in the order of channels (`suggest_memory_format`). */
  ordersChannels({ shape, strides, ndim }: FakeTensor): boolean {
    const count = this.#with;
    const order = ndim === 4 ? [1, 3, 2, 0] : [1, 4, 3, 2, 0];
    if (ndim !== order.length || count.eq(count.of(strides[1]!), ZERO, true)) return false;
    let least = ZERO;
    for (const dim of order) {
      const [size, stride] = [this.#read(shape[dim]!), count.of(strides[dim]!)];
      if (count.eq(size, ZERO, true) || count.lt(stride, least)) return false;
      if (dim === 0 && count.eq(least, count.of(strides[1]!), false)) return false;
      least = count.mul(stride, size);
    }
    return true;
  }

  /** How many windows there are along dimensions (`im2col`). */
  windows(sizes: readonly IntLike[]): void {
    for (const size of sizes) {
      const { isSymbolic } = this.#read(size);
      if (!isSymbolic) continue;
      this.#with.steps("ne", 1);
      for (const name of ["add", "sub"]) this.#with.steps(name, 2);
      this.#with.steps("floordiv", 1);
      this.#with.steps("gt", 1);
    }
  }

  /** How many pieces of a size there are (`split` in `torch/_decomp`). */
  split(length: IntLike, piece: IntLike): void {
    const [whole, size] = [this.#read(length), this.#read(piece)];
    const count = this.#with;
    count.ge(size, ZERO);
    if (count.eq(whole, ZERO, false)) return;
    count.gt(size, ZERO);
    count.pieces(whole, size);
  }

  /** Whether there is a place for `narrow` (`narrow_symint` in ATen). */
  narrowed(whole: IntLike, start: IntLike, length: IntLike): void {
    const count = this.#with;
    const [size, from, many] = [this.#read(whole), this.#read(start), this.#read(length)];
    count.ge(many, ZERO);
    count.le(count.neg(size), from);
    count.le(from, size);
    if (size.isSymbolic || from.isSymbolic) count.steps("and_", 1);
    if (from.isSymbolic) count.lt(from, ZERO);
    if (from.hint === undefined || from.hint >= 0) count.ge(from, ZERO);
    if (count.hasSign(from)) {
      count.le(from, count.sub(size, many));
      return;
    }
    // All places from the start, or all from the end.
    count.lt(from, ZERO);
    count.le(from, ZERO);
    count.ge(from, ZERO);
    count.le(from, size);
    count.steps("and_", 2);
    count.steps("or_", 1);
    count.ne(from, ZERO, true);
  }

  /** Whether the result of such a `narrow` has the length. */
  narrowedResult(start: IntLike): void {
    if (!this.#with.hasSign(this.#read(start))) this.#with.steps("eq", 1);
  }

  /** Whether an index counts from the end (`select_scatter` in `torch/_refs`). */
  indexed(index: IntLike): void {
    this.#with.lt(this.#read(index), ZERO);
  }

  /** What the choice of a kernel for attention asks. */
  attended(query: FakeTensor, key: FakeTensor, value: FakeTensor, mask: FakeTensor | null): void {
    const count = this.#with;
    const same = (a: IntLike, b: IntLike): boolean => count.eq(this.#read(a), this.#read(b), false);
    const [rows, columns] = [query.shape.at(-2)!, key.shape.at(-2)!];
    if (this.isEmpty(value) || same(rows, 0)) return;
    for (const dim of [0, 1])
      if (!same(query.shape[dim]!, key.shape[dim]!) || !same(query.shape[dim]!, value.shape[dim]!)) return;
    const fits = (size: IntLike, wanted: IntLike): boolean => same(size, wanted) || same(size, 1);
    if (mask !== null) {
      if (!fits(mask.shape.at(-2)!, rows) || !fits(mask.shape.at(-1)!, columns)) return;
      if (mask.ndim === 4) for (const dim of [0, 1]) if (!fits(mask.shape[dim]!, query.shape[dim]!)) return;
    }
    if (!same(query.shape[3]!, key.shape[3]!) || !same(query.shape[3]!, value.shape[3]!)) return;
    if (!same(rows, 0)) same(columns, 0);
  }

  /** Whether dimensions can be regrouped (`computeStride` in ATen). */
  strides({ shape, strides }: FakeTensor, sizes: readonly IntLike[]): void {
    if (!this.isNeeded) return;
    const count = this.#with;
    if (shape.length === 0 || count.eq(this.#product(shape), ZERO, false)) return;
    const sizeAt = (dim: number): Counted => count.of(shape[dim]!);
    const strideAt = (dim: number): Counted => count.of(strides[dim]!);
    let at = sizes.length - 1;
    let base = strideAt(shape.length - 1);
    let [old, viewed] = [ONE, ONE];
    for (let dim = shape.length - 1; dim >= 0; dim--) {
      old = count.mul(old, sizeAt(dim));
      const isEnd =
        dim === 0 ||
        (count.ne(sizeAt(dim - 1), ONE, true) && count.ne(strideAt(dim - 1), count.mul(old, base), true));
      if (!isEnd) continue;
      while (at >= 0 && (count.lt(viewed, old) || count.eq(count.of(sizes[at]!), ONE, false))) {
        count.mul(viewed, base);
        viewed = count.mul(viewed, count.of(sizes[at]!));
        at--;
      }
      if (count.ne(viewed, old, true)) return;
      if (dim > 0) {
        base = strideAt(dim - 1);
        [old, viewed] = [ONE, ONE];
      }
    }
  }
}
