/**
 * @file Names of arithmetic on sizes that PyTorch's trace makes and drops: what its C++ code asks
 * of the sizes of tensors becomes nodes that nothing reads, and later nodes are numbered after
 * them.
 */
import { type ExportedProgram, FakeTensor, isSymScalar, type Namespace } from "@sconce/ir";
import { leafFinder, programGuards, userLeaves } from "@sconce/ops";
import * as symbolic from "@sconce/symbolic";
import {
  foldGuard,
  type GuardBinaryOp,
  type GuardCompareOp,
  type GuardNode,
  type SymBool,
  SymExpr,
  type SymInt,
} from "@sconce/symbolic";
import { dtypeInfo } from "@sconce/tensor";
import type { RetraceEnv } from "./shape-env.js";

/** What PyTorch has found out about a tensor, and does not compute again. */
interface Known {
  numel?: SymInt;
  isContiguous?: boolean;
}

const isSymbolic = (value: SymInt): boolean => value instanceof SymExpr;

/**
 * Arithmetic on sizes, each step of which takes the name of a node where an operand is symbolic.
 */
class CountedArithmetic {
  readonly #names: Namespace;
  readonly #env: RetraceEnv;

  constructor(names: Namespace, env: RetraceEnv) {
    this.#names = names;
    this.#env = env;
  }

  #count(name: string, ...operands: readonly SymInt[]): void {
    if (operands.some(isSymbolic)) this.#names.create(name);
  }

  /** A product; one with the number 1 is the other factor. */
  mul(a: SymInt, b: SymInt): SymInt {
    if (a === 1) return b;
    if (b === 1) return a;
    this.#count("mul", a, b);
    return symbolic.mul(a, b);
  }
  sub(a: SymInt, b: SymInt): SymInt {
    this.#count("sub", a, b);
    return symbolic.add(a, symbolic.mul(-1, b));
  }
  /** A node for an addition of which only the name counts. */
  addName(): void {
    this.#names.create("add");
  }
  mulName(): void {
    this.#names.create("mul");
  }
  max(a: SymInt, b: SymInt): SymInt {
    this.#count("sym_max", a, b);
    return symbolic.symMax(a, b);
  }

  /** Whether two numbers are equal; `otherwise` where that is not known. */
  eq(a: SymInt, b: SymInt, otherwise: boolean): boolean {
    this.#count("eq", a, b);
    return this.#decide(symbolic.eq(a, b), otherwise);
  }
  ne(a: SymInt, b: SymInt, otherwise: boolean): boolean {
    this.#count("ne", a, b);
    return this.#decide(symbolic.ne(a, b), otherwise);
  }
  lt(a: SymInt, b: SymInt, otherwise: boolean): boolean {
    this.#count("lt", a, b);
    return this.#decide(symbolic.lt(a, b), otherwise);
  }
  gt(a: SymInt, b: SymInt, otherwise: boolean): boolean {
    this.#count("gt", a, b);
    return this.#decide(symbolic.gt(a, b), otherwise);
  }
  ge(a: SymInt, b: SymInt, otherwise: boolean): boolean {
    this.#count("ge", a, b);
    return this.#decide(symbolic.ge(a, b), otherwise);
  }

  #decide(condition: SymBool, otherwise: boolean): boolean {
    if (typeof condition === "boolean") return condition;
    const hint = this.#env.hint(condition);
    if (typeof hint === "boolean") return hint;
    return this.#env.staticallyKnown(condition) ?? otherwise;
  }
}

/** What names are taken from. */
interface Trace {
  readonly names: Namespace;
  readonly env: RetraceEnv;
  readonly symbols: { sourceRead(size: unknown): void };
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
  readonly #with: CountedArithmetic;
  readonly #known = new WeakMap<FakeTensor, Known>();
  /** Sizes that nodes read. */
  readonly #read = new Set<string>();

  constructor(trace: Trace) {
    this.#trace = trace;
    this.#with = new CountedArithmetic(trace.names, trace.env);
  }

  /** A size that arithmetic takes: the first reads it. */
  #size(size: SymInt): void {
    if (!(size instanceof SymExpr) || this.#read.has(size.key)) return;
    this.#read.add(size.key);
    if (/^u\d+$/.test(size.name)) this.#trace.symbols.sourceRead(size);
    else this.#trace.names.create("sym_size_int");
  }

