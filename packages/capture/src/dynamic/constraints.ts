/** @file What a specification demands of single sizes (`_process_dynamic_shapes`). */
import type { ValueRange } from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import { dimSpecs } from "./check-shapes.js";
import { isDerived, isNamedDim, linearText, type NamedDim, rootValue } from "./dim.js";
import { isDimHint } from "./dim-hint.js";
import { constraintViolation } from "./errors.js";
import type { InputLeaf } from "./leaves.js";

/** A dimension of an input. */
export interface Target {
  readonly tensor: Tensor;
  readonly dim: number;
}

/** The root of derived dims that is not itself the size of an input. */
export interface PhantomRoot {
  readonly name: string;
  readonly range: ValueRange;
  /** What the example inputs make it. */
  readonly value: number;
}

/** What is demanded of one dimension. */
export type Constraint = Target &
  (
    | { readonly kind: "named"; readonly name: string; readonly range: ValueRange }
    | {
        readonly kind: "derived";
        readonly name: string;
        readonly range: ValueRange;
        readonly dimension: NamedDim;
        root: Target | PhantomRoot;
      }
    /** A hint: relations and the range are inferred. */
    | { readonly kind: "relaxed" }
  );

/** Returns whether a root is the size of no input. */
export const isPhantom = (root: Target | PhantomRoot): root is PhantomRoot => "value" in root;

/** The constraints of a specification, and which dimensions are marked how. */
export interface Constraints {
  readonly all: readonly Constraint[];
  readonly marks: ReadonlyMap<Tensor, ReadonlyMap<number, "AUTO" | "DYNAMIC" | "STATIC">>;
}

const staticRange = (value: number): ValueRange => ({ min: value, max: value });

/**
 * Reads the specification of each leaf.
 *
 * @throws SconceError `CONSTRAINT_VIOLATION` for an example size that is not of a derived dim's
 * form
 */
export function readConstraints(leaves: readonly InputLeaf[]): Constraints {
  const reader = new ConstraintReader();
  for (const { value, spec } of leaves) if (value instanceof Tensor) reader.read(value, spec);
  return reader.result();
}

class ConstraintReader {
  readonly #marks = new Map<Tensor, Map<number, "AUTO" | "DYNAMIC" | "STATIC">>();
  readonly #named = new Map<string, Constraint[]>();
  readonly #relaxed: Constraint[] = [];
  readonly #phantoms = new Map<string, PhantomRoot>();
  readonly #derived: (Constraint & { kind: "derived" })[] = [];

  read(tensor: Tensor, spec: unknown): void {
    const marks = new Map<number, "AUTO" | "DYNAMIC" | "STATIC">();
    this.#marks.set(tensor, marks);
    for (const [dim, given] of dimSpecs(spec, tensor.shape.length)) {
      if (isDimHint(given)) {
        marks.set(dim, given.kind);
        this.#relaxed.push({ kind: "relaxed", tensor, dim });
      } else if (given === null || given === undefined) marks.set(dim, "STATIC");
      else this.#add(this.#constraint(given, tensor, dim));
    }
  }

  #add(constraint: Constraint & { readonly name: string }): void {
    const list = this.#named.get(constraint.name);
    if (list === undefined) this.#named.set(constraint.name, [constraint]);
    else list.push(constraint);
  }

  #constraint(given: number | NamedDim, tensor: Tensor, dim: number): Constraint & { readonly name: string } {
    if (!isNamedDim(given))
      return { kind: "named", tensor, dim, name: String(given), range: staticRange(given) };
    const range = { min: given.min, max: given.max };
    if (!isDerived(given)) return { kind: "named", tensor, dim, name: given.name, range };
    const root = this.#named.get(given.root.name)?.[0] ?? this.#phantom(given, tensor, dim);
    const constraint = { kind: "derived" as const, tensor, dim, name: given.name, range, dimension: given };
    const whole = Object.assign(constraint, { root });
    if (isPhantom(root)) this.#derived.push(whole);
    return whole;
  }

  #phantom(given: NamedDim, tensor: Tensor, dim: number): PhantomRoot {
    const known = this.#phantoms.get(given.root.name);
    if (known !== undefined) return known;
    const size = tensor.shape[dim];
    const value = size === undefined ? undefined : rootValue(given, size);
    if (value === undefined) {
      const { name } = given.root;
      const form = linearText(name, given.factor, given.offset);
      throw constraintViolation(
        `Expected shape[${dim}] = ${String(size)} of input Tensor to be of the form ${form}, where ${name} is an integer`,
        `pass an example input whose size ${dim} is ${form} for an integer ${name}`,
      );
    }
    const { name, min, max } = given.root;
    const phantom = { name, range: { min, max }, value };
    this.#phantoms.set(name, phantom);
    return phantom;
  }

  result(): Constraints {
    for (const constraint of this.#derived) {
      const target = this.#named.get((constraint.root as PhantomRoot).name)?.[0];
      if (target !== undefined) constraint.root = target;
    }
    return { all: [...this.#relaxed, ...[...this.#named.values()].flat()], marks: this.#marks };
  }
}
