import { isSconceError } from "@sconce/errors";
import {
  type ExportedProgram,
  FakeTensor,
  hasStaticLayout,
  isSymScalar,
  type RangeConstraint,
} from "@sconce/ir";
import {
  type BoolLike,
  freeSymbols,
  ShapeEnv,
  type ShapeEnvInit,
  type SymEnv,
  SymExpr,
  symbol,
  symbolByName,
} from "@sconce/symbolic";

/**
 * What a body of control flow makes that only the data decide, in order: names of symbols, and
 * calls whose bodies make some.
 */
export type BodySymbols = readonly (string | BodyCall)[];
/** A call of control flow, and what its bodies make. */
export interface BodyCall {
  /** The operator: `higher_order.cond`. */
  readonly target: string;
  /** What each body makes. */
  readonly bodies: readonly BodySymbols[];
  /** The integers that a loop carries, as its bodies have them. */
  readonly carried?: readonly string[];
  /** Symbols that the call itself gives: integers of a loop, sizes in which branches differ. */
  readonly results?: readonly string[];
}

/** Names in bodies that the source program does not give; the body's own names replace them. */
const FIRST_TEMPORARY = 900_000_000;

/**
 * A program's symbols while it is retraced: data-dependent ones come back under the names that they
 * had.
 */
export class RetraceEnv extends ShapeEnv {
  #expected: string[] = [];
  #expectedOffsets: string[] = [];
  readonly #declared: ReadonlySet<string>;
  readonly #unnamed: SymExpr[] = [];
  /** Integers other than those, which no result of the source program has. */
  readonly #fresh: SymExpr[] = [];
  #made = 0;
  /** The program whose names are not reserved yet. */
  #source: ExportedProgram | undefined;
  #isSecond = false;
  /** What the bodies that are being traced have made, the innermost last. */
  readonly #bodies: (string | BodyCall)[][] = [];
  #temporaries = 0;
  readonly #operandReads = new Map<string, number>();

  constructor(init: ShapeEnvInit = {}) {
    super(init);
    this.#declared = new Set(init.ranges?.keys());
  }

  /**
   * Whether the declared ranges have what follows from the assertions, as in a program that was
   * exported here. PyTorch learns it anew from a file.
   */
  knowsAssertions = false;

  /** What decompositions ask. */
  get inDecompositions(): SymEnv {
    return this;
  }

