/** @file Compiles scalars and indices to closures: the reference emitter. */
import { internalError } from "@sconce/errors";
import { type Bindings, evaluateInt } from "@sconce/symbolic";
import { type DType, elementReader, isFloatDType, type TypedArray, valueTable } from "@sconce/tensor";
import type { Index, IndexAtom } from "../ir/index-expr.js";
import { partsOf, type ReduceScalar, type Scalar } from "../ir/scalar.js";
import { forEachScalar } from "../ir/traverse.js";
import { converterOf, type Element, functionOf } from "./functions.js";
import { foldOf } from "./reduce.js";
import { roundingOf } from "./rounding.js";

/** What closures read: values of axes by slot. */
export interface Scope {
  readonly axes: number[];
  /** Grows whenever an axis moves on: what was computed before may be another value now. */
  time: number;
}
type Read = () => Element;
type ReadIndex = () => number;

/** Makes closures for one nest, for fixed sizes. */
export class ScalarCompiler {
  readonly #scope: Scope;
  readonly #slots: Map<string, number>;
  #shared: ReadonlySet<Scalar> = new Set();
  readonly #remembered = new Map<Scalar, Read>();
  readonly #data: readonly { readonly dtype: DType; readonly data: TypedArray }[];
  readonly #sizes: Bindings;

  constructor(
    data: readonly { readonly dtype: DType; readonly data: TypedArray }[],
    sizes: Bindings,
    scope: Scope,
  ) {
    this.#data = data;
    this.#sizes = sizes;
    this.#scope = scope;
    this.#slots = new Map();
  }

  /** The slot of an axis in the scope. */
  slot(name: string): number {
    let slot = this.#slots.get(name);
    if (slot === undefined) {
      slot = this.#slots.size;
      this.#slots.set(name, slot);
    }
    return slot;
  }

  index(index: Index): ReadIndex {
    const terms = index.terms.map(({ coefficient, atoms }) => {
      const factors = atoms.map((item) => this.#atom(item));
      return factors.length === 1
        ? () => coefficient * factors[0]!()
        : () => factors.reduce((value, factor) => value * factor(), coefficient);
    });
    return () => {
      let total = index.constant;
      for (const term of terms) total += term();
      return total;
    };
  }

  #atom(item: IndexAtom): ReadIndex {
    switch (item.kind) {
      case "axis": {
        const { axes } = this.#scope;
        const slot = this.slot(item.name);
        return () => axes[slot]!;
      }
      case "size": {
        const value = evaluateInt(item.expr, this.#sizes);
        return () => value;
      }
      case "value": {
        const read = this.scalar(item.scalar);
        return () => Number(read());
      }
      default: {
        const [numerator, denominator] = [this.index(item.numerator), this.index(item.denominator)];
        if (item.kind === "quotient") return () => Math.floor(numerator() / denominator());
        return () => {
          const by = denominator();
          const rest = numerator() % by;
          return rest < 0 ? rest + by : rest;
        };
      }
    }
  }

  /**
   * What computes a nest's value; what several expressions share is computed once for each place of
   * the axes.
   */
  element(root: Scalar): Read {
    const shared = new Set<Scalar>();
    const seen = new Set<Scalar>();
    forEachScalar(root, (scalar) => {
      for (const part of partsOf(scalar)) (seen.has(part) ? shared : seen).add(part);
    });
    this.#shared = shared;
    return this.scalar(root);
  }

  scalar(scalar: Scalar): Read {
    if (!this.#shared.has(scalar) || partsOf(scalar).length === 0) return this.#compile(scalar);
    let read = this.#remembered.get(scalar);
    if (read === undefined) {
      read = this.#remember(this.#compile(scalar));
      this.#remembered.set(scalar, read);
    }
    return read;
  }
  #remember(read: Read): Read {
    const scope = this.#scope;
    let [value, time] = [undefined as Element | undefined, -1];
    return () => {
      if (time !== scope.time) value = read();
      time = scope.time;
      return value as Element;
    };
  }

  #compile(scalar: Scalar): Read {
    switch (scalar.kind) {
      case "constant": {
        const { value, dtype } = scalar;
        const fixed =
          typeof value === "number" && (dtype === "int64" || dtype === "uint64")
            ? BigInt(value)
            : typeof value === "number" && isFloatDType(dtype)
              ? roundingOf(dtype)(value)
              : value;
        return () => fixed;
      }
      case "index": {
        const read = this.index(scalar.index);
        return () => BigInt(read());
      }
      case "load": {
        const { dtype, data } = this.#data[scalar.buffer]!;
        const table = valueTable(dtype);
        const read =
          table === undefined ? elementReader(dtype, data) : (at: number) => table[data[at] as number]!;
        const at = this.index(scalar.index);
        return () => read(at()) as Element;
      }
      case "cast": {
        const read = this.scalar(scalar.value);
        const convert = converterOf(scalar.value.dtype, scalar.dtype, roundingOf(scalar.dtype));
        return () => convert(read());
      }
      case "select": {
        const [condition, then, otherwise] = [scalar.condition, scalar.then, scalar.otherwise].map((part) =>
          this.scalar(part),
        ) as [Read, Read, Read];
        return () => (condition() ? then() : otherwise());
      }
      case "call": {
        const operand = scalar.args[0]!.dtype;
        const fn = functionOf(scalar.fn, operand, scalar.dtype);
        if (fn === undefined) throw internalError(`no function ${scalar.fn} of ${operand}`);
        const [a, b = () => false] = scalar.args.map((arg) => this.scalar(arg)) as [Read, Read?];
        if (scalar.args.length === 1) return () => fn(a(), undefined as never);
        return () => fn(a(), b());
      }
      case "reduce":
        return this.#reduce(scalar);
    }
  }

  #reduce(scalar: ReduceScalar): Read {
    const scope = this.#scope;
    const { axes } = scope;
    const slots = scalar.axes.map(({ name }) => this.slot(name));
    const extents = scalar.axes.map(({ extent }) => this.index(extent));
    const body = this.scalar(scalar.body);
    const when = scalar.when === undefined ? undefined : this.scalar(scalar.when);
    const initial = scalar.initial === undefined ? undefined : this.scalar(scalar.initial);
    const makeFold = foldOf(scalar);
    return () => {
      const fold = makeFold(initial?.());
      const limits = extents.map((extent) => extent());
      const walk = (depth: number, place: number): void => {
        if (depth === slots.length) {
          if (when === undefined || when()) fold.take(body(), place);
          return;
        }
        for (let i = 0; i < limits[depth]!; i++) {
          axes[slots[depth]!] = i;
          scope.time++;
          walk(depth + 1, place * limits[depth]! + i);
        }
      };
      walk(0, 0);
      return fold.result();
    };
  }
}
