import { checkOptions } from "@sconce/errors";
import {
  type BoolLike,
  eq,
  type FloatLike,
  freeSymbols,
  type IntLike,
  isStatic,
  lift,
  lower,
  not,
  printExpr,
  type SymValue,
  symbol,
} from "../algebra/algebra.js";
import { badOperand, dataDependent } from "../expr/errors.js";
import type { SymExpr } from "../expr/expr.js";
import { isPoint, point, type ValueRange } from "../expr/interval.js";
import { canonicalCondition } from "../solve/condition.js";
import { evaluate } from "../solve/evaluate.js";
import { replaceSymbols } from "../solve/substitute.js";
import { boundsOf } from "./bounds.js";
import { Questions, type Way } from "./questions.js";
import { type GuardObserver, INIT, type ShapeEnvInit } from "./shape-env-init.js";
import type { SymEnv } from "./sym-env.js";
import { SymbolFacts } from "./symbol-facts.js";

/**
 * Everything known about the symbols of one program: ranges, example values, recorded guards and
 * run-time assertions.
 */
export class ShapeEnv implements SymEnv {
  readonly keepsMin: boolean;
  readonly #facts: SymbolFacts;
  readonly #hints: Map<string, number>;
  readonly #guards: SymExpr[] = [];
  readonly #questions = new Questions();
  readonly #assertions: SymExpr[] = [];
  /** The assertions that {@link check} made. */
  readonly required: SymExpr[] = [];
  readonly #guardLocations = new Map<SymExpr, unknown>();
  /** Values of unbacked symbols in an example run, by name. */
  readonly #observed = new Map<string, number>();
  readonly #locate: (() => unknown) | undefined;
  readonly #observer: GuardObserver | undefined;
  readonly #openNote: ((expr: SymExpr) => string) | undefined;
  /** Whether conditions on inputs are asserted at run time, and not guards. */
  readonly defersGuards: boolean;
  #nextInt = 0;
  #nextFloat = 0;