  /** Whether the program declares ranges of values that only the data decide. */
  get knowsData(): boolean {
    return [...this.#declared].some((name) => /^(u|zuf)\d+$/.test(name));
  }

  /** How many numbers were made that are known at run time only. */
  get made(): number {
    return this.#made;
  }

  /** Sizes and offsets of views for which the source program has no name. */
  get unnamed(): readonly SymExpr[] {
    return this.#unnamed;
  }

  /** Whether something else is known in the place of a symbol that the source program lacks. */
  get hasResolved(): boolean {
    return [...this.#fresh, ...this.#unnamed].some(({ name }) => this.replacements.has(name));
  }

  /** Begins another trace of the program: what is known stays. */
  restart(): void {
    this.#unnamed.length = 0;
    this.knownReads.clear();
    this.#made = 0;
    this.#isSecond = true;
  }

  /** The trace that is being made: PyTorch makes one for what is known of results, and another. */
  get trace(): "metadata" | "trace" {
    return this.#isSecond ? "trace" : "metadata";
  }

  /** Whether a body of control flow is being traced. */
  get isInBody(): boolean {
    return this.#bodies.length > 0;
  }

  /** Takes down what `trace` makes, whose symbols keep the names of the source program. */
  inBody<T>(trace: () => T): { readonly result: T; readonly made: BodySymbols } {
    const made: (string | BodyCall)[] = [];
    this.#bodies.push(made);
    try {
      return { result: trace(), made };
    } finally {
      this.#bodies.pop();
    }
  }

  /**
   * Symbols that branches read of the operands of their call, and how many bodies are around the
   * call that makes the operand. A tensor knows what was read of it: each run of a branch on the
   * same operands gives the same symbol.
   */
  get operandReads(): ReadonlyMap<string, number> {
    return this.#operandReads;
  }

  /** Takes note that a branch reads symbols of an operand, which a body of this depth makes. */
  noteOperandReads(names: readonly string[], depth: number): void {
    for (const name of names) this.#operandReads.set(name, depth);
  }

  /** What was read of operands in the trace that is being made, by the symbols of the source. */
  readonly knownReads = new Map<string, SymExpr>();

  /** Takes down a call in the body that is being traced. */
  noteCall(call: BodyCall): void {
    this.#bodies.at(-1)?.push(call);
  }

  /**
   * Requires what the source program asserts, where only the data decide it. Conditions that fail
   * are found when it runs.
   */
  require(condition: BoolLike): void {
    const isOpen = this.staticallyKnown(condition) === undefined && this.hint(condition) === undefined;
    if (!isOpen) return;
    if (this.knowsAssertions) this.checkAgain(condition);
    else super.check(condition);
  }

  /** Makes a symbol as another one; the source program has no name for it. */
  override freshLike(target: SymExpr): SymExpr {
    const made = target.name.startsWith("zuf") ? super.freshUnbackedFloat() : super.freshUnbackedInt();
    this.setRange(made, this.rangeOf(target));
    this.#unnamed.push(made);
    return made;
  }

  /** Takes the number of a symbol that comes back under the name that it had. */
  skipName(): void {
    this.#made++;
    super.freshUnbackedInt();
  }

  /**
   * Keeps the names of a program's symbols for them: at once where it declares ranges of data,
   * otherwise when a call makes a number that is not in its result.
   */
  reserveNames(program: ExportedProgram): void {
    this.#source = program;
    for (const name of program.unusedSymbols) this.reserve(name);
    if (this.knowsData) this.#reserveAll();
  }

  #reserveAll(): void {
    const nodes = this.#source?.graph.nodes() ?? [];
    this.#source = undefined;
    for (const { meta, args } of nodes) {
      for (const name of [...symbolNames(meta.val), ...offsetNames(meta.val)]) this.reserve(name);
      const message = args[1];
      if (typeof message !== "string") continue;
      for (const [name] of message.matchAll(/\bu\d+\b/g)) this.reserve(name);
    }
  }

  /**
   * The result that the source program records for the node being run: it has the names of the
   * symbols that the node created. They were numbered as they were made; a call may return a later
   * one first. An offset without a declared range was not saved by PyTorch.
   *
   * @param isKnown whether an earlier node gave a symbol
   * @param compute the result of a call that is decomposed, which may make numbers that are not in
   *   its result: it is computed to learn which ones are
   */
  expect(
    val: unknown,
    isKnown: (name: string) => boolean = () => false,
    compute?: (env: SymEnv) => unknown,
  ): void {
    if (val instanceof FakeTensor && hasStaticLayout(val)) {
      this.#expected = this.#expectedOffsets = [];
      return;
    }
    const inOrder = (names: readonly string[]): string[] =>
      names
        .filter((name) => UNBACKED.test(name) && !isKnown(name))
        .toSorted((a, b) => numberOf(a) - numberOf(b));
    this.#expected = inOrder(symbolNames(val));
    this.#expectedOffsets = inOrder(offsetNames(val)).filter((name) => this.#declared.has(name));
    if (compute === undefined || this.#expected.length === 0) return;
    const made = inOrderMade(val, this.#expected, compute);
    if (made === undefined) return;
    this.#expected = made;
    this.#reserveAll();
  }

  override freshUnbackedInt(use?: "length" | "offset"): SymExpr {
    const own = this.isInBody
      ? symbol(`u${FIRST_TEMPORARY + this.#temporaries++}`, { unbacked: true })
      : super.freshUnbackedInt(use);
    this.#made++;
    const name = this.#take(use === "offset" ? this.#expectedOffsets : this.#expected, /^(u\d+)?$/);
    const isNamed = name !== undefined && name !== NOT_IN_RESULT;
    this.#bodies.at(-1)?.push(isNamed ? name : own.name);
    if (isNamed) return symbol(name, { unbacked: true });
    if (this.isInBody) return own;
    (use === undefined ? this.#fresh : this.#unnamed).push(own);
    return own;
  }

  override freshUnbackedFloat(): SymExpr {
    this.#made++;
    const known = this.#take(this.#expected, /^zuf\d+$/);
    if (this.isInBody) {
      const name = known ?? `zuf${FIRST_TEMPORARY + this.#temporaries++}`;
      this.#bodies.at(-1)!.push(name);
      return symbol(name, { float: true, unbacked: true });
    }
    return known === undefined ? super.freshUnbackedFloat() : symbol(known, { float: true, unbacked: true });
  }

  /** Returns a declared range with what is known since; the same object when that is no more. */
  narrowed(name: string, declared: RangeConstraint): RangeConstraint {
    if (!/^\w+$/.test(name) || declared.float === true) return declared;
    const known = this.range(symbolByName(name));
    // A size counts as at least 2 while shapes are computed, whatever its range says.
    const min = known.min > Math.max(2, declared.min) ? known.min : declared.min;
    const max = Math.min(known.max, declared.max);
    return min === declared.min && max === declared.max ? declared : { min, max };
  }

  #take(names: string[], kind: RegExp): string | undefined {
    const at = names.findIndex((name) => kind.test(name));
    return at === -1 ? undefined : names.splice(at, 1)[0];
  }
}

/** In place of the name of a number that a call makes and does not return. */
const NOT_IN_RESULT = "";

/** Records the integers that a computation makes, under names that no program has. */
class MadeIntegers extends ShapeEnv {
  readonly names: string[] = [];

  constructor() {
    super();
    this.reserve("u500000000");
  }

  override freshUnbackedInt(use?: "length" | "offset"): SymExpr {
    const made = super.freshUnbackedInt(use);
    if (use !== "offset") this.names.push(made.name);
    return made;
  }
}

/**
 * Returns the new names of a recorded result in the order in which its call makes them, with
 * {@link NOT_IN_RESULT} for those that it does not return; undefined where that is not known.
 */
function inOrderMade(
  recorded: unknown,
  names: readonly string[],
  compute: (env: SymEnv) => unknown,
): string[] | undefined {
  const env = new MadeIntegers();
  let result: unknown;
  try {
    result = compute(env);
  } catch (error) {
    // It asks about sizes, or is refused, which is found when the call is run.
    if (isSconceError(error)) return undefined;
    throw error;
  }
  const returned = symbolNames(result).filter((name) => env.names.includes(name));
  const wanted = symbolNames(recorded).filter((name) => names.includes(name));
  if (returned.length !== wanted.length || env.names.length === returned.length) return undefined;
  return env.names.map((name) => wanted[returned.indexOf(name)] ?? NOT_IN_RESULT);
}

/** Symbols that calls make. */
const UNBACKED = /^(u|zuf)\d+$/;

/** Returns the number of `u12`. */
const numberOf = (name: string): number => Number(/\d+$/.exec(name)?.[0] ?? 0);

/** Returns what a program declares of its symbols: ranges and example values. */
export function shapeEnvOf(program: ExportedProgram): RetraceEnv {
  const ranges = new Map([...program.rangeConstraints].map(([name, { min, max }]) => [name, { min, max }]));
  return new RetraceEnv({ ranges, hints: program.symbolHints });
}

/**
 * Symbols of a value but for those of offsets, in order of appearance: the names that a
 * data-dependent size goes by.
 */
export const symbolNames = (val: unknown): string[] =>
  namesIn(val, ({ shape, strides }) => [...shape, ...strides]);

/** Symbols of the storage offsets of a value. */
const offsetNames = (val: unknown): string[] => namesIn(val, ({ storageOffset }) => [storageOffset]);

function namesIn(val: unknown, partsOf: (tensor: FakeTensor) => readonly unknown[]): string[] {
  const names = new Set<string>();
  const visit = (value: unknown): void => {
    if (value instanceof SymExpr) for (const name of freeSymbols(value).keys()) names.add(name);
    else if (value instanceof FakeTensor) partsOf(value).forEach(visit);
    else if (Array.isArray(value)) value.forEach(visit);
    else if (isSymScalar(value)) visit(value.expr);
  };
  visit(val);
  return [...names];
}
