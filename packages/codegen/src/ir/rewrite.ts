/**
 * @file Rewrites scalars and indices: substitutes sizes and axes, and keeps shared objects shared.
 */
import { type Bindings, evaluateInt } from "@sconce/symbolic";
import { folded } from "./fold.js";
import { FreeAxes } from "./free-axes.js";
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
  /** What axes become; others stay, and so do axes of reductions that have the same names. */
  readonly axes?: ReadonlyMap<string, Index> | undefined;
  /**
   * What the axes of a reduction become inside of it: the same object for the same axes. The
   * reduction itself keeps them.
   */
  readonly ownAxes?: ((scalar: ReduceScalar) => ReadonlyMap<string, Index> | undefined) | undefined;
  /** What scalars become, in place of being rewritten. */
  readonly scalars?: ReadonlyMap<Scalar, Scalar> | undefined;
  /** What reductions become once their parts are rewritten. */
  readonly reduce?: ((scalar: ReduceScalar) => Scalar) | undefined;
}

const NO_AXES: ReadonlyMap<string, Index> = new Map();
const none = (): undefined => undefined;

/** Rewrites the scalars of one nest. */
export class Rewriter {
  readonly #sizes: Bindings | undefined;
  readonly #axes: ReadonlyMap<string, Index>;
  readonly #becomes: (scalar: ReduceScalar) => Scalar;
  readonly #done: Map<Scalar, Scalar>;
  readonly #indices = new Map<Index, Index>();
  readonly #extents = new Map<string, Axis>();
  readonly #init: RewriteInit;
  readonly #ownAxes: NonNullable<RewriteInit["ownAxes"]>;
  /**
   * Rewriters inside of reductions, by the places of their own axes and the names that they hide.
   */
  readonly #inside = new Map<ReadonlyMap<string, Index>, Map<string, Rewriter>>();
  /** Scalars without these axes are the same outside of a reduction as in it. */
  #outside: { readonly rewriter: Rewriter; readonly axes: ReadonlySet<string> } | undefined;
  #free = new FreeAxes();

  constructor(init: RewriteInit) {
    const { sizes, axes = NO_AXES, scalars = new Map(), reduce = (it) => it, ownAxes = none } = init;
    this.#init = init;
    this.#ownAxes = ownAxes;
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
    const outside = this.#outside;
    if (outside !== undefined && isDisjoint(this.#free.of(scalar), outside.axes))
      return outside.rewriter.scalar(scalar);
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
    const own = this.#ownAxes(scalar);
    const hidden = scalar.axes.map(({ name }) => name).filter((name) => this.#axes.has(name));
    const isAsOutside = own === undefined && hidden.length === 0;
    return isAsOutside ? this.#reduceParts(scalar) : this.#insideOf(hidden, own).#reduceParts(scalar);
  }

  /**
   * Returns the rewriter inside of a reduction.
   *
   * @param hidden names of its axes that mean others outside
   * @param own what its axes become
   */
  #insideOf(hidden: readonly string[], own: ReadonlyMap<string, Index> = NO_AXES): Rewriter {
    const made = this.#inside.get(own) ?? new Map<string, Rewriter>();
    this.#inside.set(own, made);
    const key = hidden.join(" ");
    let rewriter = made.get(key);
    if (rewriter === undefined) {
      const axes = new Map([...this.#axes].filter(([name]) => !hidden.includes(name)));
      for (const [name, index] of own) axes.set(name, index);
      rewriter = new Rewriter({ ...this.#init, axes });
      rewriter.#outside = { rewriter: this, axes: new Set([...hidden, ...own.keys()]) };
      rewriter.#free = this.#free;
      made.set(key, rewriter);
    }
    return rewriter;
  }

  #reduceParts(scalar: ReduceScalar): Scalar {
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

function isDisjoint(names: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  for (const name of names) if (others.has(name)) return false;
  return true;
}

export const isEmpty = ({ extent }: Axis): boolean => fixedValue(extent) === 0;