  constructor(init: ShapeEnvInit = {}) {
    checkOptions("ShapeEnv", init, INIT);
    this.#hints = new Map(init.hints);
    this.#locate = init.locate;
    this.#observer = init.observer;
    this.#openNote = init.openNote;
    this.defersGuards = init.deferGuards ?? false;
    this.keepsMin = init.keepsMin ?? false;
    this.#facts = new SymbolFacts(init, this.#hints);
    for (const name of this.#facts.ranges.keys()) this.reserve(name);
  }

  /**
   * A number that grows whenever the environment learns something or makes a symbol: while it is
   * the same, the same question has the same answer and adds no guard.
   */
  get version(): number {
    return this.#facts.version;
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
    return this.#facts.replacements;
  }

  /** Returns an independent copy. */
  clone(): ShapeEnv {
    const copy = new ShapeEnv({
      ranges: this.#facts.ranges,
      hints: this.#hints,
      locate: this.#locate,
      deferGuards: this.defersGuards,
      openNote: this.#openNote,
      keepsMin: this.keepsMin,
    });
    copy.#facts.take(this.#facts);
    for (const [name, value] of this.#observed) copy.#observed.set(name, value);
    for (const [guard, where] of this.#guardLocations) copy.#guardLocations.set(guard, where);
    copy.#guards.push(...this.#guards);
    copy.#assertions.push(...this.#assertions);
    copy.#nextInt = this.#nextInt;
    copy.#nextFloat = this.#nextFloat;
    return copy;
  }

  /** Sets the example value of a symbol. */
  setHint(name: string, value: number): void {
    this.#facts.version++;
    this.#hints.set(name, value);
  }

  /**
   * Sets the value that an unbacked symbol has in an example run. Conditions that only the data
   * decide are then assumed to be as in that run, and asserted.
   */
  observe(name: string, value: number): void {
    this.#observed.set(name, value);
  }

  /** Returns the value of an expression in the example run; undefined when a symbol has none. */
  observed(value: SymValue): number | boolean | undefined {
    if (isStatic(value)) return value;
    const open = this.#facts.replace(value);
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
    this.#facts.setRange(name, range);
    this.reserve(name);
  }

  /** Marks an unbacked symbol as the size of something: not negative, and named so in messages. */
  markSizeLike(target: SymExpr): void {
    this.#facts.markSizeLike(target);
  }

  /** Makes a symbol for a size of an input that is known at run time only. */
  freshUnbackedSize(): SymExpr {
    const made = this.freshUnbackedInt();
    this.markSizeLike(made);
    this.#facts.inputs.add(made.name);
    return made;
  }

  /** Returns whether an unbacked symbol is used as a size. */
  isSizeLike(target: SymExpr): boolean {
    return this.#facts.sizeLike.has(target.name);
  }

  /** Returns a symbol for an integer that only the data decide: `u0`, `u1`, ... */
  freshUnbacked(prefix: "u" | "zuf" = "u"): SymExpr {
    return prefix === "u" ? this.freshUnbackedInt() : this.freshUnbackedFloat();
  }

  /** Makes a symbol for an integer that is known at run time only: `u0`, `u1`, ... */
  freshUnbackedInt(_use?: "length" | "offset"): SymExpr {
    this.#facts.version++;
    return symbol(`u${this.#nextInt++}`, { unbacked: true });
  }

  /** Makes a symbol for a float that is known at run time only: `zuf0`, `zuf1`, ... */
  freshUnbackedFloat(): SymExpr {
    this.#facts.version++;
    return symbol(`zuf${this.#nextFloat++}`, { float: true, unbacked: true });
  }

  /** Makes a symbol as another one, with its range. */
  freshLike(target: SymExpr): SymExpr {
    const made = target.name.startsWith("zuf") ? this.freshUnbackedFloat() : this.freshUnbackedInt();
    this.#facts.ranges.set(made.name, this.#facts.rangeOf(target));
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

  /** Returns the range of a symbol itself, whatever it was replaced by. */
  rangeOf(target: SymExpr): ValueRange {
    return this.#facts.rangeOf(target);
  }

  /** Returns the range of a value, from the ranges of its symbols. */
  range(value: IntLike | FloatLike): ValueRange {
    return isStatic(value)
      ? point(value)
      : boundsOf(this.#facts.replace(value), (e) => this.#facts.rangeOf(e));
  }

  /**
   * Returns a value with replacements applied, sums multiplied out, and what the ranges decide
   * dropped.
   */
  simplify<T extends SymValue>(value: T): T {
    return typeof value === "object" ? (lower(this.#facts.simplify(value)) as T) : value;
  }

  /** Returns a value with replacements applied, and not simplified further. */
  replace<T extends SymValue>(value: T): T {
    return typeof value === "object" ? (lower(this.#facts.replace(value)) as T) : value;
  }

  /**
   * Returns the truth of a condition by ranges and recorded facts; undefined when they leave it
   * open. Never guards.
   */
  staticallyKnown(condition: BoolLike): boolean | undefined {
    return this.#facts.truthOf(condition);
  }

  /**
   * Returns the truth of a condition by ranges alone, without recorded facts: a guard that this
   * decides is not issued.
   */
  knownByRange(condition: BoolLike): boolean | undefined {
    return typeof condition === "boolean" ? condition : this.#facts.truthByRange(condition);
  }

  /** Returns whether a condition holds for all values of its symbols; adds no guard. */
  knownTrue(condition: BoolLike): boolean {
    return this.staticallyKnown(condition) === true;
  }

  /**
   * Decides a condition from known facts, or from the hints of its symbols, which records a guard.
   * @throws SconceError `DATA_DEPENDENT_GUARD` for a symbol without a hint
   */
  guard(condition: BoolLike): boolean {
    return this.#ask(condition, "plain");
  }

  /** Decides a condition; one that is known by now gets a guard where PyTorch records it again. */
  #ask(condition: BoolLike, way: Way): boolean {
    const known = this.staticallyKnown(condition);
    if (known !== undefined && !this.#isRecordedAgain(condition, way)) return known;
    const open = this.#facts.replace(condition as SymExpr);
    const truth = this.#hintOf(open);
    if (truth === undefined) return this.#assume("guard on", open) === true;
    this.#questions.leaveOpen(open.key, this.#learned);
    this.#questions.answer(open.key, way);
    const holds = truth === true ? open : (not(open) as SymExpr);
    if (this.defersGuards) this.#defer(holds);
    else this.#record(holds);
    this.#facts.learn(holds);
    return truth === true;
  }

  /** See {@link SymEnv.guardNatively}. */
  guardNatively(condition: BoolLike): boolean {
    return this.#isHinted(condition) ? this.#ask(condition, "plain") : this.knownTrue(condition);
  }

  /** See {@link SymEnv.askQuietly}. */
  askQuietly(condition: BoolLike): boolean {
    const known = this.staticallyKnown(condition);
    if (known !== undefined) return known;
    const { key } = this.#facts.replace(condition as SymExpr);
    if (!this.#questions.isAnswered(key, "quiet")) {
      this.#questions.leaveOpen(key, this.#learned);
      this.#questions.answer(key, "quiet");
    }
    return this.#hintOf(condition as SymExpr) === true;
  }

  /**
   * Returns whether PyTorch does not know of a condition that it is known: it was asked in another
   * way, and nothing was learned since but what follows from guards.
   */
  #isRecordedAgain(condition: BoolLike, way: Way): boolean {
    if (typeof condition === "boolean" || this.defersGuards) return false;
    const { key } = this.#facts.replace(condition);
    return this.#questions.isOpen(key, this.#learned) && !this.#questions.isAnswered(key, way);
  }

  /** What PyTorch takes for a change of what is known. */
  get #learned(): string {
    const { replacements, divisible, refinements } = this.#facts;
    return `${replacements.size} ${divisible.size} ${refinements} ${this.#assertions.length}`;
  }

  /**
   * Returns the value of an integer: what is known, or what the hints of its symbols give, which
   * records a guard.
   * @throws SconceError `DATA_DEPENDENT_GUARD` for a symbol without a hint
   */
  guardInt(value: IntLike): number {
    const simple = this.simplify(value);
    if (isStatic(simple)) return simple;
    const range = this.range(simple);
    if (isPoint(range)) return range.min;
    const hint = this.#hintOf(simple);
    if (hint === undefined)
      return Number(this.#assume("extract specialized integer from", this.#facts.replace(value as SymExpr)));
    this.guard(eq(lower(this.#facts.replace(value as SymExpr)) as IntLike, Number(hint)));
    return Number(hint);
  }

  /** Decides a condition, by a guard where hints decide it; false when it depends on data. */
  orFalse(condition: BoolLike): boolean {
    if (this.#isHinted(condition)) return this.#ask(condition, "orFalse");
    return this.staticallyKnown(condition) ?? false;
  }

  /** Decides a condition, by a guard where hints decide it; true when it depends on data. */
  orTrue(condition: BoolLike): boolean {
    if (this.#isHinted(condition)) return this.#ask(condition, "orTrue");
    return this.staticallyKnown(condition) ?? true;
  }

  /** Takes a condition as true from now on. */
  addAxiom(condition: BoolLike): void {
    const known = this.staticallyKnown(condition);
    if (known === true) return;
    if (known === false) throw badOperand(`the condition ${printExpr(condition)} never holds`);
    const simple = this.#facts.simplify(condition as SymExpr);
    if (this.#isHinted(condition) && this.#hintOf(condition as SymExpr) === true) this.#record(simple);
    else this.#assert(simple, simple);
    this.#facts.learn(this.#facts.replace(condition as SymExpr));
  }

  /**
   * Requires a condition (`torch._check`). On backed symbols it is a guard, on unbacked ones a
   * run-time assertion, in canonical form. False when the condition is known to fail, or fails for
   * the example values.
   */
  check(condition: BoolLike): boolean {
    if (this.#isHinted(condition) && !this.defersGuards) return this.guard(condition);
    const known = this.staticallyKnown(condition);
    if (known !== undefined) return known;
    const open = this.#facts.replace(condition as SymExpr);
    if (this.hint(open) === false) return false;
    if (this.observed(open) === false) return false;
    const canonical = canonicalCondition(open);
    this.#assert(canonical, open);
    this.required.push(canonical);
    this.#facts.learn(open, canonical);
    return true;
  }

  /** Requires a condition as {@link check} does, and leaves the ranges of symbols as they are. */
  protected checkAgain(condition: BoolLike): boolean {
    this.#facts.keepsRanges = true;
    try {
      return this.check(condition);
    } finally {
      this.#facts.keepsRanges = false;
    }
  }

  /** Takes what an example run gave for an expression, and asserts it. */
  #assume(what: string, e: SymExpr): number | boolean {
    const value = this.observed(e);
    if (value === undefined) throw this.#dataDependent(what, e);
    this.#observer?.assumed(e, value);
    if (typeof value === "boolean") this.check(value ? e : not(e));
    else this.check(eq(lower(e) as IntLike, value));
    return value;
  }

  /** Asserts a condition on inputs, unless its ranges and replacements say it already. */
  #defer(holds: SymExpr): void {
    this.#observer?.guarded(holds, "eval");
    this.#facts.learnRelations(holds);
    if (this.staticallyKnown(holds) === undefined) this.#assert(canonicalCondition(holds), holds);
  }

  #assert(condition: SymExpr, given: SymExpr): void {
    this.#observer?.guarded(given, "runtime_assert");
    this.#assertions.push(condition);
  }

  #record(condition: SymExpr): void {
    this.#observer?.guarded(condition, "eval");
    this.#facts.version++;
    this.#guards.push(condition);
    if (this.#locate !== undefined) this.#guardLocations.set(condition, this.#locate());
  }

  /**
   * Records conditions as if they had been asked before what was asked since a copy of this
   * environment was made. What they decide is then no guard any more.
   */
  guardEarlier(before: ShapeEnv, conditions: readonly BoolLike[]): void {
    if (this.defersGuards) return;
    const again = before.clone();
    for (const condition of conditions) again.guard(condition);
    const replayed = new Set<string>();
    for (const guard of this.#guards.slice(before.guards.length)) {
      // What was recorded twice is recorded twice again.
      const isAgain = replayed.has(guard.key);
      if (!isAgain && again.staticallyKnown(guard) === true) continue;
      replayed.add(guard.key);
      const count = again.#guards.length;
      if (isAgain) again.#record(guard);
      else again.guard(guard);
      const where = this.#guardLocations.get(guard);
      for (const made of again.#guards.slice(count)) again.#guardLocations.set(made, where);
    }
    this.#facts.version++;
    this.#guards.splice(0, Infinity, ...again.#guards);
    for (const [guard, where] of again.#guardLocations) this.#guardLocations.set(guard, where);
    this.#facts.takeEarlier(again.#facts);
  }

  /** Where a guard was added: what `locate` returned then. */
  locationOf(guard: SymExpr): unknown {
    return this.#guardLocations.get(guard);
  }

  /** Where a symbol became a constant: what `locate` returned then. */
  specializationOf(symbol: string): unknown {
    return this.#facts.specialized.get(symbol);
  }

  /** Returns the example value of an expression; undefined when a symbol has none. */
  hint(value: SymValue): number | boolean | undefined {
    return isStatic(value) ? value : this.#hintOf(value);
  }

  #isHinted(value: SymValue): boolean {
    if (isStatic(value)) return true;
    for (const name of freeSymbols(this.#facts.replace(value)).keys())
      if (!this.#hints.has(name)) return false;
    return true;
  }

  #hintOf(e: SymExpr): number | boolean | undefined {
    return this.#isHinted(e) ? evaluate(lower(this.#facts.replace(e)), this.#hints) : undefined;
  }

  #dataDependent(what: string, e: SymExpr): Error {
    const hinted = lower(
      replaceSymbols(e, (s) => (this.#hints.has(s.name) ? lift(this.#hints.get(s.name)!) : undefined)),
    );
    const sizes = [...freeSymbols(e).keys()].filter((name) => this.#facts.sizeLike.has(name));
    return dataDependent(
      what,
      printExpr(hinted),
      printExpr(e),
      sizes.length === 0 ? "none" : sizes.join(", "),
      this.#openNote?.(e) ?? "",
    );
  }
}
