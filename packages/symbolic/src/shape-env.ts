import { checkOptions } from "@sconce/errors";
import {
  eq,
  freeSymbols,
  isStatic,
  lift,
  lower,
  not,
  printExpr,
  type SymBool,
  type SymFloat,
  type SymInt,
  type SymValue,
  symbol,
} from "./algebra.js";
import { isIntegral } from "./assumptions.js";
import { boundsOf, decideByRange } from "./bounds.js";
import { canonicalCondition, implications } from "./condition.js";
import { construct, expandNode } from "./construct.js";
import { badOperand, dataDependent, emptyRange } from "./errors.js";
import { evaluate } from "./evaluate.js";
import { isRelation, isUnbacked, node, type SymExpr } from "./expr.js";
import { intersectRanges, isPoint, point, UNBOUNDED, UNBOUNDED_FLOAT, type ValueRange } from "./interval.js";
import { integer, isNumber, isZero } from "./number.js";
import { sum } from "./polynomial.js";
import { Questions } from "./questions.js";
import { isSupportedEquivalence, isWithin, refineRange } from "./refine.js";
import { type GuardObserver, INIT, type ShapeEnvInit } from "./shape-env-init.js";
import { simplifyByRange } from "./simplify.js";
import { findMod, hasFloorDiv, isWholly, trySolve } from "./solve.js";
import { replaceSymbols } from "./substitute.js";
import type { SymEnv } from "./sym-env.js";

/** Answers that an environment keeps. */
const MAX_KNOWN = 20_000;

/**
 * Everything known about the symbols of one program: ranges, example values, recorded guards and
 * run-time assertions.
 */
export class ShapeEnv implements SymEnv {
  readonly keepsMin: boolean;
  readonly #ranges: Map<string, ValueRange>;
  readonly #hints: Map<string, number>;
  #facts = new Map<string, boolean>();
  readonly #divisible = new Set<string>();
  /** What was learned of floor divisions, which are simpler where they leave no remainder. */
  readonly #divisions: SymExpr[] = [];
  readonly #replacements = new Map<string, SymExpr>();
  readonly #sizeLike = new Set<string>();
  readonly #guards: SymExpr[] = [];
  readonly #questions = new Questions();
  readonly #assertions: SymExpr[] = [];
  /** The assertions that {@link check} made. */
  readonly required: SymExpr[] = [];
  readonly #guardLocations = new Map<SymExpr, unknown>();
  readonly #specialized = new Map<string, unknown>();
  /** Values of unbacked symbols in an example run, by name. */
  readonly #observed = new Map<string, number>();
  readonly #locate: (() => unknown) | undefined;
  readonly #observer: GuardObserver | undefined;
  /** Whether conditions on inputs are asserted at run time, and not guards. */
  readonly defersGuards: boolean;
  #nextInt = 0;
  #nextFloat = 0;
  #version = 0;
  /** What {@link staticallyKnown} answered at a version. */
  readonly #known = new Map<string, boolean | undefined>();
  #knownAt = 0;

