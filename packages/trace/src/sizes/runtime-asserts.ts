/**
 * @file Reads of dynamic sizes and run-time assertions in a traced graph
 * (`insert_deferred_runtime_asserts` in `torch/fx/passes/runtime_assert.py`): sizes of inputs are
 * read once, behind the inputs; equal expressions are computed once; what must hold of a symbol
 * that depends on data is asserted where the symbol is made.
 */
import {
  type Argument,
  FakeTensor,
  float,
  isSymScalar,
  type MetaValue,
  type Namespace,
  type RangeConstraint,
  type SymScalar,
  symInt,
} from "@sconce/ir";
import {
  type FloatLike,
  floatConstant,
  freeSymbols,
  ge,
  type IntLike,
  isUnbacked,
  ite,
  le,
  MAX_SIZE,
  mul,
  printExpr,
  type ShapeEnv,
  SymExpr,
  substitute,
  symbolByName,
} from "@sconce/symbolic";
import { failsAlways } from "../errors.js";
import {
  readsSize,
  type TraceArgument,
  TraceNode,
  type UnbackedBinding,
  visitNodes,
  visitOperands,
} from "../nodes/trace-node.js";
import { lowerExpression } from "./lower-expression.js";
import { isRead, isSymbol } from "./size-expressions.js";

/** What the pass needs of a trace. */
export interface AssertedTrace<M> {
  readonly nodes: readonly TraceNode<M>[];
  /** What the graph gives. */
  readonly results: readonly TraceArgument<M>[];
  readonly names: Pick<Namespace, "create">;
  readonly env: ShapeEnv;
  /** What must hold of symbols, in the order in which it was learned. */
  readonly assertions: readonly SymExpr[];
  /** Symbols of sizes and strides of inputs that are written with others. */
  readonly ownSymbols?: OwnSymbols;
  /** Ranges of symbols of inputs. @defaultValue what is known when the graph is made */
  readonly inputRanges?: ReadonlyMap<string, RangeConstraint>;
  /** Whether the graph is nested in another one. */
  readonly isNested: boolean;
  /** Metadata of what is added behind the inputs. */
  readonly prelude: M;
  /** Metadata of a node that is added for one with the given metadata. */
  readonly reified: (meta: M, target: string) => M;
  /** Metadata of arithmetic of assertions. @defaultValue that of the node that is visited */
  readonly arithmeticMeta?: M | undefined;
}

/** Symbols in place of those that an input is written with, by the name of the input. */
export type OwnSymbols = ReadonlyMap<string, InputSymbols>;

/** The symbols of an input, by dimensions; undefined for those that it is written with. */
export interface InputSymbols {
  readonly sizes: readonly (SymExpr | undefined)[];
  readonly strides: readonly (SymExpr | undefined)[];
  /** The symbol of a number. */
  readonly value?: SymExpr | undefined;
}

/**
 * Returns the nodes of a trace with reads of sizes and assertions added, and duplicates left out.
 */
export const withRuntimeAsserts = <M>(trace: AssertedTrace<M>): TraceNode<M>[] => new Inserter(trace).run();

class Inserter<M> {
  readonly #trace: AssertedTrace<M>;
  readonly #byExpr = new Map<string, TraceNode<M>>();
  readonly #symbols: TraceNode<M>[] = [];
  readonly #asserted = new Set<string>();
  readonly #constrained = new Set<string>();
  /** Symbols of the call being visited whose ranges are not asserted yet. */
  readonly #waiting = new Set<string>();
  /** What sizes are written with in place of own symbols of inputs. */
  readonly #shown = new Map<string, IntLike>();
  readonly #pending: SymExpr[];
  #out: TraceNode<M>[] = [];
  /** Metadata of the node being visited: nodes added for it have the same, without its function. */
  #meta: M;

  constructor(trace: AssertedTrace<M>) {
    this.#trace = trace;
    this.#meta = trace.prelude;
    this.#pending = [...trace.assertions];
  }

