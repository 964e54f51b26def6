/** @file Arithmetic on sizes that only takes names: each step is a node that nothing reads. */
import type { Namespace } from "@sconce/ir";
import * as symbolic from "@sconce/symbolic";
import { type IntLike, SymExpr } from "@sconce/symbolic";
import type { RetraceEnv } from "./retrace-env.js";

/** Names that are taken when a node with such a name is made: most are never asked for. */
export class TakenNames {
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
export interface Counted {
  readonly isSymbolic: boolean;
  /** Its value for the example inputs; undefined where only the data decide it. */
  readonly hint: number | undefined;
  readonly expr: () => IntLike;
}

const counted = (value: number): Counted => ({ isSymbolic: false, hint: value, expr: () => value });
export const [ZERO, ONE, MINUS_ONE] = [counted(0), counted(1), counted(-1)];

/**
 * Arithmetic on sizes, each step of which takes the name of a node where an operand is symbolic.
 */
export class CountedArithmetic {
  readonly #names: TakenNames;
  readonly #env: RetraceEnv;

  constructor(names: TakenNames, env: RetraceEnv) {
    this.#names = names;
    this.#env = env;
  }

  of(value: IntLike): Counted {
    if (!(value instanceof SymExpr)) return counted(value);
    return { isSymbolic: true, hint: this.#env.hint(value) as number | undefined, expr: () => value };
  }

  #count(name: string, a: Counted, b: Counted): boolean {
    const isSymbolic = a.isSymbolic || b.isSymbolic;
    if (isSymbolic) this.#names.take(name);
    return isSymbolic;
  }

  /** Steps whose results nothing looks at. */
  steps(name: string, times: number): void {
    this.#names.take(name, times);
  }

  /** Returns a product; one with the number 1 is the other factor. */
  mul(a: Counted, b: Counted): Counted {
    if (isOne(a)) return b;
    if (isOne(b)) return a;
    const isSymbolic = this.#count("mul", a, b);
    const hint = a.hint === undefined || b.hint === undefined ? undefined : a.hint * b.hint;
    return { isSymbolic, hint, expr: () => symbolic.mul(a.expr(), b.expr()) };
  }
  /** How many pieces of a size there are: `(whole + size - 1) // size`. */
  pieces(whole: Counted, size: Counted): void {
    for (const name of ["add", "sub", "floordiv"]) this.#count(name, whole, size);
  }

  /** Returns whether it is known that a number is negative, or that it is not. */
  hasSign(number: Counted): boolean {
    return (
      number.hint !== undefined || this.#env.staticallyKnown(symbolic.ge(number.expr(), 0)) !== undefined
    );
  }

  /** Returns the larger number. */
  max(a: Counted, b: Counted): Counted {
    const isSymbolic = this.#count("sym_max", a, b);
    const hint = a.hint === undefined || b.hint === undefined ? undefined : Math.max(a.hint, b.hint);
    return { isSymbolic, hint, expr: () => symbolic.symMax(a.expr(), b.expr()) };
  }

  /** Returns whether two numbers are equal; `otherwise` where that is not known. */
  eq(a: Counted, b: Counted, otherwise: boolean): boolean {
    this.#count("eq", a, b);
    return this.#isSame(a, b) ?? otherwise;
  }
  ne(a: Counted, b: Counted, otherwise: boolean): boolean {
    this.#count("ne", a, b);
    const isSame = this.#isSame(a, b);
    return isSame === undefined ? otherwise : !isSame;
  }
  /** Returns whether a number is less than another one. */
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
  le(a: Counted, b: Counted): void {
    this.#count("le", a, b);
  }

  sub(a: Counted, b: Counted): Counted {
    this.#count("sub", a, b);
    return this.of(symbolic.sub(a.expr(), b.expr()));
  }
  neg(a: Counted): Counted {
    const isSymbolic = this.#count("neg", a, a);
    return {
      isSymbolic,
      hint: a.hint === undefined ? undefined : -a.hint,
      expr: () => symbolic.neg(a.expr()),
    };
  }

  #isSame(a: Counted, b: Counted): boolean | undefined {
    if (a.hint !== undefined && b.hint !== undefined) return a.hint === b.hint;
    return this.#env.staticallyKnown(symbolic.eq(a.expr(), b.expr()));
  }
}

const isOne = ({ isSymbolic, hint }: Counted): boolean => !isSymbolic && hint === 1;
