/**
 * @file Whether the calls of a program take the sizes of a run, and give what the program records.
 */
import { isSconceError, type SconceError } from "@sconce/errors";
import {
  type ExportedProgram,
  FakeTensor,
  forEachInput,
  type Graph,
  isRef,
  isSymScalar,
  type MetaValue,
  type Node,
  type NodeRef,
} from "@sconce/ir";
import {
  bindArgs,
  constantValue,
  hasSizes,
  isScalarFunction,
  metaOfBound,
  type OperatorTable,
  refuseSettings,
} from "@sconce/ops";
import {
  type BoolLike,
  eq,
  evaluate,
  evaluateInt,
  freeSymbols,
  type IntLike,
  ne,
  printExpr,
  STATIC_ENV,
  type SymEnv,
  SymExpr,
} from "@sconce/symbolic";
import { RefusalEnv, RetraceEnv, type SizeDecision } from "@sconce/trace";
import type { Bindings } from "./bindings.js";
import { KnownSymbols } from "./known-symbols.js";
import { hasLargeInteger } from "./large-integers.js";
import { isNaturalPower, scalarValue } from "./scalar-value.js";
import { refuseSymbolicScalars } from "./symbolic-scalars.js";

/** A call that does not hold at some sizes. */
export interface SizeProblem {
  /** The call. */
  readonly node: Node;
  /** What its shape rule throws; undefined if it gives another value than the program records. */
  readonly error: SconceError | undefined;
}

/** Errors of rules that only the data decide. */
const UNDECIDED: ReadonlySet<string> = new Set(["DATA_DEPENDENT_GUARD", "OPERATOR_WITHOUT_META"]);

/**
 * Sets of sizes whose calls are computed before proofs are tried: these take as long as several.
 */
const BEFORE_PROOFS = 4;

/** What holds for all sizes in some ranges. */
export interface Proofs {
  /** Calls with symbolic sizes that are not proved. */
  readonly open: ReadonlySet<Node>;
  /** The symbols of the calls, with the ranges that proofs rest on. */
  readonly ranges: ReadonlyMap<string, { readonly min: number; readonly max: number }>;
}

/**
 * Checks the calls of a program's own graph at sizes that become known when it runs, with the shape
 * rules of their operators. Calls that hold for all sizes in the declared ranges are proved once,
 * and not computed again. Nested graphs are not looked at: they may not run.
 */
export class SizeChecks {
  readonly #program: ExportedProgram;
  readonly #graph: Graph;
  readonly #operators: OperatorTable;
  /** Calls with a shape rule, in order. */
  readonly #calls: readonly Node[];
  /** Those with symbolic sizes. */
  readonly #symbolic: ReadonlySet<Node>;
  #proofs: Proofs | undefined;
  #asked = 0;

  constructor(program: ExportedProgram, operators: OperatorTable) {
    this.#program = program;
    this.#graph = program.graph;
    this.#operators = operators;
    this.#calls = program.graph.nodes().filter((node) => this.#hasRule(node));
    this.#symbolic = new Set(this.#calls.filter((node) => this.#symbolsOf(node).size > 0));
  }