  run(): TraceNode<M>[] {
    const placeholders = this.#trace.nodes.filter(({ op }) => op === "placeholder");
    this.#out.push(...placeholders);
    // In nested graphs the sizes that are inputs themselves come first.
    if (this.#trace.isNested)
      for (const node of placeholders) if (isSymScalar(node.val)) this.#matchInput(node);
    for (const node of placeholders) {
      this.#matchInput(node);
      this.#defineAll(node);
    }
    this.#preferNumbers(placeholders);
    const calls = this.#trace.nodes.filter(({ op }) => op !== "placeholder");
    const [first, ...others] = calls;
    if (first === undefined) this.#emitReady();
    else this.#visitFirst(first);
    for (const node of others) this.#visit(node);
    return this.#withoutUnused();
  }

  #matchInput(node: TraceNode<M>): void {
    const { val } = node;
    const own = this.#trace.ownSymbols?.get(node.name);
    const show = (symbol: SymExpr | undefined, as: IntLike): void => {
      if (symbol !== undefined) this.#shown.set(symbol.name, as);
    };
    if (isSymScalar(val)) {
      show(own?.value, val.expr as IntLike);
      this.#match(own?.value ?? val.expr, () => node);
    }
    if (!(val instanceof FakeTensor)) return;
    val.shape.forEach((size, dim) => {
      const symbol = own?.sizes[dim];
      show(symbol, size);
      this.#match(symbol ?? size, () =>
        this.#add("aten.sym_size.int", [node, dim], symInt(size), "sym_size_int"),
      );
    });
    val.strides.forEach((stride, dim) => {
      this.#match(own?.strides[dim] ?? stride, () =>
        this.#add("aten.sym_stride.int", [node, dim], symInt(stride), "sym_stride_int"),
      );
    });
    const offset = val.storageOffset;
    this.#match(offset, () =>
      this.#add("aten.sym_storage_offset.default", [node], symInt(offset), "sym_storage_offset_default"),
    );
  }

  /** Calls read a number that is given, and no size that was found equal to it. */
  #preferNumbers(placeholders: readonly TraceNode<M>[]): void {
    for (const node of placeholders)
      if (isSymScalar(node.val) && isSymbol(node.val.expr) && isUnbacked(node.val.expr))
        this.#byExpr.set(node.val.expr.key, node);
  }

  #match(size: unknown, make: () => TraceNode<M>): void {
    if (!isSymbol(size) || this.#byExpr.has(size.key)) return;
    this.#bindSymbol(size, make());
  }

  #bindSymbol(symbol: SymExpr, node: TraceNode<M>): void {
    this.#byExpr.set(symbol.key, node);
    this.#symbols.push(node);
  }

  /** What only waits for inputs comes behind the first call, which may read what that computes. */
  #visitFirst(node: TraceNode<M>): void {
    const start = this.#out.length;
    this.#meta = node.meta;
    this.#emitReady();
    const asserted = this.#out.splice(start);
    this.#visit(node);
    this.#out.splice(this.#out[start] === node ? start + 1 : start, 0, ...asserted);
  }

  #visit(node: TraceNode<M>): void {
    this.#meta = node.meta;
    if (node.target === "aten._assert_scalar.default" && this.#isAsserted(node)) return;
    const expr = this.#exprOf(node.val);
    if (node.op === "call_function" && expr !== undefined && this.#isRedundant(node, expr)) {
      node.replacement = this.#nodeOf(expr) as TraceNode<M>;
      return;
    }
    if (expr !== undefined && !this.#byExpr.has(expr.key)) this.#byExpr.set(expr.key, node);
    this.#out.push(node);
    this.#defineAll(node);
  }

  /** Returns whether a graph that is exported again asserts what is asserted by now. */
  #isAsserted({ args: [condition] }: TraceNode<M>): boolean {
    if (condition === true) return true;
    const expr = condition instanceof TraceNode ? this.#exprOf(condition.val) : undefined;
    if (expr === undefined) return false;
    if (this.#asserted.has(expr.key)) return true;
    this.#asserted.add(expr.key);
    return false;
  }

  /** Returns the expression that a node computes, in terms of what is known now. */
  #exprOf(val: MetaValue | undefined): SymExpr | undefined {
    if (!isSymScalar(val) || !(val.expr instanceof SymExpr)) return undefined;
    const simple = this.#trace.env.replace(val.expr) as unknown;
    return simple instanceof SymExpr ? simple : undefined;
  }

  #isRedundant(node: TraceNode<M>, expr: SymExpr): boolean {
    if (node.unbacked.some(({ symbol }) => !this.#byExpr.has(symbolByName(symbol).key))) return false;
    if (this.#byExpr.has(expr.key)) return true;
    return isSizeOfIntermediate(node) && !isRead(expr) && this.#isBound(expr);
  }

  #isBound(expr: SymExpr): boolean {
    return [...freeSymbols(expr).values()].every((symbol) => this.#byExpr.has(symbol.key));
  }

  #nodeOf(expr: SymExpr): TraceNode<M> | Argument {
    if (expr.op === "Integer") return Number(expr.value);
    if (expr.op === "Float") return float(Number(expr.value));
    const known = this.#byExpr.get(expr.key);
    if (known !== undefined) return known;
    const node = lowerExpression(
      expr,
      (part) => this.#nodeOf(part),
      (target, args, val, candidate) => this.#add(target, args, val, candidate),
    )!;
    this.#byExpr.set(expr.key, node);
    return node;
  }

  /** Symbols that a call makes: reads all behind the call, then asserts what must hold of each. */
  #defineAll(node: TraceNode<M>): void {
    const isInput = node.op === "placeholder";
    const symbols = node.unbacked.map((binding) => {
      this.#define(node, binding);
      return symbolByName(binding.symbol);
    });
    for (const { key } of symbols) this.#waiting.add(key);
    for (const symbol of symbols) {
      if (!this.#constrained.has(symbol.key)) {
        const declared = isInput ? this.#trace.inputRanges?.get(symbol.name) : undefined;
        this.#assertRange(symbol, declared ?? this.#trace.env.range(symbol));
      }
      this.#constrained.add(symbol.key);
      this.#waiting.delete(symbol.key);
      this.#emitReady();
    }
  }

  #define(node: TraceNode<M>, binding: UnbackedBinding): void {
    const { symbol: name, item, divisor = 1 } = binding;
    const symbol = symbolByName(name);
    if (this.#byExpr.has(symbol.key)) return;
    const vals = node.val;
    const owner =
      item === undefined
        ? node
        : this.#add("operator.getitem", [node, item], (vals as readonly MetaValue[])[item]!, "getitem");
    const read = this.#quotient(this.#readOf(owner, binding, symbol), symbol, divisor);
    // A condition that is read is `Eq(u0, 1)`: its symbol is 1 or 0.
    const choice =
      isSymScalar(read.val) && read.val.kind === "SymBool"
        ? this.#add("torch.sym_ite", [read, 1, 0], symInt(ite<IntLike>(read.val.expr, 1, 0)), "sym_ite")
        : read;
    this.#bindSymbol(symbol, choice);
  }

  /** Reads the place that gives a symbol, or a multiple of it. */
  #readOf(
    owner: TraceNode<M>,
    { dim, of = "size", divisor = 1 }: UnbackedBinding,
    symbol: SymExpr,
  ): TraceNode<M> {
    const val = symInt(mul(symbol, divisor));
    if (of === "offset")
      return this.#add("aten.sym_storage_offset.default", [owner], val, "sym_storage_offset_default");
    if (dim === undefined) return owner;
    const read = of === "size" ? "sym_size" : "sym_stride";
    return this.#add(`aten.${read}.int`, [owner, dim], val, `${read}_int`);
  }

  #quotient(read: TraceNode<M>, symbol: SymExpr, divisor: number): TraceNode<M> {
    if (divisor === 1) return read;
    return this.#add("operator.floordiv", [read, divisor], symInt(symbol), "floordiv");
  }

  #assertRange(symbol: SymExpr, { min, max }: { readonly min: number; readonly max: number }): void {
    const isInteger = symbol.assumptions.some(([assumption]) => assumption === "integer");
    const bound = (value: number): FloatLike => (isInteger ? value : floatConstant(value));
    if (Number.isFinite(min)) this.#assert(ge(symbol, bound(min)) as SymExpr);
    if (max < MAX_SIZE) this.#assert(le(symbol, bound(max)) as SymExpr);
  }

  /** Asserts what only waited for symbols that are bound by now. */
  #emitReady(): void {
    for (let i = 0; i < this.#pending.length; i++) {
      const condition = this.#pending[i]!;
      const isReady = this.#isBound(condition) && !this.#waitsFor(condition) && !this.#isOuter(condition);
      if (isRead(condition) || !isReady) continue;
      this.#pending.splice(i--, 1);
      const symbols = [...freeSymbols(condition).values()];
      const isBound =
        symbols.length === 1 && this.#constrained.has(symbols[0]!.key) && isRangeBound(condition);
      if (!isBound) this.#assert(condition);
    }
  }

  /** A condition comes with the last of its symbols, in the order in which they were made. */
  #waitsFor(condition: SymExpr): boolean {
    const last = this.#waiting.size === 0 ? undefined : lastUnbacked(condition);
    return last !== undefined && this.#waiting.has(last.key);
  }

  /**
   * Returns whether a graph that encloses this one asserts a condition, where its last symbol is
   * made.
   */
  #isOuter(condition: SymExpr): boolean {
    const last = this.#trace.isNested ? lastUnbacked(condition) : undefined;
    return last !== undefined && !this.#constrained.has(last.key);
  }

  #assert(condition: SymExpr): void {
    if (!(condition instanceof SymExpr) || this.#asserted.has(condition.key)) return;
    this.#asserted.add(condition.key);
    const meta = this.#meta;
    this.#meta = this.#trace.arithmeticMeta ?? meta;
    const node = this.#nodeOf(condition);
    this.#meta = meta;
    const name = node instanceof TraceNode ? node.name : printExpr(condition);
    const message = `Runtime assertion failed for expression ${printExpr(condition)} on node '${name}'`;
    if ((this.#trace.env.replace(condition) as unknown) === false) throw failsAlways(message);
    this.#add("aten._assert_scalar.default", [node, message], null, "_assert_scalar_default");
  }

  #add(
    target: string,
    args: readonly TraceArgument<M>[],
    val: MetaValue | SymScalar,
    candidate: string,
  ): TraceNode<M> {
    const node = new TraceNode<M>({
      name: this.#trace.names.create(candidate),
      op: "call_function",
      target,
      args,
      val: this.#asShown(val),
      meta: this.#trace.reified(this.#meta, target),
    });
    this.#out.push(node);
    return node;
  }

  #asShown(val: MetaValue): MetaValue {
    if (this.#shown.size === 0 || !isSymScalar(val)) return val;
    return { kind: val.kind, expr: substitute(val.expr, this.#shown) } as SymScalar;
  }

  /** Leaves out reads of symbols and of numbers that nothing uses. */
  #withoutUnused(): TraceNode<M>[] {
    const used = new Set<TraceNode<M>>();
    const note = (node: TraceNode<M>): void => void used.add(node.current);
    for (const result of this.#trace.results) visitNodes(result, note);
    for (const node of this.#out) visitOperands(node, note);
    const symbols = new Set(this.#symbols);
    const isUnused = (node: TraceNode<M>): boolean =>
      node.op !== "placeholder" && !used.has(node) && (symbols.has(node) || isItem(node));
    return this.#out.filter((node) => !isUnused(node));
  }
}

/** Returns the data-dependent integer of a condition that was made last. */
function lastUnbacked(condition: SymExpr): SymExpr | undefined {
  const numbers = [...freeSymbols(condition).keys()].flatMap((name) => /^u(\d+)$/.exec(name)?.[1] ?? []);
  return numbers.length === 0 ? undefined : symbolByName(`u${Math.max(...numbers.map(Number))}`);
}

/** Returns whether a node is a number that is read out of a tensor. */
const isItem = ({ target }: { readonly target: string }): boolean => target === "aten.item.default";

/**
 * Returns whether a node is a read of a size of a tensor that is not an input: it can be computed
 * from sizes of inputs.
 */
function isSizeOfIntermediate<M>(node: TraceNode<M>): boolean {
  const [tensor] = node.args;
  return readsSize(node) && tensor instanceof TraceNode && tensor.current.op !== "placeholder";
}

const isRangeBound = ({ op, args }: SymExpr): boolean =>
  (op === "LessThan" || op === "GreaterThan") &&
  args.length === 2 &&
  args.some(({ op: own }) => own === "Symbol") &&
  args.some(({ op: own }) => own === "Integer" || own === "Float");
