/** @file What is known of the symbols of one program: ranges, equalities, conditions that hold. */
import { type BoolLike, freeSymbols, symbol } from "../algebra/algebra.js";
import { isIntegral } from "../algebra/assumptions.js";
import { construct, expandNode } from "../algebra/construct.js";
import { sum } from "../algebra/polynomial.js";
import { emptyRange } from "../expr/errors.js";
import { isRelation, isUnbacked, node, type SymExpr } from "../expr/expr.js";
import { intersectRanges, isPoint, UNBOUNDED, UNBOUNDED_FLOAT, type ValueRange } from "../expr/interval.js";
import { integer, isNumber, isZero } from "../expr/number.js";
import { canonicalCondition, implications } from "../solve/condition.js";
import { findMod, hasFloorDiv, isWholly, trySolve } from "../solve/solve.js";
import { replaceSymbols } from "../solve/substitute.js";
import { boundsOf, decideByRange } from "./bounds.js";
import { isSupportedEquivalence, isWithin, refineRange } from "./refine.js";
import type { ShapeEnvInit } from "./shape-env-init.js";
import { simplifyByRange } from "./simplify.js";

/** Answers that are kept. */
const MAX_KNOWN = 20_000;

/** Ranges of symbols, what they equal, and conditions that hold; nothing here guards. */
export class SymbolFacts {
  /** Ranges of symbols by name. */
  readonly ranges: Map<string, ValueRange>;
  /** Symbols that equal an expression of others, by name. */
  readonly replacements = new Map<string, SymExpr>();
  /** Unbacked symbols that are sizes. */
  readonly sizeLike = new Set<string>();
  /** Unbacked symbols that are sizes of inputs: they are known before all others. */
  readonly inputs = new Set<string>();
  /** Remainders that are 0. */
  readonly divisible = new Set<string>();
  /** Where symbols became constants, by name: what `locate` returned then. */
  readonly specialized = new Map<string, unknown>();
  /** A number that grows whenever something is learned. */
  version = 0;
  /** Whether conditions leave ranges as they are: those have what follows from them. */
  keepsRanges = false;
  /** How often a condition narrowed a range. */
  refinements = 0;
  /** Conditions by their keys. */
  #truths = new Map<string, boolean>();
  /** What was learned of floor divisions, which are simpler where they leave no remainder. */
  readonly #divisions: SymExpr[] = [];
  /** What {@link truthOf} answered at a version. */
  readonly #known = new Map<string, boolean | undefined>();
  #knownAt = 0;
  readonly #hints: ReadonlyMap<string, number>;
  readonly #locate: (() => unknown) | undefined;
  readonly #defersGuards: boolean;

  constructor({ ranges, locate, deferGuards = false }: ShapeEnvInit, hints: ReadonlyMap<string, number>) {
    this.ranges = new Map(ranges);
    this.#hints = hints;
    this.#locate = locate;
    this.#defersGuards = deferGuards;
  }