  /** Proves calls, once. */
  prove(): Proofs {
    if (this.#proofs === undefined) {
      const env = new ProofEnv({ ranges: this.#program.rangeConstraints });
      const symbols = new Map([...this.#symbolic].flatMap((node) => [...this.#symbolsOf(node)]));
      for (const symbol of symbols.values()) narrow(symbol, env);
      const open = [...this.#symbolic].filter((node) => !this.#isProved(node, env));
      const ranges = new Map([...symbols].map(([name, symbol]) => [name, env.rangeOf(symbol)]));
      this.#proofs = { open: new Set(open), ranges };
    }
    return this.#proofs;
  }

  /**
   * Returns the calls that are not proved for all sizes in the declared ranges, where some symbols
   * have known values.
   */
  openAt(known: Bindings): readonly Node[] {
    const env = new ProofEnv({ ranges: this.#program.rangeConstraints });
    const symbols = new Map([...this.#symbolic].flatMap((node) => [...this.#symbolsOf(node)]));
    for (const symbol of symbols.values()) narrow(symbol, env);
    const values = new KnownSymbols(known);
    return [...this.#symbolic].filter((node) => !this.#isProved(node, env, (val) => values.in(val)));
  }

  /**
   * Returns the conditions on sizes in the declared ranges under which a call gives what the
   * program records; undefined where no such conditions say it.
   *
   * @param known the values of some symbols
   */
  conditionsOf(node: Node, known: Bindings = new Map()): readonly SizeDecision[] | undefined {
    const env = new ConditionEnv(this.#program);
    for (const symbol of this.#symbolsOf(node).values()) narrow(symbol, env);
    const values = new KnownSymbols(known);
    const holds = this.#holds(node, env, env.inDecompositions, (val) => values.in(val));
    return holds ? env.decisions : undefined;
  }

  /** Returns whether all calls are proved to hold at these sizes, or none has sizes. */
  holdAt(sizes: Bindings): boolean {
    if (this.#symbolic.size === 0) return true;
    return this.#proofs?.open.size === 0 && areInRange(this.#proofs, sizes);
  }

  /**
   * Returns the first call that its operator refuses, or else the first with another value than the
   * program records. Calls with sizes that are not among the given ones are left out.
   *
   * @param given inputs with other strides than the program records, by name
   */
  at(sizes: Bindings, given: ReadonlyMap<string, FakeTensor> = new Map()): SizeProblem | undefined {
    const proofs = ++this.#asked > BEFORE_PROOFS ? this.prove() : this.#proofs;
    const isProved = proofs !== undefined && areInRange(proofs, sizes);
    const suspects = isProved ? proofs.open : this.#symbolic;
    if (suspects.size === 0 && given.size === 0) return undefined;
    const values = new ValuesAt(sizes, given);
    let first: SizeProblem | undefined;
    for (const node of this.#calls) {
      if (!suspects.has(node) && !readsAny(node, values.others)) continue;
      try {
        if (!this.#take(node, values)) first ??= { node, error: undefined };
      } catch (error) {
        if (!isSconceError(error)) throw error;
        if (!UNDECIDED.has(error.code)) return { node, error };
        if (readsAny(node, values.others)) values.others.set(node.name, undefined);
      }
    }
    return first;
  }

  /**
   * Returns what the calls give that read inputs with other strides than the program records, by
   * name, and these inputs. A value is undefined where it is not known, and where a call refuses
   * its operands.
   *
   * @param given the inputs, by name
   */
  valuesWith(
    sizes: Bindings,
    given: ReadonlyMap<string, FakeTensor>,
  ): ReadonlyMap<string, MetaValue | undefined> {
    const values = new ValuesAt(sizes, given);
    for (const node of this.#graph.nodes()) {
      if (node.op !== "call_function" || !readsAny(node, values.others)) continue;
      // It stays unknown where no rule gives it.
      values.others.set(node.name, undefined);
      try {
        if (this.#hasRule(node)) this.#take(node, values);
      } catch (error) {
        if (!isSconceError(error)) throw error;
      }
    }
    return values.others;
  }

  /** Takes what a call gives for the calls behind it. Returns whether the program records it so. */
  #take(node: Node, values: ValuesAt): boolean {
    const value = this.#meaning(node, values);
    if (value === undefined) return true;
    // The host has the exact number, and refuses it.
    if (this.#isLarge(node, STATIC_ENV, (name) => values.of(this.#graph.node(name)))) return false;
    const isRecorded = isAs(node.meta.val!, value, values);
    // A size that only the data decide may follow from sizes that are known now.
    if (!isRecorded || !values.know(node) || readsAny(node, values.others))
      values.others.set(node.name, value);
    return isRecorded;
  }

  /** Returns what a call gives; undefined where an argument is not known yet. */
  #meaning(node: Node, values: ValuesAt): MetaValue | undefined {
    let isKnown = true;
    forEachInput(node, (name) => {
      const input = this.#graph.node(name);
      isKnown &&= (values.others.has(name) || values.know(input)) && values.of(input) !== undefined;
    });
    if (!isKnown) return undefined;
    return this.#computed(node, STATIC_ENV, (name) => values.of(this.#graph.node(name)));
  }
  #computed(
    { target, args, kwargs }: Node,
    env: SymEnv,
    values: (name: string) => MetaValue | undefined,
  ): MetaValue | undefined {
    const resolve = ({ name }: NodeRef): unknown => constantValue(values(name));
    if (isScalarFunction(target)) return scalarValue(target, args, resolve, env);
    if (target !== GETITEM) {
      const row = this.#operators.require(target);
      const bound = bindArgs(row.schema, args, kwargs, resolve);
      refuseSymbolicScalars(this.#operators, row, bound, env);
      refuseSettings(row, bound);
      return metaOfBound(this.#operators, row, bound, env);
    }
    const items = resolve(args[0] as NodeRef);
    return Array.isArray(items) ? (items as readonly MetaValue[])[Number(args[1])] : undefined;
  }
  /** Returns whether a check of the call looks at sizes, which proofs do not know. */
  #looksAtSizes({ target, args, kwargs }: Node, recorded: (name: string) => MetaValue | undefined): boolean {
    const row = this.#operators.get(target);
    if (row === undefined) return false;
    return hasSizes(
      row,
      bindArgs(row.schema, args, kwargs, ({ name }) => constantValue(recorded(name))),
    );
  }
  #isLarge(node: Node, env: SymEnv, values: (name: string) => MetaValue | undefined): boolean {
    const schema = this.#operators.get(node.target)?.schema;
    return schema !== undefined && hasLargeInteger(node, schema, env, values);
  }
  #hasRule({ op, target, meta }: Node): boolean {
    if (op !== "call_function" || meta.val === undefined) return false;
    if (target === GETITEM || isScalarFunction(target)) return true;
    const row = this.#operators.get(target);
    return row?.meta !== undefined || row?.decompose !== undefined;
  }
  /** Returns the symbols in a call's arguments and its value, by name. */
  #symbolsOf(node: Node): ReadonlyMap<string, SymExpr> {
    const found = new Map<string, SymExpr>();
    addSymbols(node.meta.val, found);
    // A part has the sizes of a list that may be long.
    if (node.target !== GETITEM)
      forEachInput(node, (name) => addSymbols(this.#graph.node(name).meta.val, found));
    return found;
  }

  /** @param meaning the value that is meant by one that the program records */
  #isProved(node: Node, env: ProofEnv, meaning?: (val: MetaValue) => MetaValue): boolean {
    return node.target === GETITEM || this.#holds(node, env, env, meaning);
  }

  /**
   * Returns whether a call is known to give what the program records.
   *
   * @param computing where its result is computed
   */
  #holds(
    node: Node,
    env: RetraceEnv & Sizes,
    computing: SymEnv,
    meaning = (val: MetaValue): MetaValue => val,
  ): boolean {
    try {
      const recorded = (name: string): MetaValue | undefined => {
        const { val } = this.#graph.node(name).meta;
        return val === undefined ? undefined : meaning(val);
      };
      if (PARTIAL.test(node.target) && !this.#isDefined(node, recorded, env)) return false;
      if (this.#looksAtSizes(node, recorded) || this.#isLarge(node, env, recorded)) return false;
      const value = this.#computed(node, computing, recorded);
      return value !== undefined && isAs(meaning(node.meta.val!), value, env);
    } catch (error) {
      if (isSconceError(error)) return false;
      throw error;
    }
  }

  /** Returns whether a function of numbers has a value wherever its arguments have some. */
  #isDefined(
    { target, args }: Node,
    recorded: (name: string) => MetaValue | undefined,
    env: RetraceEnv,
  ): boolean {
    if (target === "operator.pow") return isNaturalPower(args, recorded);
    const divisor = args[1];
    if (!DIVISIONS.has(target) || divisor === undefined) return false;
    const value = isRef(divisor) ? recorded(divisor.name) : divisor;
    const by = isSymScalar(value) ? value.expr : value;
    return isSize(by) && env.staticallyKnown(ne(by, 0)) === true;
  }
}

const GETITEM = "operator.getitem";
/** Functions of numbers that some arguments have no value for. */
const PARTIAL = /^(operator\.(truediv|floordiv|mod|pow|lshift|rshift)|math\.|torch\._sym_)/;
const DIVISIONS: ReadonlySet<string> = new Set(["operator.truediv", "operator.floordiv", "operator.mod"]);

/** Returns whether sizes are among those that proofs are made for. */
function areInRange({ ranges }: Proofs, sizes: Bindings): boolean {
  for (const [name, { min, max }] of ranges) {
    const size = sizes.get(name);
    if (size !== undefined && !(size >= min && size <= max)) return false;
  }
  return true;
}

/**
 * Decides only what holds for all sizes in the ranges, and assumes nothing: other questions are
 * refused as in a world of numbers.
 */
class ProofEnv extends RetraceEnv implements Sizes {
  override guard(condition: BoolLike): boolean {
    return this.staticallyKnown(condition) ?? STATIC_ENV.guard(condition);
  }
  override knownTrue(condition: BoolLike): boolean {
    return this.guard(condition);
  }
  override orFalse(condition: BoolLike): boolean {
    return this.guard(condition);
  }
  override orTrue(condition: BoolLike): boolean {
    return this.guard(condition);
  }
  override check(condition: BoolLike): boolean {
    return this.guard(condition);
  }
  override addAxiom(condition: BoolLike): void {
    this.guard(condition);
  }
  override guardInt(value: IntLike): number {
    return STATIC_ENV.guardInt(this.simplify(value));
  }
  override freshUnbackedInt(): SymExpr {
    return STATIC_ENV.freshUnbackedInt();
  }
  override freshUnbackedFloat(): SymExpr {
    return STATIC_ENV.freshUnbackedFloat();
  }
  areSame(a: IntLike, b: IntLike): boolean {
    return a === b || printExpr(this.simplify(a)) === printExpr(this.simplify(b));
  }
}

/**
 * Decides by the example, and records what it decided; sizes that may differ are taken for equal.
 */
class ConditionEnv extends RefusalEnv implements Sizes {
  areSame(a: IntLike, b: IntLike): boolean {
    return a === b || printExpr(this.simplify(a)) === printExpr(this.simplify(b)) || this.check(eq(a, b));
  }
}

/** Proofs are for sizes that tensors may have: products of two of them have 64 bits. */
function narrow(symbol: SymExpr, env: RetraceEnv): void {
  const { min, max } = env.rangeOf(symbol);
  const isSize = Number.isInteger(min) && !printExpr(symbol).startsWith("zuf");
  if (isSize && max > LARGEST_PROVED && min <= LARGEST_PROVED)
    env.setRange(symbol, { min, max: LARGEST_PROVED });
}
const LARGEST_PROVED = 2 ** 31;

function readsAny(node: Node, names: ReadonlyMap<string, unknown>): boolean {
  if (names.size === 0) return false;
  let found = false;
  forEachInput(node, (name) => {
    found ||= names.has(name);
  });
  return found;
}

/** Says whether two sizes are equal. */
interface Sizes {
  areSame(a: IntLike, b: IntLike): boolean;
}

/** The values of nodes at some sizes, each computed once. */
class ValuesAt implements Sizes {
  readonly sizes: Bindings;
  /** What calls give that is not what the program records; undefined where it is not known. */
  readonly others: Map<string, MetaValue | undefined>;
  readonly #recorded = new Map<string, MetaValue>();
  readonly #known = new Map<string, boolean>();

  constructor(sizes: Bindings, given: ReadonlyMap<string, MetaValue>) {
    this.sizes = sizes;
    this.others = new Map(given);
  }

  /** Returns whether all symbols of a recorded value have values. */
  know({ name, meta: { val } }: Node): boolean {
    let known = this.#known.get(name);
    if (known === undefined) {
      known = isKnownAt(val, this.sizes);
      this.#known.set(name, known);
    }
    return known;
  }
  /** Returns the value of a node that is known. */
  of({ name, meta: { val } }: Node): MetaValue | undefined {
    if (this.others.has(name)) return this.others.get(name);
    if (val === undefined) return undefined;
    let value = this.#recorded.get(name);
    if (value === undefined) {
      value = this.#at(val);
      this.#recorded.set(name, value);
    }
    return value;
  }
  #at(val: MetaValue): MetaValue {
    const number = (size: IntLike): number => evaluateInt(size, this.sizes);
    if (val instanceof FakeTensor) {
      const [shape, strides] = [val.shape.map(number), val.strides.map(number)];
      return new FakeTensor({ ...val, shape, strides, storageOffset: number(val.storageOffset) });
    }
    if (Array.isArray(val)) return (val as readonly MetaValue[]).map((item) => this.#at(item));
    if (!isSymScalar(val)) return val;
    // Integers of 2^53 and more are numbers, too.
    return { ...val, expr: evaluate(val.expr, this.sizes) } as MetaValue;
  }

  areSame(a: IntLike, b: IntLike): boolean {
    if (!isKnownAt(a, this.sizes) || !isKnownAt(b, this.sizes)) return true;
    return Object.is(evaluateInt(a, this.sizes) + 0, evaluateInt(b, this.sizes) + 0);
  }
}

/** Returns whether two values have the same kind, dtype and sizes. */
function isAs(recorded: MetaValue, value: MetaValue, sizes: Sizes): boolean {
  if (recorded instanceof FakeTensor && value instanceof FakeTensor) {
    const { dtype, shape } = value;
    return (
      recorded.dtype === dtype &&
      recorded.shape.length === shape.length &&
      recorded.shape.every((size, d) => sizes.areSame(size, shape[d]!))
    );
  }
  if (Array.isArray(recorded) && Array.isArray(value)) {
    const items = value as readonly MetaValue[];
    return (
      recorded.length === items.length &&
      (recorded as readonly MetaValue[]).every((item, i) => isAs(item, items[i]!, sizes))
    );
  }
  const [a, b] = [recorded, value].map((one): unknown => (isSymScalar(one) ? one.expr : one));
  // Constants and other values have no sizes.
  return !isSize(a) || !isSize(b) || sizes.areSame(a, b);
}
const isSize = (value: unknown): value is IntLike =>
  typeof value === "number" || typeof value === "boolean" || value instanceof SymExpr;

/** Returns whether the sizes of a value have no other symbols. */
function isKnownAt(value: unknown, sizes: Bindings): boolean {
  if (typeof value === "number") return true;
  if (value instanceof FakeTensor)
    return (
      value.shape.every((size) => isKnownAt(size, sizes)) &&
      value.strides.every((size) => isKnownAt(size, sizes)) &&
      isKnownAt(value.storageOffset, sizes)
    );
  if (value instanceof SymExpr) return [...freeSymbols(value).keys()].every((name) => sizes.has(name));
  if (Array.isArray(value)) return value.every((item) => isKnownAt(item, sizes));
  return !isSymScalar(value) || isKnownAt(value.expr, sizes);
}

function addSymbols(value: unknown, into: Map<string, SymExpr>): void {
  if (value instanceof SymExpr) for (const [name, symbol] of freeSymbols(value)) into.set(name, symbol);
  else if (value instanceof FakeTensor)
    for (const size of [...value.shape, ...value.strides, value.storageOffset]) addSymbols(size, into);
  else if (Array.isArray(value)) for (const item of value) addSymbols(item, into);
  else if (isSymScalar(value)) addSymbols(value.expr, into);
}
