/**
 * @file Assertions on data-dependent sizes, as PyTorch leaves them after a retrace
 * (`torch/fx/passes/runtime_assert.py`): each stands right after the node that binds its last
 * symbol, range bounds first. The source program's own assertion stays where it was only when its
 * condition is written otherwise than the canonical text in its message.
 */
import {
  type Argument,
  type Graph,
  isRef,
  type Node,
  type NodeMeta,
  type SymScalar,
  symInt,
} from "@sconce/ir";
import { evaluateScalarFunction } from "@sconce/ops";
import {
  canonicalCondition,
  freeSymbols,
  ge,
  isUnbacked,
  le,
  MAX_SIZE,
  printExpr,
  type SymBool,
  SymExpr,
  symbolByName,
} from "@sconce/symbolic";
import type { Tracer } from "./tracer.js";

const MESSAGE = /^Runtime assertion failed for expression (.*) on node '.*'$/s;
const TARGET = "aten._assert_scalar.default";

interface Assertion {
  /** Canonical text of the condition. */
  readonly text: string;
  readonly condition: SymExpr;
  readonly isRange: boolean;
  /**
   * The integer that a float is compared with: the node of the condition has it as it is written.
   */
  readonly bound: number | undefined;
}

/** An assertion on sizes of inputs whose condition holds for the sizes that are written. */
interface KnownAssertion {
  readonly text: string;
  /** The comparison of the source program. */
  readonly equation: Node;
}

/** An assertion on a size of a view that is known after the view was made. */
interface ResolvedAssertion {
  /** The canonical text, with the symbol that the source program had for the size. */
  readonly text: string;
  readonly symbol: string;
  /** The comparison of the size with something else. */
  readonly target: string;
  readonly other: Argument | SymScalar;
}

/**
 * Assertions on sizes and data of the source program, which are placed where PyTorch places them:
 * as soon as all of their symbols have nodes.
 */
export class RuntimeAssertions {
  readonly #pending: Assertion[] = [];
  /** Assertions on sizes of inputs that an export made of its guards. */
  #ofInputs: (Assertion | KnownAssertion)[] = [];
  readonly #source: Graph;
  /** Assertions on sizes that are known by now, by the views of the source program. */
  readonly #resolved = new Map<string, ResolvedAssertion[]>();
  /** Symbols of the source program for sizes that are known by now. */
  readonly resolvedSymbols = new Set<string>();
  /** Conditions that are asserted already, as text. */
  readonly #asserted = new Set<string>();

  /**
   * Whether conditions that ranges decide are not deferred: the symbols have no assertions but
   * those of this trace. In a program that was exported here, the ones of the export are known too.
   */
  readonly #isFresh: boolean;

  /** @param isFresh of a program that was exported here it is false */
  constructor(graph: Graph, isFresh: boolean) {
    this.#isFresh = isFresh;
    this.#source = graph;
    const known = new Set<string>();
    for (const node of graph.nodes()) {
      const assertion = assertionOf(node, graph);
      if (assertion === undefined || known.has(assertion.text)) continue;
      known.add(assertion.text);
      const { condition, text, equation } = assertion;
      if (this.#resolve(node, assertion, graph)) continue;
      if (condition === undefined) {
        if (!isFresh && equation !== undefined) this.#ofInputs.push({ text, equation });
      } else if (dependsOnData(condition)) this.#pending.push({ ...assertion, condition });
      else if (!isFresh) this.#ofInputs.push({ ...assertion, condition });
    }
    this.#pending.sort((a, b) => Number(b.isRange) - Number(a.isRange));
  }

  /** Whether an assertion is one on a size that its condition shows as a number. */
  #resolve({ args: [source] }: Node, { text, shown, isRange }: FoundAssertion, graph: Graph): boolean {
    const symbols = shown === undefined ? undefined : freeSymbols(shown);
    const symbol = [...text.matchAll(/\bu\d+\b/g)].find(([name]) => symbols?.has(name) !== true)?.[0];
    if (symbol === undefined || !isRef(source)) return false;
    const { target, args } = graph.node(source.name);
    const [size, other] = args;
    const read = isRef(size) ? graph.node(size.name) : undefined;
    if (read?.target !== "aten.sym_size.int" || !isRef(read.args[0])) return isRange !== true;
    const value = isRef(other) ? graph.node(other.name).meta.val : other;
    const assertion = { text, symbol, target, other: value as Argument | SymScalar };
    const owner = read.args[0].name;
    this.#resolved.set(owner, [...(this.#resolved.get(owner) ?? []), assertion]);
    return true;
  }