  /** Takes over what other facts say but not their ranges. */
  take(other: SymbolFacts): void {
    for (const [key, truth] of other.#truths) this.#truths.set(key, truth);
    for (const key of other.divisible) this.divisible.add(key);
    this.#divisions.push(...other.#divisions);
    for (const [name, value] of other.replacements) this.replacements.set(name, value);
    for (const name of other.sizeLike) this.sizeLike.add(name);
    for (const name of other.inputs) this.inputs.add(name);
    for (const [name, where] of other.specialized) this.specialized.set(name, where);
  }

  /** Takes over what was learned from the same symbols, in another order. */
  takeEarlier(other: SymbolFacts): void {
    this.take(other);
    for (const [name, range] of other.ranges) if (this.#hints.has(name)) this.ranges.set(name, range);
  }

  /** Narrows the range of a symbol. @throws SconceError `SYM_EMPTY_RANGE` */
  setRange(name: string, range: ValueRange): void {
    const known = this.ranges.get(name);
    const both = known === undefined ? range : intersectRanges(known, range);
    if (both === undefined || both.min > both.max) throw emptyRange(name, range.min, range.max);
    this.version++;
    this.ranges.set(name, both);
  }

  /** Marks an unbacked symbol as a size, which is not negative. */
  markSizeLike(target: SymExpr): void {
    this.version++;
    this.sizeLike.add(target.name);
    const { min, max } = this.rangeOf(target);
    if (min < 0) this.ranges.set(target.name, { min: 0, max });
  }

  /** Returns the range of a symbol itself, whatever it was replaced by. */
  rangeOf(e: SymExpr): ValueRange {
    const known = this.ranges.get(e.name);
    if (!isSize(e))
      return known ?? (e.assumptions.some(([name]) => name === "integer") ? UNBOUNDED : UNBOUNDED_FLOAT);
    // While shapes are computed a dynamic size is never 0 or 1, whatever its declared range admits
    // at run time.
    if (known === undefined) return { min: 2, max: Infinity };
    return known.max >= 2 ? { min: Math.max(2, known.min), max: known.max } : known;
  }

  /** Returns a condition or value with replacements applied, and what the ranges decide dropped. */
  simplify(e: SymExpr): SymExpr {
    return simplifyByRange(this.replace(expandNode(e)), {
      rangeOf: (s) => this.rangeOf(s),
      isDivisible: (key) => this.divisible.has(key),
      holds: (condition) => this.#decide(this.simplify(condition)) === true,
    });
  }

  /** Returns a value with replacements applied. */
  replace(e: SymExpr): SymExpr {
    if (this.replacements.size === 0) return e;
    const replaced = replaceSymbols(e, (s) => this.replacements.get(s.name));
    return replaced === e ? e : expandNode(this.replace(replaced));
  }

  /**
   * Returns the truth of a condition by ranges and recorded facts; undefined when they leave it
   * open. Never guards.
   */
  truthOf(condition: BoolLike): boolean | undefined {
    if (typeof condition === "boolean") return condition;
    if (this.#knownAt !== this.version || this.#known.size > MAX_KNOWN) {
      this.#known.clear();
      this.#knownAt = this.version;
    }
    const { key } = condition;
    if (this.#known.has(key)) return this.#known.get(key);
    const truth = this.#decide(this.simplify(condition));
    this.#known.set(key, truth);
    return truth;
  }

  #decide(e: SymExpr): boolean | undefined {
    switch (e.op) {
      case "True":
      case "False":
        return e.op === "True";
      case "Not": {
        const inner = this.#decide(e.args[0]!);
        return inner === undefined ? undefined : !inner;
      }
      case "And":
      case "Or": {
        const absorbing = e.op === "Or";
        const parts = e.args.map((arg) => this.#decide(arg));
        if (parts.includes(absorbing)) return absorbing;
        return parts.includes(undefined) ? this.#truths.get(canonicalCondition(e).key) : !absorbing;
      }
      default:
        return this.#decideRelation(e);
    }
  }

  #decideRelation(e: SymExpr): boolean | undefined {
    const canonical = canonicalCondition(e);
    const fact = this.#truths.get(canonical.key);
    if (fact !== undefined) return fact;
    // Symbols moved so that their least value is 1: then signs of products show, as in (s - 2)*t >=
    // 0 for s, t >= 2.
    const ranges = new Map<string, ValueRange>();
    const moved = replaceSymbols(canonical, (s) => {
      const range = this.rangeOf(s);
      if (!Number.isSafeInteger(range.min) || range.float === true) {
        ranges.set(s.name, range);
        return undefined;
      }
      ranges.set(`_${s.name}`, { min: 1, max: range.max - range.min + 1 });
      return sum([symbol(`_${s.name}`), integer(range.min - 1)]);
    });
    const normal = canonicalCondition(expandNode(moved));
    if (normal.op === "True" || normal.op === "False") return normal.op === "True";
    const folded = isRelation(normal) ? construct(normal.op, normal.args) : normal;
    return decideByRange(folded, (s) => ranges.get(s.name) ?? UNBOUNDED);
  }

  /** Returns the truth of a condition by ranges alone, without recorded facts. */
  truthByRange(condition: SymExpr): boolean | undefined {
    const truths = this.#truths;
    this.#truths = new Map();
    try {
      return this.#decide(this.simplify(condition));
    } finally {
      this.#truths = truths;
    }
  }

  /**
   * Takes in a condition that holds: ranges, replacements and divisibility first, then facts in
   * terms of what is left (`_maybe_guard_rel`).
   *
   * @param written the condition as assertions have it, from which PyTorch draws conclusions
   */
  learn(e: SymExpr, written = e): void {
    this.version++;
    this.learnRelations(e);
    const simple = this.simplify(written);
    this.#keep(simple);
    if (hasFloorDiv(simple)) this.#divisions.push(simple);
    this.version++;
  }

  #keep(fact: SymExpr): void {
    for (const [key, truth] of implications(fact)) this.#truths.set(key, truth);
  }

  /** Takes in the ranges and equalities of a condition that holds. */
  learnRelations(e: SymExpr): void {
    if (e.op === "And") for (const arg of e.args) this.learnRelations(arg);
    if (!isRelation(e) || e.op === "Unequality") return;
    const symbols = [...freeSymbols(e).values()];
    if (symbols.length === 0 || symbols.length > 5) return;
    if (!this.keepsRanges) this.#refineRanges(this.simplify(e));
    if (e.op === "Equality") this.#learnEquality(e, symbols);
  }

  #refineRanges(e: SymExpr): void {
    for (const s of freeSymbols(e).values()) {
      const solved = trySolve(e, s);
      if (solved === undefined || !isIntegral(s) || !isIntegral(solved.rhs)) continue;
      const tighter = refineRange(solved, this.rangeOf(s), (other) => this.rangeOf(other));
      if (tighter === undefined) continue;
      this.refinements++;
      this.#narrow(s, tighter);
      const range = this.rangeOf(s);
      if (isPoint(range)) this.#setReplacement(s, integer(range.min));
    }
  }

