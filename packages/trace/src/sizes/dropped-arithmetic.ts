/**
 * @file Names of arithmetic on sizes that PyTorch's trace makes and drops: what its C++ code asks
 * of the sizes of tensors becomes nodes that nothing reads, and later nodes are numbered after
 * them.
 */
import { type ExportedProgram, FakeTensor, isSymScalar, type MetaValue, type Namespace } from "@sconce/ir";
import { leafFinder, programGuards, userLeaves } from "@sconce/ops";
import {
  foldGuard,
  type GuardBinaryOp,
  type GuardCompareOp,
  type GuardNode,
  SymExpr,
  type SymInt,
} from "@sconce/symbolic";
import { dtypeInfo } from "@sconce/tensor";
import { type Counted, CountedArithmetic, MINUS_ONE, ONE, TakenNames, ZERO } from "./counted-arithmetic.js";
import type { RetraceEnv } from "./retrace-env.js";

/** What PyTorch has found out about a tensor, and does not compute again. */
interface Known {
  numel?: Counted;
  isContiguous?: boolean;
}

const isSymbolic = (value: SymInt): boolean => value instanceof SymExpr;

/** What names are taken from. */
interface Trace {
  readonly names: Namespace;
  readonly env: RetraceEnv;
  readonly sizes: { readonly hasSymbols: boolean; read(size: SymExpr): void };
  isTracked(tensor: FakeTensor): boolean;
  readonly arithmetic: { multiplied(count: SymInt, sizes: readonly SymInt[]): void };
  isInput(tensor: FakeTensor): boolean;
  elementsOf(tensor: FakeTensor): SymInt;
}

const OPERATORS: Readonly<Record<GuardBinaryOp | GuardCompareOp, string>> = {
  "+": "add",
  "-": "sub",
  "*": "mul",
  "/": "truediv",
  "//": "floordiv",
  "%": "mod",
  "**": "pow",
  "==": "eq",
  "!=": "ne",
  "<": "lt",
  "<=": "le",
  ">": "gt",
  ">=": "ge",
};

/** Comparisons from the other side. */
const REFLECTED: Partial<Record<GuardCompareOp, GuardCompareOp>> = {
  "<": ">",
  "<=": ">=",
  ">": "<",
  ">=": "<=",
};

/** An operand of a guard: a product with 1 is the other factor. */
type Operand = "symbolic" | "one" | "other";

export class DroppedArithmetic {
  readonly #trace: Trace;
  readonly #names: TakenNames;
  readonly #with: CountedArithmetic;
  readonly #known = new WeakMap<FakeTensor, Known>();

  constructor(trace: Trace) {
    this.#trace = trace;
    this.#names = new TakenNames(trace.names);
    this.#with = new CountedArithmetic(this.#names, trace.env);
  }

  /** Whether names can be taken: static programs have none. */
  get isNeeded(): boolean {
    return this.#trace.sizes.hasSymbols;
  }

  /** Takes the names with this base that wait, before a node gets its name. */
  takeWaiting(base: string): void {
    this.#names.takeWaiting(base);
  }