  /** Asserts what the source program asserted of a size of the view that is being run. */
  #emitResolved(tracer: Tracer): void {
    const [owner] = tracer.currentMeta.origin?.from ?? [];
    const resolved = owner === undefined ? undefined : this.#resolved.get(owner);
    const length = tracer.env.newLength;
    if (resolved === undefined || length === undefined || !tracer.symbols.knows(length.name)) return;
    this.#resolved.delete(owner!);
    this.resolvedSymbols.add(resolved[0]!.symbol);
    for (const { text, symbol, target, other } of resolved) {
      const operands = [symInt(length), other];
      const condition = evaluateScalarFunction(target, operands as readonly SymScalar[]);
      if (!(condition.expr instanceof SymExpr)) continue;
      const renamed = text.replace(new RegExp(`\\b${symbol}\\b`, "g"), length.name);
      this.#assert(tracer, renamed, tracer.toArgument(condition));
    }
  }

  #assert(tracer: Tracer, text: string, condition: Argument): void {
    this.#asserted.add(text);
    const name = isRef(condition) ? condition.name : "";
    const message = `Runtime assertion failed for expression ${text} on node '${name}'`;
    tracer.record(TARGET, [condition, message], {}, null, "_assert_scalar_default");
  }

  /**
   * Sizes of inputs that became others, or whose range is checked, are read before the first call:
   * the assertions follow those reads.
   */
  emitFirst(tracer: Tracer): void {
    const isChecked = (symbol: SymExpr): boolean => {
      const { min, max } = tracer.env.range(symbol);
      return min > 2 || max < MAX_SIZE;
    };
    const isReadFirst = (assertion: Assertion | KnownAssertion): boolean =>
      isKnown(assertion) || [...freeSymbols(assertion.condition).values()].some(isChecked);
    if (this.#ofInputs.some(isReadFirst)) this.emitOfInputs(tracer);
  }

  /** Adds the assertions that wait for inputs alone, the first time that it is called. */
  emitOfInputs(tracer: Tracer): void {
    const ready = this.#ofInputs;
    this.#ofInputs = [];
    tracer.reify(() => {
      for (const assertion of ready) {
        if (isKnown(assertion)) this.#emitKnown(tracer, assertion);
        else
          this.#assert(
            tracer,
            assertion.text,
            tracer.symbols.ofInputs(canonicalCondition(assertion.condition) as SymExpr),
          );
      }
    });
  }

  /** Asserts anew what the export found out about a size: its condition is not a question here. */
  #emitKnown(tracer: Tracer, { text, equation }: KnownAssertion): void {
    const { symbols } = tracer;
    const operands = equation.args.map((arg) => {
      const node = isRef(arg) ? this.#source.node(arg.name) : undefined;
      if (node === undefined) return arg;
      const [tensor, dim] = node.args;
      const isRead = node.target === "aten.sym_size.int" && isRef(tensor);
      const placeholder = isRead ? tracer.placeholderOf(tensor.name) : undefined;
      const own = placeholder === undefined ? undefined : symbols.replacedRead(placeholder, Number(dim));
      if (own !== undefined) return own;
      const { expr } = node.meta.val as SymScalar;
      return expr instanceof SymExpr ? symbols.ofInputs(expr) : arg;
    });
    const value = { kind: "SymBool", expr: true } as const;
    this.#assert(tracer, text, tracer.scalarCall(equation.target, operands, value, "eq"));
    // The source program's own assertion stays.
    this.#asserted.delete(text);
  }

  /** Asserts what only waited for a symbol that has just been bound. */
  emitReady(tracer: Tracer): void {
    tracer.reify(() => this.#emitResolved(tracer));
    const isReady = ({ condition }: Assertion): boolean =>
      [...freeSymbols(condition).keys()].every((name) => tracer.symbols.knows(name));
    const ready = this.#pending.filter(isReady);
    if (ready.length === 0) return;
    const left = this.#pending.filter((one) => !ready.includes(one));
    this.#pending.splice(0, this.#pending.length, ...left);
    const order = new Map([...tracer.symbols.bound].map((name, i) => [name, i]));
    const placeOf = ({ condition }: Assertion): number => order.get(lastSymbol(condition)) ?? -1;
    ready.sort((a, b) => placeOf(a) - placeOf(b));
    for (const assertion of ready) {
      // What the ranges decide is not asserted anew: the source's own assertion stays.
      const isDecided = assertion.isRange
        ? ready.some((other) => isTighter(other, assertion))
        : this.#isFresh && tracer.env.knownByRange(assertion.condition) === true;
      if (!isDecided) this.#emit(tracer, assertion);
    }
  }

  #emit(tracer: Tracer, { condition, text, bound, isRange }: Assertion): void {
    tracer.reify(() => {
      const made = tracer.currentMeta;
      // PyTorch traces the graph of a call while that call runs: arithmetic has the call's line.
      tracer.currentMeta = tracer.bodyArithmeticMeta ?? made;
      const node = this.#nodeOf(tracer, { condition, text, bound, isRange });
      tracer.currentMeta = made;
      this.#assert(tracer, text, node);
    });
    tracer.env.addAxiom(condition);
  }

  #nodeOf({ symbols }: Tracer, { condition, bound, isRange }: Assertion): Argument {
    if (bound !== undefined) return symbols.comparison(condition, bound);
    if (isRange) return symbols.rangeBound(condition);
    return symbols.scalarArgument({ kind: "SymBool", expr: canonicalCondition(condition) });
  }

  /**
   * An assertion of the source program: dropped when the same condition is asserted already. The
   * metadata is that of the condition's node.
   */
  emitSource(tracer: Tracer, condition: SymScalar | boolean, message: string, meta: NodeMeta): void {
    if (typeof condition === "boolean") return;
    if (!(condition.expr instanceof SymExpr)) {
      const always = tracer.symbols.constantNode(condition);
      if (always !== undefined) tracer.record(TARGET, [always, message], {}, null, "_assert_scalar");
      return;
    }
    const replaced = tracer.env.replace(condition.expr) as SymBool;
    if (!(replaced instanceof SymExpr)) return;
    // A condition that is written otherwise is another node.
    const known = haveSameSymbols(condition.expr, replaced) ? condition.expr : replaced;
    const text = printExpr(known);
    if (this.#asserted.has(text)) {
      tracer.names.create("_assert_scalar");
      tracer.symbols.keepEquality(known);
      return;
    }
    this.#asserted.add(text);
    const assertion = tracer.currentMeta;
    tracer.currentMeta = meta;
    const asserted = tracer.symbols.sourceArgument({ kind: "SymBool", expr: known });
    tracer.currentMeta = assertion;
    tracer.record(TARGET, [asserted, message], {}, null, "_assert_scalar");
  }
}

