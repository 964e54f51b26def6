/**
 * @file What PyTorch's references of elementwise operators ask of sizes (`torch/_refs`,
 * `torch/_prims_common`). An operator in place runs its reference on copies of its operands without
 * data before its write becomes a value, and each question takes a name.
 */
import type { FakeTensor } from "@sconce/ir";
import type { IntLike } from "@sconce/symbolic";
import { dtypeInfo } from "@sconce/tensor";
import { type Counted, type CountedArithmetic, ONE, ZERO } from "./counted-arithmetic.js";

/** The copy of an operand without data, or a result. */
export interface ReferenceTensor {
  /** Its sizes. */
  readonly shape: readonly Counted[];
  /** Its strides, in elements. */
  readonly strides: readonly Counted[];
  /** Bytes of an element. */
  readonly itemSize: number;
  /** The number of elements, once it is known. */
  numel: Counted | undefined;
}

const TWO: Counted = { isSymbolic: false, hint: 2, expr: () => 2 };
const isPlain = ({ isSymbolic }: Counted): boolean => !isSymbolic;
/** Returns whether example values show that a number is less than another one. */
const isKnownLess = (a: Counted, b: Counted): boolean =>
  a.hint !== undefined && b.hint !== undefined && a.hint < b.hint;

/** The questions of primitives and broadcasts, as references ask them. */
export class ReferenceArithmetic {
  readonly #count: CountedArithmetic;
  readonly #read: (size: IntLike) => Counted;

  constructor(count: CountedArithmetic, read: (size: IntLike) => Counted) {
    this.#count = count;
    this.#read = read;
  }

  /** Returns the copy of an operand. */
  of({ shape, strides, dtype }: FakeTensor): ReferenceTensor {
    const { itemSize } = dtypeInfo(dtype);
    return { shape: shape.map(this.#read), strides: strides.map(this.#read), itemSize, numel: undefined };
  }

  /** Returns a call of a primitive on tensors of one shape (`_prim_elementwise_meta`). */
  prim(tensors: readonly ReferenceTensor[], itemSize: number): ReferenceTensor {
    const [first] = tensors as readonly [ReferenceTensor];
    // Shapes are compared when they are checked, for the order of dimensions, and for the result.
    for (const { shape } of tensors) this.#compared(first.shape, shape, 3);
    return this.#empty(first.shape, this.#order(tensors), itemSize);
  }

  /** `sym_eq` of two shapes: each comparison is joined with those before. */
  #compared(shape: readonly Counted[], other: readonly Counted[], times: number): void {
    let isSymbolic = false;
    let [equalities, joins] = [0, 0];
    for (const [dim, size] of shape.entries()) {
      const isAsked = size.isSymbolic || other[dim]?.isSymbolic === true;
      if (isAsked) equalities++;
      isSymbolic ||= isAsked;
      if (isSymbolic) joins++;
    }
    this.#count.steps("eq", equalities * times);
    this.#count.steps("and_", joins * times);
  }

  /**
   * Returns the order of dimensions in memory
   * (`compute_elementwise_output_logical_to_physical_perm`).
   */
  #order(tensors: readonly ReferenceTensor[]): readonly number[] {
    const [{ shape }] = tensors as readonly [ReferenceTensor];
    const rank = shape.length;
    const inOrder = Array.from({ length: rank }, (_, dim) => dim);
    if (rank < 2) return inOrder;
    let [isContiguous, isChannelsLast] = [true, true];
    for (const tensor of tensors) {
      isContiguous &&= this.#isContiguous(tensor);
      isChannelsLast &&= this.#isChannelsLast(tensor);
    }
    if (isContiguous && !isChannelsLast) return inOrder;
    if (isChannelsLast && !isContiguous) return [0, ...inOrder.slice(2), 1];
    return this.#sorted(tensors);
  }

  #numel(tensor: ReferenceTensor): Counted {
    tensor.numel ??= tensor.shape.reduce((product, size) => this.#count.mul(product, size), ONE);
    return tensor.numel;
  }

