/** @file What a program requires of its inputs, against what was declared (`produce_guards`). */
import { FakeTensor } from "@sconce/ir";
import {
  and,
  eq,
  freeSymbols,
  ge,
  type IntLike,
  intersectRanges,
  le,
  printExpr,
  SymExpr,
  substitute,
  symbol,
  type ValueRange,
} from "@sconce/symbolic";
import { printGuardExpr } from "@sconce/symbolic/print-guard";
import { linearSize, linearText, parseLinear } from "./dim.js";
import { DimConstraints } from "./dim-constraints.js";
import { constraintViolation } from "./errors.js";
import {
  DEFAULT_RANGE,
  type FakeInput,
  type FakeInputs,
  type SizeConstraint,
  type SymbolSource,
  sizeSource,
} from "./fake-inputs.js";

/** One line of the message about violated constraints. */
export interface Violation {
  /** The dim, or the size where it has no name. */
  readonly name: string;
  /** PyTorch's text. */
  readonly text: string;
  /** What must hold of the symbols, and does not for all declared sizes. */
  readonly requirement: Requirement;
  /** Where the program came to require it, as `locate` returned it; undefined if unknown. */
  readonly location: unknown;
}

/** What a program requires: a condition on symbols, or a size that equals an expression. */
export type Requirement =
  /** The condition is on one symbol; `source` is a size that it represents. */
  | { readonly kind: "condition"; readonly condition: SymExpr; readonly source: string }
  | { readonly kind: "equal"; readonly source: string; readonly value: IntLike };

/** What {@link produceGuards} finds. */
export interface GuardReport {
  readonly violations: readonly Violation[];
  readonly solver: DimConstraints;
  /** The name in messages of the size that a symbol represents. */
  readonly sourceOf: (symbol: string) => string;
}

/** Compares guards, ranges and replacements with the declared constraints. */
export function produceGuards(prepared: FakeInputs): GuardReport {
  checkEqualities(prepared);
  const reporter = new GuardReporter(prepared);
  reporter.trackInputs();
  reporter.checkInputs();
  reporter.checkGuards();
  reporter.checkRanges();
  return reporter;
}

/** Returns the current form of a size of an input. */
const sizesOf = ({ inputs, env }: FakeInputs): ReadonlyMap<string, IntLike> => {
  const sizes = new Map<string, IntLike>();
  for (const { source, fake } of inputs)
    if (fake instanceof FakeTensor)
      for (const [dim, size] of fake.shape.entries()) sizes.set(sizeSource(source, dim), env.replace(size));
  return sizes;
};

/** Guards the declared equalities; refuses example sizes that violate them. */
function checkEqualities(prepared: FakeInputs): void {
  const { env, equalities, debugNames, sources } = prepared;
  const fix = "pass example inputs whose sizes are as declared, or correct `dynamicShapes`";
  const value = (size: IntLike): string => String(env.hint(size));
  for (const [a, b] of equalities.pairs) {
    const sizes = sizesOf(prepared);
    const [left, right] = [sizes.get(a)!, sizes.get(b)!];
    if (!env.guard(eq(left, right)))
      throw constraintViolation(`${a} = ${value(left)} is not equal to ${b} = ${value(right)}`, fix);
  }
  for (const { source, root, factor, offset } of equalities.derived) {
    const sizes = sizesOf(prepared);
    const left = sizes.get(source)!;
    const base = typeof root === "string" ? sizes.get(root)! : env.replace(root);
    const size = linearSize({ factor, offset }, base);
    if (env.guard(eq(left, size))) continue;
    const name =
      typeof root === "string"
        ? (debugNames.get(root) ?? root)
        : root instanceof SymExpr
          ? sources.get(root.name)![0]!.name
          : String(root);
    throw constraintViolation(
      `Expected input ${source} to be equal to ${linearText(name, factor, offset)}, where ${name} = ${value(base)}, but got ${value(left)}`,
      fix,
    );
  }
}

/** A size or number of an input, as it is known after the trace. */
interface Tracked {
  readonly source: string;
  readonly kind: "size" | "stride" | "value";
  readonly value: IntLike;
}

/** The range that was declared for a size. */
interface DeclaredRange extends ValueRange {
  readonly source: string;
}

class GuardReporter implements GuardReport {
  readonly violations: Violation[] = [];
  readonly solver: DimConstraints;
  readonly #prepared: FakeInputs;
  readonly #tracked: Tracked[] = [];
  readonly #sources = new Map<string, SymbolSource[]>();
  readonly #symbols = new Map<string, SymExpr>();
  readonly #ranges = new Map<string, Map<string, DeclaredRange>>();