  /** A size-like symbol keeps 2 among its values: as a size it is taken to be neither 0 nor 1. */
  #narrow(s: SymExpr, range: ValueRange): void {
    const old = this.rangeOf(s);
    const wanted = range.max < 2 && this.sizeLike.has(s.name) ? { min: range.min, max: 2 } : range;
    const both = intersectRanges(old, wanted);
    if (both === undefined) throw emptyRange(s.name, wanted.min, wanted.max);
    if (both.min === old.min && both.max === old.max) return;
    this.version++;
    this.ranges.set(s.name, both);
  }

  #learnEquality(e: SymExpr, symbols: readonly SymExpr[]): void {
    const [a, b] = [e.args[0]!, e.args[1]!];
    const remainder = findMod(e);
    if (remainder !== undefined) {
      const solved = trySolve(e, remainder, false);
      if (solved === undefined || !isZero(solved.rhs)) return;
      this.version++;
      this.divisible.add(divisibilityKey(remainder));
      for (const fact of this.#divisions) this.#keep(this.simplify(fact));
      return;
    }
    if (hasFloorDiv(e)) return;
    const isLate = (symbol: SymExpr): boolean => isUnbacked(symbol) && !this.inputs.has(symbol.name);
    const isOpen = (side: SymExpr, other: SymExpr): boolean =>
      isUnbacked(side) && ![...freeSymbols(other).values()].some(isLate);
    if (isOpen(a, b)) this.#setReplacement(a, this.replace(b));
    else if (isOpen(b, a)) this.#setReplacement(b, this.replace(a));
    else this.#solveEquality(e, symbols);
  }

  #solveEquality(e: SymExpr, symbols: readonly SymExpr[]): void {
    const [target] = [...symbols].sort((x, y) => this.#replacementOrder(x, y));
    const solved = trySolve(e, target!, false);
    if (solved === undefined || !isWholly(solved.rhs)) return;
    const solution = this.replace(solved.rhs);
    if (![...freeSymbols(solution).values()].some(isUnbacked)) this.#setReplacement(target!, solution);
  }

  /** The larger example value goes first, then the larger name; unbacked symbols before all. */
  #replacementOrder(x: SymExpr, y: SymExpr): number {
    const size = (s: SymExpr): number => (isSize(s) ? (this.#hints.get(s.name) ?? Infinity) : Infinity);
    const [a, b] = [size(x), size(y)];
    return a === b ? (x.name < y.name ? 1 : -1) : b - a;
  }

  /** Returns whether a size stays one of 2 or more where the sizes of its equal are. */
  #keepsSize(s: SymExpr, target: SymExpr): boolean {
    if (!this.sizeLike.has(s.name)) return true;
    const rangeOf = (e: SymExpr): ValueRange =>
      this.sizeLike.has(e.name) ? { min: 2, max: Infinity } : this.rangeOf(e);
    return isWithin(boundsOf(target, rangeOf), rangeOf(s));
  }

  /**
   * Replaces a symbol by its equal, unless the replacement may take values that the symbol's
   * range excludes (`_set_replacement`).
   */
  #setReplacement(s: SymExpr, target: SymExpr): void {
    const free = freeSymbols(target);
    if (free.has(s.name) || this.replacements.get(s.name)?.key === target.key) return;
    if (this.#defersGuards && !isSupportedEquivalence(target)) return;
    const bound = (e: SymExpr): ValueRange => boundsOf(e, (other) => this.rangeOf(other));
    const source = this.rangeOf(s);
    this.#narrow(s, bound(target));
    const [other] = free.values();
    if (!isWithin(bound(target), source) && free.size === 1 && other !== undefined) {
      const inverse = trySolve(node("Equality", [s, target]), other, false);
      if (inverse !== undefined) {
        const { min, max } = bound(inverse.rhs);
        this.#narrow(other, { min: Math.ceil(min), max: Math.floor(max) });
      }
    }
    if (target.op === "Symbol" && this.sizeLike.has(s.name)) this.sizeLike.add(target.name);
    else if (target.op === "Symbol" && this.sizeLike.has(target.name)) this.sizeLike.add(s.name);
    if (!isWithin(bound(target), source) || !this.#keepsSize(s, target)) return;
    this.version++;
    this.replacements.set(s.name, target);
    if (isNumber(target) && this.#locate !== undefined && !this.specialized.has(s.name))
      this.specialized.set(s.name, this.#locate());
  }
}

const isSize = (e: SymExpr): boolean => e.assumptions.some(([name, value]) => name === "positive" && value);

const divisibilityKey = (e: SymExpr): string => `${e.args[0]!.key}|${e.args[1]!.key}`;
