/**
 * @file Rewrites scalars and indices: substitutes sizes and axes, and keeps shared objects shared.
 */
import { type Bindings, evaluateInt } from "@sconce/symbolic";
import { folded } from "./fold.js";
import {
  type Axis,
  add,
  atom,
  axis,
  constant,
  divide,
  fixedValue,
  type Index,
  type IndexAtom,
  multiply,
  remainder,
} from "./index-expr.js";
import { constantScalar, FALSE, type ReduceScalar, type Scalar, select, TRUE } from "./scalar.js";
import { scalarText } from "./scalar-text.js";
import { exactIndex } from "./wide-index.js";

/** What a rewriter replaces. */
export interface RewriteInit {
  /** Values for all symbols in sizes. */
  readonly sizes?: Bindings | undefined;
  /** What axes become; others stay. */
  readonly axes?: ReadonlyMap<string, Index> | undefined;
  /** What scalars become, in place of being rewritten. */
  readonly scalars?: ReadonlyMap<Scalar, Scalar> | undefined;
  /** What reductions become once their parts are rewritten. */
  readonly reduce?: ((scalar: ReduceScalar) => Scalar) | undefined;
}

/** Rewrites the scalars of one nest. */
export class Rewriter {
  readonly #sizes: Bindings | undefined;
  readonly #axes: ReadonlyMap<string, Index>;
  readonly #becomes: (scalar: ReduceScalar) => Scalar;
  readonly #done: Map<Scalar, Scalar>;
  readonly #indices = new Map<Index, Index>();
  readonly #extents = new Map<string, Axis>();

  constructor({ sizes, axes = new Map(), scalars = new Map(), reduce = (it) => it }: RewriteInit) {
    this.#sizes = sizes;
    this.#becomes = reduce;
    this.#axes = axes;
    this.#done = new Map(scalars);
  }

  /** Returns the axis with its extent rewritten; the same object for each name. */
  axis({ name, extent }: Axis): Axis {
    let made = this.#extents.get(name);
    if (made === undefined) {
      made = axis(name, this.index(extent));
      this.#extents.set(name, made);
    }
    return made;
  }

  /** Returns an index with everything in it replaced. */
  index(index: Index): Index {
    if (index.terms.length === 0) return index;
    let made = this.#indices.get(index);
    if (made === undefined) {
      made = this.#rebuild(index);
      this.#indices.set(index, made);
    }
    return made;
  }
  #rebuild(index: Index): Index {
    const terms = index.terms.map(({ coefficient, atoms }) =>
      atoms.reduce((factor, item) => multiply(factor, this.#atom(item)), constant(coefficient)),
    );
    return add(constant(index.constant), ...terms);
  }
  #atom(item: IndexAtom): Index {
    switch (item.kind) {
      case "axis":
        return this.#axes.get(item.name) ?? atom(this.axis(item));
      case "size":
        return this.#sizes === undefined ? atom(item) : constant(evaluateInt(item.expr, this.#sizes));
      case "quotient":
        return divide(this.index(item.numerator), this.index(item.denominator));
      case "remainder":
        return remainder(this.index(item.numerator), this.index(item.denominator));
      case "value": {
        const scalar = this.scalar(item.scalar);
        return atom({ kind: "value", scalar, key: `[${scalarText(scalar)}]`, bound: this.index(item.bound) });
      }
    }
  }

  /** Returns a scalar with everything in it replaced. */
  scalar(scalar: Scalar): Scalar {
    let made = this.#done.get(scalar);
    if (made === undefined) {
      made = this.#rewritten(scalar);
      this.#done.set(scalar, made);
    }
    return made;
  }
  #rewritten(scalar: Scalar): Scalar {
    switch (scalar.kind) {
      case "constant":
        return scalar;
      case "index":
        return this.#sizes === undefined
          ? { ...scalar, index: this.index(scalar.index) }
          : exactIndex(this.index(scalar.index));
      case "load":
        return { ...scalar, index: this.index(scalar.index) };
      case "call":
        return folded({ ...scalar, args: scalar.args.map((arg) => this.scalar(arg)) });
      case "cast":
        return { ...scalar, value: this.scalar(scalar.value) };
      case "select":
        return select(this.scalar(scalar.condition), this.scalar(scalar.then), this.scalar(scalar.otherwise));
      case "reduce":
        return this.#reduce(scalar);
    }
  }
  #reduce(scalar: ReduceScalar): Scalar {
    const part = (one: Scalar | undefined): Scalar | undefined => one && this.scalar(one);
    const axes = scalar.axes.map((one) => this.axis(one));
    const [when, initial] = [part(scalar.when), part(scalar.initial)];
    // The sizes of a nest without elements may be invalid: quotients by an extent of zero.
    const isNever = when === FALSE || axes.some(isEmpty);
    if (isNever && scalar.reduce === "sum") return initial ?? constantScalar(0, scalar.dtype);
    const body = isNever ? constantScalar(0, scalar.body.dtype) : this.scalar(scalar.body);
    return this.#becomes({ ...scalar, axes, body, when: when === TRUE ? undefined : when, initial });
  }
}

export const isEmpty = ({ extent }: Axis): boolean => fixedValue(extent) === 0;