/** Whether an assertion is of a range that is within that of another one. */
function isTighter({ text, isRange }: Assertion, other: Assertion): boolean {
  const [bound, weaker] = [BOUND.exec(text), BOUND.exec(other.text)];
  if (!isRange || bound === null || weaker === null) return false;
  if (bound[1] !== weaker[1] || bound[2] !== weaker[2]) return false;
  const difference = Number(bound[3]) - Number(weaker[3]);
  return bound[2] === ">" ? difference > 0 : difference < 0;
}

const BOUND = /^(u\d+) ([<>])= (-?\d+)$/;

const isKnown = (assertion: Assertion | KnownAssertion): assertion is KnownAssertion =>
  !("condition" in assertion);

const dependsOnData = (condition: SymExpr): boolean => [...freeSymbols(condition).values()].some(isUnbacked);

function haveSameSymbols(a: SymExpr, b: SymExpr): boolean {
  const [own, others] = [freeSymbols(a), freeSymbols(b)];
  return own.size === others.size && [...own.keys()].every((name) => others.has(name));
}

/**
 * The data-dependent symbol of a condition that was made last: its assertion follows that symbol.
 */
function lastSymbol(condition: SymExpr): string {
  const numbers = [...freeSymbols(condition).keys()].flatMap((name) => /^u(\d+)$/.exec(name)?.[1] ?? []);
  return `u${Math.max(...numbers.map(Number))}`;
}

/** An assertion of the source program; its condition may be known, or have no recorded value. */
type FoundAssertion = Omit<Assertion, "condition"> & {
  readonly condition: SymExpr | undefined;
  /** What the source program records for the condition. */
  readonly shown: SymExpr | undefined;
  /** The comparison of sizes of inputs that became one size. */
  readonly equation: Node | undefined;
};

function assertionOf(node: Node, graph: Graph): FoundAssertion | undefined {
  if (node.target !== TARGET) return undefined;
  const [condition, message] = node.args;
  const text = typeof message === "string" ? MESSAGE.exec(message)?.[1] : undefined;
  if (text === undefined || !isRef(condition)) return undefined;
  const source = graph.node(condition.name);
  const val = source.meta.val as SymScalar | undefined;
  const range = rangeOf(text);
  const shown = val?.expr instanceof SymExpr ? val.expr : undefined;
  const expr = range ?? shown;
  const bound = expr === undefined ? undefined : boundOf(expr, text);
  const isEquation = expr === undefined && source.target === "operator.eq" && !/\b(u|zuf)\d/.test(text);
  const equation = isEquation ? source : undefined;
  return { text, condition: expr, shown, isRange: range !== undefined, bound, equation };
}

/** A bound of a symbol's range, from its text: a condition that is read shows another form. */
function rangeOf(text: string): SymExpr | undefined {
  const found = BOUND.exec(text);
  if (found === null) return undefined;
  const [, name, direction, bound] = found;
  return (direction === "<" ? le : ge)(symbolByName(name!), Number(bound)) as SymExpr;
}

/** `0 < zuf0` is computed as `zuf0 > 0`, while the condition is `zuf0 > 0.0`. */
function boundOf(condition: SymExpr, text: string): number | undefined {
  const literal = condition.args[1];
  const written = /^(-?\d+) [<>]=? | [<>]=? (-?\d+)$/.exec(text);
  if (condition.args.length !== 2 || literal?.op !== "Float" || written === null) return undefined;
  return Number(written[1] ?? written[2]);
}
