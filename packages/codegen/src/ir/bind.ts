/** @file Nests for fixed sizes: symbols become numbers, and what divides exactly then cancels. */
import { type Bindings, evaluateInt } from "@sconce/symbolic";
import { scalarText } from "../text/scalar-text.js";
import {
  type Axis,
  add,
  atom,
  axis,
  constant,
  divide,
  forEachAtom,
  type Index,
  multiply,
  remainder,
} from "./index-expr.js";
import type { LoopNest } from "./loop-program.js";
import { type ReduceScalar, type Scalar, select } from "./scalar.js";
import { forEachScalar, indicesOf } from "./traverse.js";

/** The nest with numbers in place of sizes; parts that are shared stay shared. */
export function bindNest(nest: LoopNest, sizes: Bindings): LoopNest {
  const binder = new Binder(sizes);
  return { ...nest, axes: nest.axes.map((one) => binder.axis(one)), value: binder.scalar(nest.value) };
}
/** The index with numbers in place of sizes. */
export const bindIndex = (index: Index, sizes: Bindings): Index => new Binder(sizes).index(index);
/** Whether a nest has sizes that are known only when the program runs. */
export function hasSizes({ axes, value }: LoopNest): boolean {
  let found = false;
  const look = (index: Index): void =>
    forEachAtom(index, (item) => {
      found ||= item.kind === "size";
    });
  for (const { extent } of axes) look(extent);
  forEachScalar(value, (scalar) => {
    for (const index of indicesOf(scalar)) look(index);
    if (scalar.kind === "reduce") for (const { extent } of scalar.axes) look(extent);
  });
  return found;
}
/** A copy of a scalar with its axes replaced by indices. */
export const substituteAxes = (scalar: Scalar, axes: ReadonlyMap<string, Index>): Scalar =>
  new Binder(undefined, axes).scalar(scalar);

class Binder {
  /** Left as they are where there are none. */
  readonly #sizes: Bindings | undefined;
  readonly #axes: ReadonlyMap<string, Index>;
  readonly #scalars = new Map<Scalar, Scalar>();
  readonly #indices = new Map<Index, Index>();
  readonly #extents = new Map<string, Axis>();

  constructor(sizes: Bindings | undefined, axes: ReadonlyMap<string, Index> = new Map()) {
    this.#sizes = sizes;
    this.#axes = axes;
  }

  axis({ name, extent }: Axis): Axis {
    let known = this.#extents.get(name);
    if (known === undefined) {
      known = axis(name, this.index(extent));
      this.#extents.set(name, known);
    }
    return known;
  }

  index(index: Index): Index {
    if (index.terms.length === 0) return index;
    let bound = this.#indices.get(index);
    if (bound === undefined) {
      bound = this.#bind(index);
      this.#indices.set(index, bound);
    }
    return bound;
  }

  #bind(index: Index): Index {
    const terms = index.terms.map(({ coefficient, atoms }) =>
      atoms.reduce((product, item) => multiply(product, this.#atom(item)), constant(coefficient)),
    );
    return add(...terms, constant(index.constant));
  }

  #atom(item: Index["terms"][number]["atoms"][number]): Index {
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

  scalar(scalar: Scalar): Scalar {
    let bound = this.#scalars.get(scalar);
    if (bound === undefined) {
      bound = this.#copy(scalar);
      this.#scalars.set(scalar, bound);
    }
    return bound;
  }

  #copy(scalar: Scalar): Scalar {
    const of = (part: Scalar): Scalar => this.scalar(part);
    switch (scalar.kind) {
      case "constant":
        return scalar;
      case "index":
      case "load":
        return { ...scalar, index: this.index(scalar.index) };
      case "cast":
        return { ...scalar, value: of(scalar.value) };
      case "call":
        return { ...scalar, args: scalar.args.map(of) };
      case "select": {
        return select(of(scalar.condition), of(scalar.then), of(scalar.otherwise));
      }
      case "reduce":
        return this.#reduce(scalar);
    }
  }
  #reduce(scalar: ReduceScalar): Scalar {
    const { axes, body, when, initial } = scalar;
    return {
      ...scalar,
      axes: axes.map((one) => this.axis(one)),
      body: this.scalar(body),
      when: when && this.scalar(when),
      initial: initial && this.scalar(initial),
    };
  }
}