  constructor(init: ShapeEnvInit = {}) {
    checkOptions("ShapeEnv", init, INIT);
    this.#ranges = new Map(init.ranges);
    this.#hints = new Map(init.hints);
    this.#locate = init.locate;
    this.#observer = init.observer;
    this.defersGuards = init.deferGuards ?? false;
    this.keepsMin = init.keepsMin ?? false;
    for (const name of this.#ranges.keys()) this.reserve(name);
  }

  /**
   * A number that grows whenever the environment learns something or makes a symbol: while it is
   * the same, the same question has the same answer and adds no guard.
   */
  get version(): number {
    return this.#version;
  }

  /** Conditions that the example values decided, in order; each holds. */
  get guards(): readonly SymExpr[] {
    return this.#guards;
  }

  /** Conditions on unbacked symbols that have to be checked at run time, in order. */
  get assertions(): readonly SymExpr[] {
    return this.#assertions;
  }

  /** Example values of symbols by name. */
  get hints(): ReadonlyMap<string, number> {
    return this.#hints;
  }

  /** Symbols that equal an expression of others, by name. */
  get replacements(): ReadonlyMap<string, SymExpr> {
    return this.#replacements;
  }

  /** An independent copy. */
  clone(): ShapeEnv {
    const copy = new ShapeEnv({
      ranges: this.#ranges,
      hints: this.#hints,
      locate: this.#locate,
      deferGuards: this.defersGuards,
      keepsMin: this.keepsMin,
    });
    for (const [key, truth] of this.#facts) copy.#facts.set(key, truth);
    for (const key of this.#divisible) copy.#divisible.add(key);
    copy.#divisions.push(...this.#divisions);
    for (const [name, value] of this.#replacements) copy.#replacements.set(name, value);
    for (const name of this.#sizeLike) copy.#sizeLike.add(name);
    for (const [name, value] of this.#observed) copy.#observed.set(name, value);
    for (const [guard, where] of this.#guardLocations) copy.#guardLocations.set(guard, where);
    for (const [name, where] of this.#specialized) copy.#specialized.set(name, where);
    copy.#guards.push(...this.#guards);
    copy.#assertions.push(...this.#assertions);
    copy.#nextInt = this.#nextInt;
    copy.#nextFloat = this.#nextFloat;
    return copy;
  }

  /** Sets the example value of a symbol. */
  setHint(name: string, value: number): void {
    this.#version++;
    this.#hints.set(name, value);
  }

  /**
   * Sets the value that an unbacked symbol has in an example run. Conditions that only the data
   * decide are then assumed to be as in that run, and asserted.
   */
  observe(name: string, value: number): void {
    this.#observed.set(name, value);
  }

  /** The value of an expression in the example run; undefined when a symbol has none. */
  observed(value: SymValue): number | boolean | undefined {
    if (isStatic(value)) return value;
    const open = this.#replace(value);
    const values = new Map<string, number>();
    for (const name of freeSymbols(open).keys()) {
      const known = this.#hints.get(name) ?? this.#observed.get(name);
      if (known === undefined) return undefined;
      values.set(name, known);
    }
    return evaluate(lower(open), values);
  }

  /** Narrows a symbol's range. Throws SYM_EMPTY_RANGE. */
  setRange(target: SymExpr | string, range: ValueRange): void {
    const name = typeof target === "string" ? target : target.name;
    const known = this.#ranges.get(name);
    const both = known === undefined ? range : intersectRanges(known, range);
    if (both === undefined || both.min > both.max) throw emptyRange(name, range.min, range.max);
    this.#version++;
    this.#ranges.set(name, both);
    this.reserve(name);
  }

  /** Marks an unbacked symbol as the size of something: not negative, and named so in messages. */
  markSizeLike(target: SymExpr): void {
    this.#version++;
    this.#sizeLike.add(target.name);
    const { min, max } = this.#rangeOfSymbol(target);
    if (min < 0) this.#ranges.set(target.name, { min: 0, max });
  }

  /** Whether an unbacked symbol is used as a size. */
  isSizeLike(target: SymExpr): boolean {
    return this.#sizeLike.has(target.name);
  }

  /** A symbol for an integer that only the data decide: `u0`, `u1`, ... */
  freshUnbacked(prefix: "u" | "zuf" = "u"): SymExpr {
    return prefix === "u" ? this.freshUnbackedInt() : this.freshUnbackedFloat();
  }

  /** Makes a symbol for an integer that is known at run time only: `u0`, `u1`, ... */
  freshUnbackedInt(_use?: "length" | "offset"): SymExpr {
    this.#version++;
    return symbol(`u${this.#nextInt++}`, { unbacked: true });
  }

  /** Makes a symbol for a float that is known at run time only: `zuf0`, `zuf1`, ... */
  freshUnbackedFloat(): SymExpr {
    this.#version++;
    return symbol(`zuf${this.#nextFloat++}`, { float: true, unbacked: true });
  }

  /** Makes a symbol as another one, with its range. */
  freshLike(target: SymExpr): SymExpr {
    const made = target.name.startsWith("zuf") ? this.freshUnbackedFloat() : this.freshUnbackedInt();
    this.#ranges.set(made.name, this.#rangeOfSymbol(target));
    return made;
  }

  /** Keeps fresh names clear of one in use. */
  protected reserve(name: string): void {
    const match = /^(u|zuf)(\d{1,9})$/.exec(name);
    if (match === null) return;
    const next = Number(match[2]) + 1;
    if (match[1] === "u") this.#nextInt = Math.max(this.#nextInt, next);
    else this.#nextFloat = Math.max(this.#nextFloat, next);
  }

  #rangeOfSymbol(e: SymExpr): ValueRange {
    const known = this.#ranges.get(e.name);
    if (!isSize(e))
      return known ?? (e.assumptions.some(([name]) => name === "integer") ? UNBOUNDED : UNBOUNDED_FLOAT);
    // While shapes are computed a dynamic size is never 0 or 1, whatever its declared range admits
    // at run time.
    if (known === undefined) return { min: 2, max: Infinity };
    return known.max >= 2 ? { min: Math.max(2, known.min), max: known.max } : known;
  }

  /** The range of a symbol itself, whatever it was replaced by. */
  rangeOf(target: SymExpr): ValueRange {
    return this.#rangeOfSymbol(target);
  }

  /** Returns the range of a value, from the ranges of its symbols. */
  range(value: SymInt | SymFloat): ValueRange {
    return isStatic(value) ? point(value) : boundsOf(this.#replace(value), (e) => this.#rangeOfSymbol(e));
  }

  /** A value with replacements applied, sums multiplied out, and what the ranges decide dropped. */
  simplify<T extends SymValue>(value: T): T {
    return typeof value === "object" ? (lower(this.#simplify(value)) as T) : value;
  }

  /** A value with replacements applied, and not simplified further. */
  replace<T extends SymValue>(value: T): T {
    return typeof value === "object" ? (lower(this.#replace(value)) as T) : value;
  }

  #simplify(e: SymExpr): SymExpr {
    return simplifyByRange(this.#replace(expandNode(e)), {
      rangeOf: (s) => this.#rangeOfSymbol(s),
      isDivisible: (key) => this.#divisible.has(key),
      holds: (condition) => this.#decide(this.#simplify(condition)) === true,
    });
  }

  #replace(e: SymExpr): SymExpr {
    if (this.#replacements.size === 0) return e;
    const replaced = replaceSymbols(e, (s) => this.#replacements.get(s.name));
    return replaced === e ? e : expandNode(this.#replace(replaced));
  }

  /**
   * The truth of a condition by ranges and recorded facts; undefined when they leave it open. Never
   * guards.
   */
  staticallyKnown(condition: SymBool): boolean | undefined {
    if (typeof condition === "boolean") return condition;
    if (this.#knownAt !== this.#version || this.#known.size > MAX_KNOWN) {
      this.#known.clear();
      this.#knownAt = this.#version;
    }
    const { key } = condition;
    if (this.#known.has(key)) return this.#known.get(key);
    const truth = this.#decide(this.#simplify(condition));
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
        return parts.includes(undefined) ? this.#facts.get(canonicalCondition(e).key) : !absorbing;
      }
      default:
        return this.#decideRelation(e);
    }
  }

  #decideRelation(e: SymExpr): boolean | undefined {
    const canonical = canonicalCondition(e);
    const fact = this.#facts.get(canonical.key);
    if (fact !== undefined) return fact;
    // Symbols moved so that their least value is 1: then signs of products show, as in (s - 2)*t >=
    // 0 for s, t >= 2.
    const ranges = new Map<string, ValueRange>();
    const moved = replaceSymbols(canonical, (s) => {
      const range = this.#rangeOfSymbol(s);
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

  /** Whether a condition holds for all values of its symbols; adds no guard. */
  knownTrue(condition: SymBool): boolean {
    return this.staticallyKnown(condition) === true;
  }

  /**
   * Decides a condition from known facts, or from the hints of its symbols, which records a guard.
   * @throws SconceError `DATA_DEPENDENT_GUARD` for a symbol without a hint
   */
  guard(condition: SymBool): boolean {
    const known = this.staticallyKnown(condition);
    if (known !== undefined && !this.#isStale(condition)) return known;
    const open = this.#replace(condition as SymExpr);
    const truth = this.#hintOf(open);
    if (truth === undefined) return this.#assume("guard on", open) === true;
    this.#questions.record((condition as SymExpr).key, this.#learned);
    const holds = truth === true ? open : (not(open) as SymExpr);
    if (this.defersGuards) this.#defer(holds);
    else this.#record(holds);
    this.#learn(holds);
    return truth === true;
  }

  /** See {@link SymEnv.guardNatively}. */
  guardNatively(condition: SymBool): boolean {
    if (typeof condition === "boolean" || !this.#isHinted(condition)) return this.knownTrue(condition);
    const isAgain = !this.defersGuards && this.#questions.isRecorded(condition.key, this.#learned);
    const truth = isAgain ? this.#hintOf(condition) === true : this.guard(condition);
    const open = this.#replace(condition);
    if (isAgain) this.#record(truth ? open : (not(open) as SymExpr));
    this.#questions.forget(condition.key);
    return truth;
  }

  /** See {@link SymEnv.askQuietly}. */
  askQuietly(condition: SymBool): boolean {
    const known = this.staticallyKnown(condition);
    if (known !== undefined) return known;
    this.#questions.leaveOpen((condition as SymExpr).key, this.#learned);
    return this.#hintOf(condition as SymExpr) === true;
  }

  #isStale(condition: SymBool): boolean {
    if (typeof condition === "boolean" || this.defersGuards) return false;
    return this.#questions.isOpen(condition.key, this.#learned);
  }

  /** What PyTorch takes for a change of what is known. */
  get #learned(): string {
    return `${this.#replacements.size} ${this.#divisible.size} ${this.#assertions.length}`;
  }

  /**
   * Returns the value of an integer: what is known, or what the hints of its symbols give, which
   * records a guard.
   * @throws SconceError `DATA_DEPENDENT_GUARD` for a symbol without a hint
   */
  guardInt(value: SymInt): number {
    const simple = this.simplify(value);
    if (isStatic(simple)) return simple;
    const range = this.range(simple);
    if (isPoint(range)) return range.min;
    const hint = this.#hintOf(simple);
    if (hint === undefined)
      return Number(this.#assume("extract specialized integer from", this.#replace(value as SymExpr)));
    this.guard(eq(lower(this.#replace(value as SymExpr)) as SymInt, Number(hint)));
    return Number(hint);
  }

  /** Decides a condition, by a guard where hints decide it; false when it depends on data. */
  orFalse(condition: SymBool): boolean {
    return this.staticallyKnown(condition) ?? (this.#isHinted(condition) ? this.guard(condition) : false);
  }

  /** Decides a condition, by a guard where hints decide it; true when it depends on data. */
  orTrue(condition: SymBool): boolean {
    return this.staticallyKnown(condition) ?? (this.#isHinted(condition) ? this.guard(condition) : true);
  }

  /** Takes a condition as true from now on. */
  addAxiom(condition: SymBool): void {
    const known = this.staticallyKnown(condition);
    if (known === true) return;
    if (known === false) throw badOperand(`the condition ${printExpr(condition)} never holds`);
    const simple = this.#simplify(condition as SymExpr);
    if (this.#isHinted(condition) && this.#hintOf(condition as SymExpr) === true) this.#record(simple);
    else this.#assert(simple, simple);
    this.#learn(this.#replace(condition as SymExpr));
  }

  /**
   * Requires a condition (`torch._check`). On backed symbols it is a guard, on unbacked ones a
   * run-time assertion, in canonical form. False when the condition is known to fail, or fails for
   * the example values.
   */
  check(condition: SymBool): boolean {
    const known = this.staticallyKnown(condition);
    if (known !== undefined) return known;
    const open = this.#replace(condition as SymExpr);
    if (this.#isHinted(open) && !this.defersGuards) return this.guard(open);
    if (this.hint(open) === false) return false;
    if (this.observed(open) === false) return false;
    const canonical = canonicalCondition(open);
    this.#assert(canonical, open);
    this.required.push(canonical);
    this.#learn(open, canonical);
    return true;
  }

  /** Takes what an example run gave for an expression, and asserts it. */
  #assume(what: string, e: SymExpr): number | boolean {
    const value = this.observed(e);
    if (value === undefined) throw this.#dataDependent(what, e);
    this.#observer?.assumed(e, value);
    if (typeof value === "boolean") this.check(value ? e : not(e));
    else this.check(eq(lower(e) as SymInt, value));
    return value;
  }

  /** Asserts a condition on inputs, unless its ranges and replacements say it already. */
  #defer(holds: SymExpr): void {
    this.#observer?.guarded(holds, "eval");
    this.#learnRelations(holds);
    if (this.staticallyKnown(holds) === undefined) this.#assert(canonicalCondition(holds), holds);
  }

  #assert(condition: SymExpr, given: SymExpr): void {
    this.#observer?.guarded(given, "runtime_assert");
    this.#assertions.push(condition);
  }

  #record(condition: SymExpr): void {
    this.#observer?.guarded(condition, "eval");
    this.#version++;
    this.#guards.push(condition);
    if (this.#locate !== undefined) this.#guardLocations.set(condition, this.#locate());
  }

  /**
   * Records conditions as if they had been asked before what was asked since a copy of this
   * environment was made. What they decide is then no guard any more.
   */
  guardEarlier(before: ShapeEnv, conditions: readonly SymBool[]): void {
    if (this.defersGuards) return;
    const again = before.clone();
    const asked = this.#guards.slice(before.guards.length);
    for (const condition of conditions) again.guard(condition);
    for (const guard of asked) {
      const count = again.#guards.length;
      again.guard(guard);
      const where = this.#guardLocations.get(guard);
      for (const made of again.#guards.slice(count)) again.#guardLocations.set(made, where);
    }
    this.#version++;
    this.#guards.splice(0, Infinity, ...again.#guards);
    for (const [guard, where] of again.#guardLocations) this.#guardLocations.set(guard, where);
    for (const [name, range] of again.#ranges) if (this.#hints.has(name)) this.#ranges.set(name, range);
    for (const [name, value] of again.#replacements) this.#replacements.set(name, value);
    for (const [key, truth] of again.#facts) this.#facts.set(key, truth);
    for (const key of again.#divisible) this.#divisible.add(key);
    this.#divisions.push(...again.#divisions);
  }

  /** Where a guard was added: what `locate` returned then. */
  locationOf(guard: SymExpr): unknown {
    return this.#guardLocations.get(guard);
  }

  /** Where a symbol became a constant: what `locate` returned then. */
  specializationOf(symbol: string): unknown {
    return this.#specialized.get(symbol);
  }

  /**
   * The truth of a condition by ranges alone, without recorded facts: a guard that this decides is
   * not issued.
   */
  knownByRange(condition: SymBool): boolean | undefined {
    if (typeof condition === "boolean") return condition;
    const facts = this.#facts;
    this.#facts = new Map();
    try {
      return this.#decide(this.#simplify(condition));
    } finally {
      this.#facts = facts;
    }
  }

  /** The example value of an expression; undefined when a symbol has none. */
  hint(value: SymValue): number | boolean | undefined {
    return isStatic(value) ? value : this.#hintOf(value);
  }

  #isHinted(value: SymValue): boolean {
    if (isStatic(value)) return true;
    for (const name of freeSymbols(this.#replace(value)).keys()) if (!this.#hints.has(name)) return false;
    return true;
  }

  #hintOf(e: SymExpr): number | boolean | undefined {
    return this.#isHinted(e) ? evaluate(lower(this.#replace(e)), this.#hints) : undefined;
  }

  #dataDependent(what: string, e: SymExpr): Error {
    const hinted = lower(
      replaceSymbols(e, (s) => (this.#hints.has(s.name) ? lift(this.#hints.get(s.name)!) : undefined)),
    );
    const sizes = [...freeSymbols(e).keys()].filter((name) => this.#sizeLike.has(name));
    return dataDependent(
      what,
      printExpr(hinted),
      printExpr(e),
      sizes.length === 0 ? "none" : sizes.join(", "),
    );
  }

  /**
   * Takes in a condition that holds: ranges, replacements and divisibility first, then facts in
   * terms of what is left (`_maybe_guard_rel`).
   *
   * @param written the condition as assertions have it, from which PyTorch draws conclusions
   */
  #learn(e: SymExpr, written = e): void {
    this.#version++;
    this.#learnRelations(e);
    const simple = this.#simplify(written);
    this.#keep(simple);
    if (hasFloorDiv(simple)) this.#divisions.push(simple);
    this.#version++;
  }

  #keep(fact: SymExpr): void {
    for (const [key, truth] of implications(fact)) this.#facts.set(key, truth);
  }

  #learnRelations(e: SymExpr): void {
    if (e.op === "And") for (const arg of e.args) this.#learnRelations(arg);
    if (!isRelation(e) || e.op === "Unequality") return;
    const symbols = [...freeSymbols(e).values()];
    if (symbols.length === 0 || symbols.length > 5) return;
    this.#refineRanges(this.#simplify(e));
    if (e.op === "Equality") this.#learnEquality(e, symbols);
  }

  #refineRanges(e: SymExpr): void {
    for (const s of freeSymbols(e).values()) {
      const solved = trySolve(e, s);
      if (solved === undefined || !isIntegral(s) || !isIntegral(solved.rhs)) continue;
      const tighter = refineRange(solved, this.#rangeOfSymbol(s), (other) => this.#rangeOfSymbol(other));
      if (tighter === undefined) continue;
      this.#narrow(s, tighter);
      const range = this.#rangeOfSymbol(s);
      if (isPoint(range)) this.#setReplacement(s, integer(range.min));
    }
  }

  /** A size-like symbol keeps 2 among its values: as a size it is taken to be neither 0 nor 1. */
  #narrow(s: SymExpr, range: ValueRange): void {
    const old = this.#rangeOfSymbol(s);
    const wanted = range.max < 2 && this.#sizeLike.has(s.name) ? { min: range.min, max: 2 } : range;
    const both = intersectRanges(old, wanted);
    if (both === undefined) throw emptyRange(s.name, wanted.min, wanted.max);
    if (both.min === old.min && both.max === old.max) return;
    this.#version++;
    this.#ranges.set(s.name, both);
  }

  #learnEquality(e: SymExpr, symbols: readonly SymExpr[]): void {
    const [a, b] = [e.args[0]!, e.args[1]!];
    const remainder = findMod(e);
    if (remainder !== undefined) {
      const solved = trySolve(e, remainder, false);
      if (solved === undefined || !isZero(solved.rhs)) return;
      this.#version++;
      this.#divisible.add(divisibilityKey(remainder));
      for (const fact of this.#divisions) this.#keep(this.#simplify(fact));
      return;
    }
    if (hasFloorDiv(e)) return;
    const isOpen = (side: SymExpr, other: SymExpr): boolean =>
      isUnbacked(side) && ![...freeSymbols(other).values()].some(isUnbacked);
    if (isOpen(a, b)) this.#setReplacement(a, this.#replace(b));
    else if (isOpen(b, a)) this.#setReplacement(b, this.#replace(a));
    else this.#solveEquality(e, symbols);
  }

  #solveEquality(e: SymExpr, symbols: readonly SymExpr[]): void {
    const [target] = [...symbols].sort((x, y) => this.#replacementOrder(x, y));
    const solved = trySolve(e, target!, false);
    if (solved === undefined || !isWholly(solved.rhs)) return;
    const solution = this.#replace(solved.rhs);
    if (![...freeSymbols(solution).values()].some(isUnbacked)) this.#setReplacement(target!, solution);
  }

  /** The larger example value goes first, then the larger name; unbacked symbols before all. */
  #replacementOrder(x: SymExpr, y: SymExpr): number {
    const size = (s: SymExpr): number => (isSize(s) ? (this.#hints.get(s.name) ?? Infinity) : Infinity);
    const [a, b] = [size(x), size(y)];
    return a === b ? (x.name < y.name ? 1 : -1) : b - a;
  }

  /**
   * Replaces a symbol by its equal, unless the replacement may take values that the symbol's
   * range excludes (`_set_replacement`).
   */
  #setReplacement(s: SymExpr, target: SymExpr): void {
    const free = freeSymbols(target);
    if (free.has(s.name) || this.#replacements.get(s.name)?.key === target.key) return;
    if (this.defersGuards && !isSupportedEquivalence(target)) return;
    const bound = (e: SymExpr): ValueRange => boundsOf(e, (other) => this.#rangeOfSymbol(other));
    const source = this.#rangeOfSymbol(s);
    this.#narrow(s, bound(target));
    const [other] = free.values();
    if (!isWithin(bound(target), source) && free.size === 1 && other !== undefined) {
      const inverse = trySolve(node("Equality", [s, target]), other, false);
      if (inverse !== undefined) {
        const { min, max } = bound(inverse.rhs);
        this.#narrow(other, { min: Math.ceil(min), max: Math.floor(max) });
      }
    }
    if (target.op === "Symbol" && this.#sizeLike.has(s.name)) this.#sizeLike.add(target.name);
    else if (target.op === "Symbol" && this.#sizeLike.has(target.name)) this.#sizeLike.add(s.name);
    if (!isWithin(bound(target), source)) return;
    this.#version++;
    this.#replacements.set(s.name, target);
    if (isNumber(target) && this.#locate !== undefined && !this.#specialized.has(s.name))
      this.#specialized.set(s.name, this.#locate());
  }
}

const isSize = (e: SymExpr): boolean => e.assumptions.some(([name, value]) => name === "positive" && value);

const divisibilityKey = (e: SymExpr): string => `${e.args[0]!.key}|${e.args[1]!.key}`;