  /** The guards of the program, which PyTorch traces first (`_guards_fn`). */
  guards(program: ExportedProgram): void {
    if (program.exampleInputs === null) return;
    const leaves = userLeaves(program);
    const indexOf = leafFinder(leaves);
    const read = new Set<string>();
    const source = (node: Extract<GuardNode, { kind: "source" }>): Operand => {
      const name = leaves[indexOf(node) ?? -1]?.name;
      const val = name === undefined ? undefined : program.graph.find(name)?.meta.val;
      if (val instanceof FakeTensor && node.property === "size") {
        const size = val.shape[node.index ?? 0]!;
        if (!isSymbolic(size)) return size === 1 ? "one" : "other";
        const place = `${name} ${node.index}`;
        if (!read.has(place)) this.#trace.names.create("sym_size_int");
        read.add(place);
        this.#read.add((size as unknown as SymExpr).key);
        return "symbolic";
      }
      return isSymScalar(val) ? "symbolic" : "other";
    };
    const node = (name: string, operands: readonly Operand[]): Operand => {
      if (!operands.includes("symbolic")) return "other";
      this.#trace.names.create(name);
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
    const count = this.#with;
    let isSum = false;
    for (const [dim, size] of shape.entries()) {
      this.#size(size);
      if (count.eq(size, 0, false)) return;
      const distance = isSymbolic(size) ? count.sub(size, 1) : (size as number) - 1;
      // A product with 0 is the number.
      const term = count.mul(strides[dim]!, distance);
      isSum ||= isSymbolic(term);
      if (isSum) count.addName();
    }
    if (!isSum && !isSymbolic(storageOffset)) return;
    count.addName();
    if (dtypeInfo(dtype).itemSize !== 1) count.mulName();
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
    for (const size of shape) this.#with.ge(size, 0, true);
    this.storage(operand);
  }

  /** A factory looks whether sizes are negative. */
  checked(sizes: readonly SymInt[]): void {
    for (const size of sizes) {
      this.#size(size);
      this.#with.ge(size, 0, true);
    }
  }

  /** The number of elements, which a tensor computes once. */
  numel(tensor: FakeTensor): SymInt {
    const known = this.#of(tensor);
    known.numel ??= this.#product(tensor.shape);
    return known.numel;
  }
  #product(sizes: readonly SymInt[]): SymInt {
    for (const size of sizes) this.#size(size);
    return sizes.reduce<SymInt>((product, size) => this.#with.mul(product, size), 1);
  }

  /** Whether a tensor has no elements. */
  isEmpty(tensor: FakeTensor): boolean {
    return this.#with.eq(this.numel(tensor), 0, false);
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
    let [expected, most]: [SymInt, SymInt] = [1, 1];
    for (let dim = tensor.ndim - 1; dim >= 0; dim--) {
      const [size, stride] = [tensor.shape[dim]!, tensor.strides[dim]!];
      if (count.eq(size, 1, false)) continue;
      if (count.ne(stride, expected, true) && count.ne(stride, most, true)) return false;
      most = count.mul(most, count.max(size, 1));
      expected = count.mul(expected, size);
    }
    return true;
  }

  /** One expression for all dimensions. */
  #contiguityCondition(tensor: FakeTensor): void {
    const count = this.#with;
    this.isEmpty(tensor);
    let expected: SymInt = 1;
    for (let dim = tensor.ndim - 1; dim >= 0; dim--) {
      const [size, stride] = [tensor.shape[dim]!, tensor.strides[dim]!];
      count.eq(size, 1, false);
      count.eq(stride, expected, false);
      expected = count.mul(expected, size);
    }
  }

  #isContiguousByHints(tensor: FakeTensor): boolean {
    const count = this.#with;
    if (this.isEmpty(tensor)) return true;
    let expected: SymInt = 1;
    for (let dim = tensor.ndim - 1; dim >= 0; dim--) {
      const [size, stride] = [tensor.shape[dim]!, tensor.strides[dim]!];
      if (count.eq(size, 1, false)) continue;
      if (count.ne(stride, expected, true)) return false;
      expected = count.mul(expected, size);
    }
    return true;
  }

  /** `reshape` of a tensor: a contiguous one is viewed, others are looked at (`computeStride`). */
  reshaped(tensor: FakeTensor, sizes: readonly SymInt[]): void {
    if (this.isContiguous(tensor)) return;
    const count = this.#with;
    let [product, isInferred]: [SymInt, boolean] = [1, false];
    for (const size of sizes) {
      if (count.eq(size, -1, false)) isInferred = true;
      else if (count.gt(size, -1, true)) product = count.mul(product, size);
    }
    if (isInferred || !isSymbolic(product)) return;
    count.eq(this.numel(tensor), product, true);
    this.#strideOfView(tensor, sizes);
  }

  #strideOfView({ shape, strides }: FakeTensor, sizes: readonly SymInt[]): void {
    const count = this.#with;
    if (shape.length === 0 || count.eq(this.#product(shape), 0, false)) return;
    let at = sizes.length - 1;
    let base = strides.at(-1)!;
    let [old, viewed]: [SymInt, SymInt] = [1, 1];
    for (let dim = shape.length - 1; dim >= 0; dim--) {
      old = count.mul(old, shape[dim]!);
      const isEnd =
        dim === 0 ||
        (count.ne(shape[dim - 1]!, 1, true) && count.ne(strides[dim - 1]!, count.mul(old, base), true));
      if (!isEnd) continue;
      while (at >= 0 && (count.lt(viewed, old, true) || count.eq(sizes[at]!, 1, false))) {
        count.mul(viewed, base);
        viewed = count.mul(viewed, sizes[at]!);
        at--;
      }
      if (count.ne(viewed, old, true)) return;
      if (dim > 0) {
        base = strides[dim - 1]!;
        [old, viewed] = [1, 1];
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