  /** A size that arithmetic takes: it is read. */
  #size(size: SymInt): void {
    if (size instanceof SymExpr) this.#trace.sizes.read(size);
  }

  /**
   * The guards of the program, which PyTorch traces first (`_guards_fn`).
   *
   * @param inputOf finds the value of an input
   */
  guards(program: ExportedProgram, inputOf: (name: string) => MetaValue | undefined): void {
    if (program.exampleInputs === null) return;
    const leaves = userLeaves(program);
    const indexOf = leafFinder(leaves);
    const source = (node: Extract<GuardNode, { kind: "source" }>): Operand => {
      const name = leaves[indexOf(node) ?? -1]?.name;
      const val = name === undefined ? undefined : inputOf(name);
      if (val instanceof FakeTensor && node.property === "size") {
        const size = val.shape[node.index ?? 0]!;
        if (!isSymbolic(size)) return size === 1 ? "one" : "other";
        this.#size(size);
        return "symbolic";
      }
      return isSymScalar(val) ? "symbolic" : "other";
    };
    const node = (name: string, operands: readonly Operand[]): Operand => {
      if (!operands.includes("symbolic")) return "other";
      this.#names.take(name);
      return "symbolic";
    };
    for (const guard of programGuards(program, leaves))
      foldGuard<Operand>(guard, {
        source,
        number: ({ value, float }) => (value === 1 && !float ? "one" : "other"),
        constant: () => "other",
        not: () => "other",
        negate: (operand) => node("neg", [operand]),
        binary: (op, left, right) =>
          op === "*" && [left, right].includes("one")
            ? left === "one"
              ? right
              : left
            : node(OPERATORS[op], [left, right]),
        // A number at the left has no such method: Python asks the size at the right.
        compare: (op, left, right) =>
          node(OPERATORS[left === "symbolic" ? op : (REFLECTED[op] ?? op)], [left, right]),
        and: (parts) => parts.map((part) => part()).at(-1) ?? "other",
        or: (parts) => parts[0]?.() ?? "other",
        conditional: (test, then) => {
          test();
          return then();
        },
        call: ({ fn }, args) => node(fn.replace(/^(?:torch|math)\./, ""), args),
      });
  }

  #of(tensor: FakeTensor): Known {
    const known = this.#known.get(tensor) ?? {};
    this.#known.set(tensor, known);
    return known;
  }

  /**
   * The size in bytes of a storage for a tensor (`computeStorageNbytes`): a wrapper asks for it.
   */
  storage({ shape, strides, storageOffset, dtype }: FakeTensor): void {
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
      sums++;
      if (dtypeInfo(dtype).itemSize !== 1) products++;
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

  /** A functional tensor is an operand of a call that writes. */
  unwrapped(operand: FakeTensor): void {
    if (!this.isNeeded) return;
    const { shape, strides, storageOffset } = operand;
    if (![...shape, ...strides, storageOffset].some(isSymbolic)) return;
    for (const size of shape) this.#with.ge(this.#with.of(size), ZERO);
    this.storage(operand);
  }

  /** A factory looks whether sizes are negative. */
  checked(sizes: readonly SymInt[]): void {
    for (const size of sizes) {
      this.#size(size);
      this.#with.ge(this.#with.of(size), ZERO);
    }
  }

  /** A size that is asked for: read, and ready for arithmetic. */
  #read(size: SymInt): Counted {
    this.#size(size);
    return this.#with.of(size);
  }

  /** The number of elements, which a tensor computes once. */
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

  /** Whether the number of elements of a tensor is computed by now. */
  knowsElements(tensor: FakeTensor): boolean {
    return this.#known.get(tensor)?.numel !== undefined;
  }

  #product(sizes: readonly SymInt[]): Counted {
    for (const size of sizes) this.#size(size);
    return sizes.reduce((product, size) => this.#with.mul(product, this.#with.of(size)), ONE);
  }

  /** Whether a tensor has no elements. */
  isEmpty(tensor: FakeTensor): boolean {
    return this.#with.eq(this.numel(tensor), ZERO, false);
  }

  /** Whether a tensor is contiguous (`SymbolicShapeMeta`), which it computes once. */
  isContiguous(tensor: FakeTensor): boolean {
    const known = this.#of(tensor);
    // It was known of inputs before the trace.
    known.isContiguous ??= this.#trace.isInput(tensor)
      ? isDense(this.#hints(tensor.shape), this.#hints(tensor.strides))
      : this.#contiguous(tensor);
    return known.isContiguous;
  }

  #hints(sizes: readonly SymInt[]): readonly SymInt[] {
    return sizes.map((size) => (this.#trace.env.hint(size) as number | undefined) ?? size);
  }

  #contiguous(tensor: FakeTensor): boolean {
    const { shape, strides } = tensor;
    if (![...shape, ...strides].some(isSymbolic)) return isDense(shape, strides);
    if (this.#isContiguousOrFalse(tensor)) return true;
    this.#contiguityCondition(tensor);
    return this.#isContiguousByHints(tensor);
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
  reshaped(tensor: FakeTensor, sizes: readonly SymInt[]): void {
    if (this.isContiguous(tensor)) return;
    if (sizes.includes(-1)) this.#inferred(tensor, sizes);
    else this.viewed(tensor, sizes);
  }

  /** A size that is given as -1. The call itself computes it. */
  #inferred(tensor: FakeTensor, sizes: readonly SymInt[]): void {
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
  viewed(tensor: FakeTensor, sizes: readonly SymInt[]): void {
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
  broadcast(...shapes: readonly (readonly SymInt[])[]): void {
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

  /** Whether `matmul` makes rows of a batch (`should_fold` in `torch/_decomp`). */
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
  compared(shape: readonly SymInt[], other: readonly SymInt[]): void {
    if (shape.length !== other.length) return;
    for (const [dim, size] of shape.entries())
      this.#with.eq(this.#read(size), this.#read(other[dim]!), false);
  }

  differs(size: SymInt, other: SymInt): void {
    this.#with.ne(this.#read(size), this.#read(other), false);
  }

  /** Whether a tensor has as many elements as a product comes to. */
  counts(tensor: FakeTensor, factors: readonly SymInt[]): void {
    const numel = this.numel(tensor);
    this.#with.eq(numel, this.#product(factors), false);
  }

  /** How many pieces of a size there are (`split` in `torch/_decomp`). */
  split(length: SymInt, piece: SymInt): void {
    const [whole, size] = [this.#read(length), this.#read(piece)];
    const count = this.#with;
    count.ge(size, ZERO);
    if (count.eq(whole, ZERO, false)) return;
    count.gt(size, ZERO);
    count.pieces(whole, size);
  }

  /** Whether there is a place for `narrow` (`narrow_symint` in ATen). */
  narrowed(whole: SymInt, start: SymInt, length: SymInt): void {
    const count = this.#with;
    const [size, from, many] = [this.#read(whole), this.#read(start), this.#read(length)];
    count.ge(many, ZERO);
    count.le(count.neg(size), from);
    count.le(from, size);
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
    count.ne(from, ZERO, true);
  }

  /** What the choice of a kernel for attention asks. */
  attended(query: FakeTensor, key: FakeTensor, value: FakeTensor, mask: FakeTensor | null): void {
    const count = this.#with;
    const same = (a: SymInt, b: SymInt): boolean => count.eq(this.#read(a), this.#read(b), false);
    const [rows, columns] = [query.shape.at(-2)!, key.shape.at(-2)!];
    if (this.isEmpty(value) || same(rows, 0)) return;
    for (const dim of [0, 1])
      if (!same(query.shape[dim]!, key.shape[dim]!) || !same(query.shape[dim]!, value.shape[dim]!)) return;
    const fits = (size: SymInt, wanted: SymInt): boolean => same(size, wanted) || same(size, 1);
    if (mask !== null) {
      if (!fits(mask.shape.at(-2)!, rows) || !fits(mask.shape.at(-1)!, columns)) return;
      if (mask.ndim === 4) for (const dim of [0, 1]) if (!fits(mask.shape[dim]!, query.shape[dim]!)) return;
    }
    if (!same(query.shape[3]!, key.shape[3]!) || !same(query.shape[3]!, value.shape[3]!)) return;
    if (!same(rows, 0)) same(columns, 0);
  }

  /** Whether dimensions can be regrouped (`computeStride` in ATen). */
  strides({ shape, strides }: FakeTensor, sizes: readonly SymInt[]): void {
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

const isDense = (shape: readonly SymInt[], strides: readonly SymInt[]): boolean => {
  let expected = 1;
  for (let dim = shape.length - 1; dim >= 0; dim--) {
    if (shape[dim] === 1) continue;
    if (strides[dim] !== expected) return false;
    expected *= shape[dim] as number;
  }
  return true;
};