  #isContiguous(tensor: ReferenceTensor): boolean {
    const numel = this.#numel(tensor);
    this.#count.lt(numel, TWO);
    return isKnownLess(numel, TWO) || this.#isDense(tensor);
  }

  /** `check_contiguous_sizes_strides` */
  #isDense({ shape, strides }: ReferenceTensor): boolean {
    const count = this.#count;
    let [expected, most] = [ONE, ONE];
    for (let dim = shape.length - 1; dim >= 0; dim--) {
      const [size, stride] = [shape[dim]!, strides[dim]!];
      if (count.eq(size, ONE, false)) continue;
      if (count.ne(stride, expected, true) && count.ne(stride, most, true)) return false;
      most = count.mul(most, count.max(size, ONE));
      expected = count.mul(expected, size);
    }
    return true;
  }

  #isChannelsLast({ shape, strides }: ReferenceTensor): boolean {
    if (shape.length !== 4) return false;
    const count = this.#count;
    let expected = ONE;
    for (const dim of [1, 3, 2, 0]) {
      if (count.eq(shape[dim]!, ONE, false)) continue;
      if (count.ne(strides[dim]!, expected, true)) return false;
      expected = count.mul(expected, shape[dim]!);
    }
    return true;
  }

  /** Dimensions by strides, as far as those of all tensors agree. */
  #sorted(tensors: readonly ReferenceTensor[]): readonly number[] {
    const order = [...tensors[0]!.shape.keys()].reverse();
    for (let i = 1; i < order.length; i++) {
      let at = i;
      for (let dim = i - 1; dim >= 0; dim--) {
        const comparison = this.#swaps(tensors, order[dim]!, order[at]!);
        if (comparison < 0) break;
        if (comparison === 0) continue;
        [order[dim], order[at]] = [order[at]!, order[dim]!];
        at = dim;
      }
    }
    return order.reverse();
  }

  #swaps(tensors: readonly ReferenceTensor[], a: number, b: number): number {
    const count = this.#count;
    const [{ shape }] = tensors as readonly [ReferenceTensor];
    for (const { strides } of tensors) {
      const [left, right] = [strides[a]!, strides[b]!];
      if (count.eq(left, ZERO, false) || count.eq(right, ZERO, false)) continue;
      if (count.eq(left, right, false)) {
        if (this.#isAtLeast(shape[b]!, shape[a]!)) continue;
        return 1;
      }
      if (this.#isAtLeast(right, left)) return -1;
      if (this.#isAtLeast(left, right)) return 1;
    }
    return 0;
  }

  #isAtLeast(a: Counted, b: Counted): boolean {
    const count = this.#count;
    if (count.eq(b, ZERO, false)) return true;
    if (count.eq(a, ZERO, false)) return false;
    count.ge(a, b);
    if (a.hint !== undefined && b.hint !== undefined && a.hint >= b.hint) return true;
    if (isPlain(a) && isPlain(b)) return false;
    count.steps("mod", 1);
    count.steps("eq", 1);
    return false;
  }

  /** Memory for a result (`empty_permuted`). */
  #empty(shape: readonly Counted[], order: readonly number[], itemSize: number): ReferenceTensor {
    const count = this.#count;
    const physical = order.map((dim) => shape[dim]!);
    for (const size of shape) count.ge(size, ZERO);
    const elements = physical.reduce((product, size) => count.mul(product, size), ONE);
    if (elements.isSymbolic) {
      count.steps("add", 1);
      if (itemSize !== 1) count.steps("mul", 1);
    }
    const strides = this.#stridesOf(physical);
    const placed = shape.map((_, dim) => strides[order.indexOf(dim)]!);
    return { shape, strides: placed, itemSize, numel: undefined };
  }

  /** Operands of one shape (`_maybe_broadcast`). */
  broadcast(tensors: readonly ReferenceTensor[]): readonly ReferenceTensor[] {
    const common = this.common(tensors.map(({ shape }) => shape));
    return tensors.map((tensor) =>
      this.#mustExpand(tensor.shape, common) ? this.expand(tensor, common) : tensor,
    );
  }

  /** The same where the calls that expand operands are traced. */
  aligned(shapes: readonly (readonly Counted[])[]): void {
    const common = this.common(shapes);
    for (const shape of shapes) this.#mustExpand(shape, common);
  }

  /** The order of dimensions that a result takes from tensors. */
  ordered(tensors: readonly ReferenceTensor[]): void {
    const [{ shape }] = tensors as readonly [ReferenceTensor];
    for (const one of tensors) this.#compared(shape, one.shape, 1);
    this.#order(tensors);
  }

  /** The strides of an elementwise result (`compute_elementwise_output_strides`). */
  strided(tensors: readonly ReferenceTensor[]): void {
    const [{ shape }] = tensors as readonly [ReferenceTensor];
    for (const one of tensors) this.#compared(shape, one.shape, 1);
    const order = this.#order(tensors);
    for (const size of shape) this.#count.ge(size, ZERO);
    const physical = order.map((dim) => shape[dim]!);
    const last = this.#stridesOf(physical)[0] ?? ONE;
    // The product is computed with the first size, too.
    if (physical[0] !== undefined) this.#count.mul(this.#count.max(physical[0], ONE), last);
  }

  #stridesOf(physical: readonly Counted[]): readonly Counted[] {
    let stride = ONE;
    const strides = physical.map(() => ONE);
    for (let at = physical.length - 2; at >= 0; at--) {
      stride = this.#count.mul(this.#count.max(physical[at + 1]!, ONE), stride);
      strides[at] = stride;
    }
    return strides;
  }

  /** Returns the shape that shapes are broadcast to (`_broadcast_shapes`). */
  common(shapes: readonly (readonly Counted[])[]): readonly Counted[] {
    const count = this.#count;
    const common = Array.from({ length: Math.max(...shapes.map((shape) => shape.length)) }, () => ONE);
    for (const shape of shapes)
      for (let dim = shape.length - 1; dim >= 0; dim--) {
        const at = common.length - shape.length + dim;
        const size = shape[dim]!;
        if (count.eq(size, common[at]!, false)) continue;
        if (count.eq(common[at]!, ONE, false)) {
          count.lt(size, ZERO);
          common[at] = size;
        }
        if (!count.eq(size, ONE, false)) count.eq(common[at]!, size, false);
      }
    return common;
  }

  #mustExpand(shape: readonly Counted[], common: readonly Counted[]): boolean {
    if (shape.length !== common.length) return true;
    const count = this.#count;
    for (const [dim, size] of shape.entries()) {
      const other = common[dim]!;
      if (count.ne(size, other, false)) return true;
      const isOne = this.#eitherIsOne(size, other, "and_");
      if (!isOne && this.#eitherIsOne(size, other, "or_")) return true;
      count.eq(size, other, false);
    }
    return false;
  }

  #eitherIsOne(a: Counted, b: Counted, join: "and_" | "or_"): boolean {
    const [first, second] = [this.#count.eq(a, ONE, false), this.#count.eq(b, ONE, false)];
    if (a.isSymbolic || b.isSymbolic) this.#count.steps(join, 1);
    return join === "and_" ? first && second : first || second;
  }

  /** `expand` in `torch/_refs` */
  expand(tensor: ReferenceTensor, shape: readonly Counted[]): ReferenceTensor {
    const count = this.#count;
    const added = shape.length - tensor.shape.length;
    const isWanted = (size: Counted, wanted: Counted): void => {
      count.eq(size, ONE, false);
      count.eq(wanted, size, false);
      if (size.isSymbolic || wanted.isSymbolic) count.steps("or_", 1);
    };
    for (const [dim, size] of tensor.shape.entries()) {
      const wanted = shape[added + dim]!;
      count.eq(wanted, ZERO, false);
      isWanted(size, wanted);
      count.ge(wanted, ZERO);
    }
    for (const size of shape) count.ge(size, ZERO);
    for (const [dim, size] of tensor.shape.entries()) isWanted(size, shape[added + dim]!);
    const strides = shape.map((wanted, at) => {
      const [size, stride] = [tensor.shape[at - added], tensor.strides[at - added]];
      if (size === undefined || stride === undefined) {
        count.ne(wanted, ONE, true);
        return ZERO;
      }
      const isRepeated = count.eq(size, ONE, false) && !count.eq(size, wanted, false);
      if (isRepeated) return ZERO;
      if (size.hint !== 1) count.eq(size, wanted, false);
      return stride;
    });
    return { shape, strides, itemSize: tensor.itemSize, numel: undefined };
  }

  /** Whether operands are broadcast to the shape of the one that is written to. */
  fits(self: ReferenceTensor, others: readonly ReferenceTensor[]): void {
    const common = this.common([self, ...others].map(({ shape }) => shape));
    for (const [dim, size] of self.shape.entries()) this.#count.eq(common[dim] ?? size, size, true);
  }

  /** A result is written to the operand (`out_wrapper`). */
  written(self: ReferenceTensor, result: ReferenceTensor): void {
    for (const [dim, size] of self.shape.entries()) this.#count.ne(size, result.shape[dim] ?? size, false);
    this.copied(self, result);
  }

  /** `copy_` of a tensor to the operand. */
  copied(self: ReferenceTensor, source: ReferenceTensor): void {
    this.#overlaps(self);
    this.expand(source, self.shape);
  }

  /** Whether elements share memory (`SymbolicShapeMeta`). */
  #overlaps(self: ReferenceTensor): void {
    const count = this.#count;
    if (![...self.shape, ...self.strides].some(({ isSymbolic }) => isSymbolic)) return;
    if (count.eq(this.#numel(self), ZERO, false) || this.#isDense(self)) return;
    this.#condition(self);
    count.eq(this.#numel(self), ZERO, false);
    this.#isDense(self);
    if (this.#isPermuted(self)) return;
    for (const [dim, size] of self.shape.entries()) {
      count.gt(size, ONE);
      if (!isKnownLess(size, TWO) && count.eq(self.strides[dim]!, ZERO, false)) return;
    }
  }

  /** Whether it is contiguous, as one expression. */
  #condition(self: ReferenceTensor): void {
    const count = this.#count;
    let [expected, isSymbolic] = [ONE, false];
    count.eq(this.#numel(self), ZERO, false);
    for (let dim = self.shape.length - 1; dim >= 0; dim--) {
      const [size, stride] = [self.shape[dim]!, self.strides[dim]!];
      count.eq(size, ONE, false);
      count.eq(stride, expected, false);
      const isAsked = [size, stride, expected].some((one) => one.isSymbolic);
      isSymbolic ||= isAsked;
      if (isAsked) count.steps("or_", 1);
      if (isSymbolic) count.steps("and_", 1);
      expected = count.mul(expected, size);
    }
    count.steps("or_", 1);
  }

  /**
   * Returns whether it is contiguous in another order of dimensions: they are sorted by strides.
   */
  #isPermuted({ shape, strides }: ReferenceTensor): boolean {
    const count = this.#count;
    const isBefore = (a: number, b: number): boolean => {
      count.lt(shape[a]!, TWO);
      if (isKnownLess(shape[a]!, TWO)) return false;
      count.lt(shape[b]!, TWO);
      if (isKnownLess(shape[b]!, TWO)) return true;
      count.lt(strides[a]!, strides[b]!);
      return isKnownLess(strides[a]!, strides[b]!);
    };
    const order = [...shape.keys()];
    for (let i = 1; i < order.length; i++) {
      const value = order[i]!;
      if (isBefore(value, order[0]!)) {
        order.splice(i, 1);
        order.unshift(value);
        continue;
      }
      let at = i;
      for (; isBefore(value, order[at - 1]!); at--) order[at] = order[at - 1]!;
      order[at] = value;
    }
    let expected = ONE;
    for (const dim of order) {
      count.lt(shape[dim]!, TWO);
      if (isKnownLess(shape[dim]!, TWO)) return true;
      if (count.ne(strides[dim]!, expected, true)) return false;
      expected = count.mul(expected, shape[dim]!);
    }
    return true;
  }
}
