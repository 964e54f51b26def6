/**
 * @file Names of arithmetic on sizes that PyTorch's trace makes and drops: what its C++ code asks
 * of the sizes of tensors becomes nodes that nothing reads, and later nodes are numbered after
 * them.
 */
import { type ExportedProgram, FakeTensor, isSymScalar, type MetaValue, type Namespace } from "@sconce/ir";
import { leafFinder, programGuards, userLeaves } from "@sconce/ops";
import * as symbolic from "@sconce/symbolic";
import {
  foldGuard,
  type GuardBinaryOp,
  type GuardCompareOp,
  type GuardNode,
  SymExpr,
  type SymInt,
} from "@sconce/symbolic";
import { dtypeInfo } from "@sconce/tensor";
import type { RetraceEnv } from "./retrace-env.js";

/** What PyTorch has found out about a tensor, and does not compute again. */
interface Known {
  numel?: Counted;
  isContiguous?: boolean;
}

const isSymbolic = (value: SymInt): boolean => value instanceof SymExpr;

/** Names that are taken when a node with such a name is made: most are never asked for. */
class TakenNames {
  readonly #names: Namespace;
  readonly #counts = new Map<string, number>();

  constructor(names: Namespace) {
    this.#names = names;
  }

  take(base: string, names = 1): void {
    if (names > 0) this.#counts.set(base, (this.#counts.get(base) ?? 0) + names);
  }

  /** Takes those of a base, before a node gets its name. */
  takeWaiting(base: string): void {
    const names = this.#counts.get(base);
    if (names === undefined) return;
    this.#counts.delete(base);
    for (let i = 0; i < names; i++) this.#names.create(base);
  }
}

/** A number that arithmetic on sizes comes to. */
interface Counted {
  readonly isSymbolic: boolean;
  /** Its value for the example inputs; undefined where only the data decide it. */
  readonly hint: number | undefined;
  readonly expr: () => SymInt;
}

const counted = (value: number): Counted => ({ isSymbolic: false, hint: value, expr: () => value });
const [ZERO, ONE, MINUS_ONE] = [counted(0), counted(1), counted(-1)];

/**
 * Arithmetic on sizes, each step of which takes the name of a node where an operand is symbolic.
 */
class CountedArithmetic {
  readonly #names: TakenNames;
  readonly #env: RetraceEnv;

  constructor(names: TakenNames, env: RetraceEnv) {
    this.#names = names;
    this.#env = env;
  }

  of(value: SymInt): Counted {
    if (!(value instanceof SymExpr)) return counted(value);
    return { isSymbolic: true, hint: this.#env.hint(value) as number | undefined, expr: () => value };
  }

  #count(name: string, a: Counted, b: Counted): boolean {
    const isSymbolic = a.isSymbolic || b.isSymbolic;
    if (isSymbolic) this.#names.take(name);
    return isSymbolic;
  }

  /** A product; one with the number 1 is the other factor. */
  mul(a: Counted, b: Counted): Counted {
    if (isOne(a)) return b;
    if (isOne(b)) return a;
    const isSymbolic = this.#count("mul", a, b);
    const hint = a.hint === undefined || b.hint === undefined ? undefined : a.hint * b.hint;
    return { isSymbolic, hint, expr: () => symbolic.mul(a.expr(), b.expr()) };
  }
  max(a: Counted, b: Counted): Counted {
    const isSymbolic = this.#count("sym_max", a, b);
    const hint = a.hint === undefined || b.hint === undefined ? undefined : Math.max(a.hint, b.hint);
    return { isSymbolic, hint, expr: () => symbolic.symMax(a.expr(), b.expr()) };
  }

  /** Whether two numbers are equal; `otherwise` where that is not known. */
  eq(a: Counted, b: Counted, otherwise: boolean): boolean {
    this.#count("eq", a, b);
    return this.#isSame(a, b) ?? otherwise;
  }
  ne(a: Counted, b: Counted, otherwise: boolean): boolean {
    this.#count("ne", a, b);
    const isSame = this.#isSame(a, b);
    return isSame === undefined ? otherwise : !isSame;
  }
  /** Whether a number is less than another one. */
  lt(a: Counted, b: Counted): boolean {
    this.#count("lt", a, b);
    return a.hint === undefined || b.hint === undefined || a.hint < b.hint;
  }
  gt(a: Counted, b: Counted): boolean {
    this.#count("gt", a, b);
    return a.hint === undefined || b.hint === undefined || a.hint > b.hint;
  }
  ge(a: Counted, b: Counted): void {
    this.#count("ge", a, b);
  }

  #isSame(a: Counted, b: Counted): boolean | undefined {
    if (a.hint !== undefined && b.hint !== undefined) return a.hint === b.hint;
    return this.#env.staticallyKnown(symbolic.eq(a.expr(), b.expr()));
  }
}

const isOne = ({ isSymbolic, hint }: Counted): boolean => !isSymbolic && hint === 1;

/** What names are taken from. */
interface Trace {
  readonly names: Namespace;
  readonly env: RetraceEnv;
  readonly sizes: { read(size: SymExpr): void };
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
        compare: (op, left, right) => node(OPERATORS[op], [left, right]),
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
    if (result instanceof FakeTensor) this.storage(result);
    else if (Array.isArray(result)) for (const item of result) this.wrapped(item);
  }

  /** A functional tensor is an operand of a call that writes. */
  unwrapped(operand: FakeTensor): void {
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

  /** The number of elements, which a tensor computes once. */
  numel(tensor: FakeTensor): Counted {
    const known = this.#of(tensor);
    known.numel ??= this.#product(tensor.shape);
    return known.numel;
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
    known.isContiguous ??= this.#contiguous(tensor);
    return known.isContiguous;
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
      const [size, stride] = [count.of(tensor.shape[dim]!), count.of(tensor.strides[dim]!)];
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
      const [size, stride] = [count.of(tensor.shape[dim]!), count.of(tensor.strides[dim]!)];
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
      const [size, stride] = [count.of(tensor.shape[dim]!), count.of(tensor.strides[dim]!)];
      if (count.eq(size, ONE, false)) continue;
      if (count.ne(stride, expected, true)) return false;
      expected = count.mul(expected, size);
    }
    return true;
  }

  /** `reshape` of a tensor: a contiguous one is viewed, others are looked at (`computeStride`). */
  reshaped(tensor: FakeTensor, sizes: readonly SymInt[]): void {
    if (this.isContiguous(tensor)) return;
    const count = this.#with;
    let [product, isInferred] = [ONE, false];
    for (const size of sizes.map((one) => count.of(one))) {
      if (count.eq(size, MINUS_ONE, false)) isInferred = true;
      else if (count.gt(size, MINUS_ONE)) product = count.mul(product, size);
    }
    if (isInferred || !product.isSymbolic) return;
    count.eq(this.numel(tensor), product, true);
    this.#strideOfView(tensor, sizes);
  }

  #strideOfView({ shape, strides }: FakeTensor, sizes: readonly SymInt[]): void {
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
