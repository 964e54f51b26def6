/** @file Solves what a program requires for single sizes (`DimConstraints`). */
import {
  type BoolLike,
  type Congruence,
  freeSymbols,
  type IntLike,
  joinCongruences,
  mul,
  SymExpr,
  solveUnivariate,
  sub,
  substitute,
  symbol,
  withoutDivisions,
} from "@sconce/symbolic";
import type { SizeSource } from "./equalities.js";

/** What a size has to be: a number or a formula, or within bounds. */
export interface SizeResult {
  readonly source: SizeSource;
  readonly equal?: IntLike | undefined;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

/** Heads that the solver takes; conditions with others are left as they are. */
const SUPPORTED: ReadonlySet<string> = new Set([
  "Add",
  "Mul",
  "Pow",
  "FloorDiv",
  "Mod",
  "PythonMod",
  "Integer",
  "Rational",
  "Symbol",
  "Equality",
  "StrictLessThan",
  "LessThan",
  "StrictGreaterThan",
  "GreaterThan",
]);
const isSupported = (e: SymExpr): boolean => SUPPORTED.has(e.op) && e.args.every(isSupported);

/** Collects conditions, and solves those of one symbol. */
export class DimConstraints {
  /** Symbols of sizes with a declared range. */
  readonly marked = new Set<string>();
  readonly #hints: ReadonlyMap<string, number>;
  readonly #sourceOf: (symbol: string) => SizeSource;
  /** The name of a new root for a size that must be a multiple; undefined if it has no name. */
  readonly #rootFor: (source: SizeSource) => string | undefined;
  readonly #univariate = new Map<string, Map<string, SymExpr>>();
  readonly #withEqualities = new Set<string>();
  readonly #congruences = new Map<string, Map<string, Congruence | undefined>>();
  readonly #symbols = new Map<string, SymExpr>();
  readonly #substitutions = new Map<string, number>();
  #multivariate = new Map<string, SymExpr>();
  readonly #equivalences: { readonly source: SizeSource; readonly expr: IntLike }[] = [];
  readonly #results: SizeResult[] = [];

  constructor(
    hints: ReadonlyMap<string, number>,
    sourceOf: (symbol: string) => SizeSource,
    rootFor: (source: SizeSource) => string | undefined,
  ) {
    this.#hints = hints;
    this.#sourceOf = sourceOf;
    this.#rootFor = rootFor;
  }

  /** Adds a condition; returns whether it says nothing. */
  add(condition: BoolLike): boolean {
    if (typeof condition === "boolean") return condition;
    if (!isSupported(condition)) return false;
    const free = [...freeSymbols(condition).values()];
    const only = free[0];
    if (only === undefined) return false;
    if (free.length > 1) {
      this.#multivariate.set(condition.key, condition);
      return false;
    }
    return this.#addUnivariate(condition, only);
  }

  #addUnivariate(condition: SymExpr, s: SymExpr): boolean {
    this.#symbols.set(s.name, s);
    const { value, congruences } = withoutDivisions(condition as IntLike, this.#hints);
    const known = this.#congruences.get(s.name) ?? new Map<string, Congruence | undefined>();
    this.#congruences.set(s.name, known);
    const count = known.size;
    for (const { key, solution } of congruences) known.set(key, solution);
    if (!(value instanceof SymExpr)) return count === known.size;
    if (value.op === "Equality") this.#withEqualities.add(s.name);
    const list = this.#univariate.get(s.name) ?? new Map<string, SymExpr>();
    this.#univariate.set(s.name, list.set(value.key, value));
    return false;
  }

  /** Adds the form that an input's size has taken. */
  addEquality(source: SizeSource, expr: IntLike): void {
    if (typeof expr === "number") this.#results.push({ source, equal: expr });
    else this.#equivalences.push({ source, expr });
  }

  /** Solves everything that was added. */
  solve(): readonly SizeResult[] {
    for (const name of this.#withEqualities) this.#specialize(name);
    for (const [name, congruences] of this.#congruences) this.#solveCongruences(name, congruences);
    for (const [name, conditions] of this.#univariate) this.#solveRange(name, [...conditions.values()]);
    const values = new Map<string, IntLike>(this.#substitutions);
    for (const { source, expr } of this.#equivalences)
      this.#results.push({ source, equal: substitute(expr, values) as IntLike });
    return this.#results;
  }

  /** Symbols that can have one value only, and that value. */
  get specialized(): ReadonlyMap<string, number> {
    return this.#substitutions;
  }

  #solution(name: string, conditions: readonly SymExpr[]): { readonly min: number; readonly max: number } {
    return solveUnivariate(conditions, this.#symbols.get(name)!, this.#hints.get(name)!);
  }

  #specialize(name: string): void {
    const conditions = [...(this.#univariate.get(name)?.values() ?? [])];
    this.#univariate.delete(name);
    const { min } = this.#solution(
      name,
      conditions.filter((e) => e.op === "Equality"),
    );
    this.#results.push({ source: this.#sourceOf(name), equal: min });
    this.#substitutions.set(name, min);
    const others = this.#multivariate;
    this.#multivariate = new Map();
    for (const condition of others.values())
      this.add(substitute(condition, new Map([[name, min]])) as BoolLike);
  }

  #solveCongruences(name: string, congruences: ReadonlyMap<string, Congruence | undefined>): void {
    if (this.#substitutions.has(name)) return;
    const joined = joinCongruences([...congruences.values()].filter((item) => item !== undefined));
    if (joined === undefined || joined.modulus === 1) return;
    const source = this.#sourceOf(name);
    const root = this.#rootFor(source);
    if (root === undefined) return;
    const { remainder, modulus } = joined;
    const shift = (modulus - remainder) % modulus;
    this.#results.push({ source, equal: sub(mul(modulus, symbol(root)), shift) });
  }

  #solveRange(name: string, conditions: readonly SymExpr[]): void {
    const { min, max } = this.#solution(name, conditions);
    const source = this.#sourceOf(name);
    if (min > max) return;
    if (min === max) this.#results.push({ source, equal: min });
    else
      this.#results.push({
        source,
        min: Number.isFinite(min) ? min : undefined,
        max: Number.isFinite(max) ? max : undefined,
      });
  }
}