  constructor(prepared: FakeInputs) {
    this.#prepared = prepared;
    for (const { root } of prepared.equalities.derived)
      if (root instanceof SymExpr && !this.#sources.has(root.name))
        this.#bind(root, prepared.sources.get(root.name)![0]!);
    this.solver = new DimConstraints(prepared.env.hints, this.sourceOf, (source) => {
      const name = prepared.debugNames.get(source);
      return name === undefined || !/^[\p{L}_][\p{L}\p{N}_]*$/u.test(name) ? undefined : `_${name}`;
    });
  }

  #bind(s: SymExpr, source: SymbolSource): void {
    this.#symbols.set(s.name, s);
    const list = this.#sources.get(s.name);
    if (list === undefined) this.#sources.set(s.name, [source]);
    else list.push(source);
  }

  readonly sourceOf = (name: string): string => {
    const source = this.#sources.get(name)?.[0] ?? this.#prepared.sources.get(name)?.[0];
    return source?.name ?? name;
  };

  #debugName(source: string): string {
    return this.#prepared.debugNames.get(source) ?? source;
  }

  #text(value: IntLike): string {
    return printGuardExpr(value, this.sourceOf)!;
  }

  #violate(source: string, text: string, requirement: Requirement, location?: unknown): void {
    this.violations.push({ name: this.#debugName(source), text, requirement, location });
  }

  /** Finds which symbol each input binds, and inputs that became constants. */
  trackInputs(): void {
    for (const input of this.#prepared.inputs) this.#trackInput(input);
  }

  #trackInput({ source, fake, constraints, isDynamicInt }: FakeInput): void {
    if (fake instanceof FakeTensor) {
      for (const [dim, value] of fake.shape.entries())
        this.#track({ source: sizeSource(source, dim), kind: "size", value }, constraints[dim]);
      for (const [dim, value] of fake.strides.entries())
        this.#track({ source: `${source}.stride()[${dim}]`, kind: "stride", value }, undefined);
    } else if (fake instanceof SymExpr)
      this.#track({ source, kind: "value", value: fake }, isDynamicInt ? "dynamic" : undefined);
  }

  #track({ source, kind, value: original }: Tracked, constraint: SizeConstraint): void {
    const value = this.#prepared.env.replace(original);
    this.#tracked.push({ source, kind, value });
    if (typeof value === "number") {
      if (constraint !== undefined && (constraint !== "dynamic" || (value !== 0 && value !== 1)))
        this.#specialized(source, value, original);
    } else if (value.op === "Symbol") {
      this.#bind(value, { name: source, kind });
      if (typeof constraint !== "object") return;
      this.solver.marked.add(value.name);
      const known = this.#ranges.get(value.name) ?? new Map<string, DeclaredRange>();
      const key = `${constraint.min} ${constraint.max}`;
      this.#ranges.set(value.name, known.set(key, known.get(key) ?? { ...constraint, source }));
    }
  }

  #specialized(source: string, value: number, original: IntLike): void {
    const text = `You marked ${this.#debugName(source)} as dynamic but your code specialized it to be a constant (${value}). If you're using mark_dynamic, either remove it or use maybe_mark_dynamic. If you're using Dim.DYNAMIC, replace it with either Dim.STATIC or Dim.AUTO.`;
    const name = original instanceof SymExpr ? original.name : "";
    const location = this.#prepared.env.specializationOf(name);
    this.#violate(source, text, { kind: "equal", source, value }, location);
  }

  /** Checks that sizes which share a symbol were declared equal, or related. */
  checkInputs(): void {
    for (const tracked of this.#tracked) {
      const { source, kind, value } = tracked;
      const isSymbol = value instanceof SymExpr && value.op === "Symbol";
      if (kind !== "size" || (isSymbol && source === this.#sources.get(value.name)?.[0]?.name)) continue;
      this.solver.addEquality(source, value);
      const [only, ...others] = value instanceof SymExpr ? freeSymbols(value).values() : [];
      if (only === undefined || others.length > 0 || !this.#ranges.has(only.name)) continue;
      this.#checkRelation(source, value as SymExpr, only);
    }
  }

  #checkRelation(source: string, value: SymExpr, only: SymExpr): void {
    const { equalities } = this.#prepared;
    const first = this.sourceOf(only.name);
    const [name, firstName] = [this.#debugName(source), this.#debugName(first)];
    const location = this.#locationOfEquality(source);
    if (value.op === "Symbol") {
      if (equalities.areEqual(source, first)) return;
      const text = `The values of ${name} = ${source} and ${firstName} = ${first} must always be equal.`;
      this.#violate(source, text, { kind: "equal", source, value }, location);
      return;
    }
    const at = (size: IntLike): IntLike => substitute(value, new Map([[only.name, size]])) as IntLike;
    if (equalities.isDerived(source, first, at)) return;
    const text = `The values of ${name} = ${source} must always be related to the values of ${firstName} = ${first} by ${name} = ${formulaText(at, firstName)}.`;
    this.#violate(source, text, { kind: "equal", source, value }, location);
  }

  /**
   * Returns the guard that made a size a function of another: the first one that mentions its
   * symbol.
   */
  #locationOfEquality(source: string): unknown {
    const { env, sources } = this.#prepared;
    const own = [...sources].find(([, list]) => list[0]!.name === source)?.[0];
    const guard = env.guards.find(
      (condition) => condition.op === "Equality" && own !== undefined && freeSymbols(condition).has(own),
    );
    return guard === undefined ? undefined : env.locationOf(guard);
  }

  /** Issues each guard that the ranges do not imply. */
  checkGuards(): void {
    const { env } = this.#prepared;
    const issued = new Set<string>();
    for (const guard of env.guards) {
      if (env.knownByRange(guard) !== undefined) continue;
      const condition = env.simplify(guard) as SymExpr;
      if (!(condition instanceof SymExpr) || issued.has(condition.key)) continue;
      issued.add(condition.key);
      this.#checkGuard(condition, env.locationOf(guard));
    }
  }

  #checkGuard(condition: SymExpr, location: unknown): void {
    const free = [...freeSymbols(condition).keys()];
    const isOfSizes = free.some((name) => this.#sources.get(name)?.some(({ kind }) => kind === "size"));
    const isTrivial = isOfSizes && this.solver.add(condition);
    const only = free.length === 1 ? free[0]! : undefined;
    if (isTrivial || only === undefined) return;
    const source = this.sourceOf(only);
    for (const range of this.#ranges.get(only)?.values() ?? []) {
      const text = `Not all values of ${this.#rangeText(source, range)} satisfy the generated guard ${this.#text(condition as IntLike)}.`;
      this.#violate(source, text, { kind: "condition", condition, source: range.source }, location);
    }
  }

  #rangeText(source: string, { min, max }: ValueRange): string {
    const name = this.#debugName(source);
    const low = min <= DEFAULT_RANGE.min ? "" : `${min} <= `;
    const high = max === Infinity ? "" : ` <= ${max}`;
    const bounds = low === "" && high === "" ? "" : ` ${low}${name}${high}`;
    return `${name} = ${source} in the specified range${bounds}`;
  }

  /** Checks that the inferred range of each symbol holds the declared one. */
  checkRanges(): void {
    for (const [name, sources] of this.#sources) {
      const s = this.#symbols.get(name)!;
      const { min, max } = this.#prepared.env.range(s);
      if (sources.some(({ kind }) => kind === "size")) {
        if (Number.isFinite(min)) this.solver.add(ge(s, min));
        if (Number.isFinite(max)) this.solver.add(le(s, max));
      }
      if (!Number.isFinite(min) && !Number.isFinite(max)) continue;
      for (const range of this.#ranges.get(name)?.values() ?? []) this.#checkRange(s, range, { min, max });
    }
  }

  #checkRange(s: SymExpr, declared: DeclaredRange, { min, max }: ValueRange): void {
    const usual = intersectRanges(declared, DEFAULT_RANGE);
    if (usual === undefined || (usual.min >= min && usual.max <= max)) return;
    const source = this.sourceOf(s.name);
    const high = max === Infinity ? "IntInfinity()" : String(max);
    const text = `Not all values of ${this.#rangeText(source, declared)} satisfy the generated guard ${min} <= ${source} and ${source} <= ${high}`;
    const condition = and(ge(s, min), max === Infinity ? true : le(s, max)) as SymExpr;
    const { env } = this.#prepared;
    const guard = env.guards.find((e) => freeSymbols(e).has(s.name));
    this.#violate(
      source,
      text,
      { kind: "condition", condition, source: declared.source },
      guard && env.locationOf(guard),
    );
  }
}

/** Returns a formula in terms of a dim, which may be derived itself. */
function formulaText(at: (size: IntLike) => IntLike, name: string): string {
  const linear = parseLinear(name);
  const root = symbol("D");
  const value = at(linear === undefined ? root : linearSize(linear, root));
  return printExpr(value).replace("D", () => linear?.name ?? name);
}
