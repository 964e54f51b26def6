/** @file Traces the functions of control flow as nested graphs. */
import type { Argument, FakeTensor, MetaValue } from "@sconce/ir";
import type { SymExpr } from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import {
  type OperatorArgument,
  type OperatorKeywords,
  type OperatorResult,
  withTrace,
} from "../trace/dispatch.js";
import { inScope, isSym, type Sym, SymInt, scopeOf } from "../trace/sym-int.js";
import { type TraceArgument, TraceNode, visitNodes, visitOperands } from "../trace/trace-node.js";
import { TracedTensor } from "../trace/traced-tensor.js";
import { type GraphCall, Tracer } from "../trace/tracer.js";
import { Aliases } from "./aliases.js";
import { gradModeInControlFlow, inputMutation, resultAliasing, unbackedOperand } from "./errors.js";
import type { OperandNames } from "./operand-names.js";

/** A value of the graph around a nested graph that the nested graph reads. */
export interface Lifted {
  /** Its node in the graph around. */
  readonly outer: TraceNode;
  readonly input: TraceNode;
  /** The name by which PyTorch orders it. */
  readonly key: string;
}

/** The parameters of a {@link BodyTracer}. */
export interface BodyInit {
  /** The trace of the graph around. */
  readonly parent: Tracer;
  /** The operator as messages name it: `cond`. */
  readonly operator: string;
  readonly names: OperandNames;
}

/** Records a nested graph. What it reads of the graph around becomes an input. */
export class BodyTracer extends Tracer {
  readonly parent: Tracer;
  readonly operator: string;
  /** What the graph reads of the graph around, in the order of its first use. */
  readonly lifted: Lifted[] = [];
  readonly #names: OperandNames;
  readonly #scalars = new Map<string, TraceNode>();
  readonly #aliases = new Aliases();
  /** Tensors of the graph around as they were before. */
  readonly #before = new Map<TracedTensor, FakeTensor>();

  constructor({ parent, operator, names }: BodyInit) {
    super({ env: parent.env, operators: parent.operators, warn: parent.warn });
    this.parent = parent;
    this.operator = operator;
    this.#names = names;
    this.moduleCall = parent.moduleCall;
    this.currentModule = parent.currentModule;
  }

  /**
   * Runs a function whose calls the graph records, and returns its result. Tensors of the graph
   * around are afterwards as they were before.
   */
  run<T>(body: () => T): T {
    try {
      return inScope(this, () => withTrace(this, body));
    } finally {
      for (const [tensor, fake] of this.#before)
        if (this.parent.findTensor(fake) !== undefined) tensor.becomes(fake);
    }
  }

  /** Adds an input for a tensor. */
  tensorInput(fake: FakeTensor): TracedTensor {
    this.placeholder(fake);
    const tensor = new TracedTensor(fake);
    this.#aliases.memoryOf(tensor);
    return tensor;
  }

  /** Adds an input for an integer that only the data decide. */
  intInput(expr: SymExpr): SymInt {
    const input = this.placeholder({ kind: "SymInt", expr });
    this.#scalars.set(expr.key, input);
    return inScope(this, () => new SymInt(expr));
  }

  /** The arguments that the graph takes before what it reads of the graph around. */
  get ownInputs(): TraceNode[] {
    const lifted = new Set(this.lifted.map(({ input }) => input));
    return this.nodes.filter((node) => node.op === "placeholder" && !lifted.has(node));
  }

  override call(target: string, args: readonly OperatorArgument[], kwargs: OperatorKeywords): OperatorResult {
    const { schema } = this.operators.require(target);
    for (const value of [...args, ...Object.values(kwargs)]) this.#remember(value);
    for (const tensor of this.#aliases.written(schema, args, kwargs))
      if (this.#aliases.isInput(tensor)) throw inputMutation(this.operator, target);
    const result = super.call(target, args, kwargs);
    this.#aliases.note(target, schema, args, kwargs, result);
    return result;
  }

  override callGraphs(call: GraphCall): readonly OperatorResult[] {
    const results = super.callGraphs(call);
    for (const result of results) if (result instanceof Tensor) this.#aliases.own(result);
    return results;
  }

  #remember(value: unknown): void {
    if (Array.isArray(value)) for (const item of value) this.#remember(item);
    else if (value instanceof TracedTensor && !this.#before.has(value)) {
      this.#before.set(value, value.fake);
      this.#aliases.memoryOf(value);
    }
  }

  override get isNested(): boolean {
    return true;
  }

  override keyOf(node: TraceNode): string | undefined {
    return this.lifted.find(({ input }) => input === node)?.key;
  }

  override inModule<T>(module: object, args: readonly unknown[], run: () => T): T {
    return this.parent.inModule(module, args, run, this);
  }

  override pathsOf(value: object): readonly (readonly [path: string, value: unknown])[] | undefined {
    return this.parent.pathsOf(value);
  }

  override setGradEnabled(): boolean {
    throw gradModeInControlFlow(this.operator);
  }

  /** A tensor with values is a constant of the program. */
  override lift(value: Tensor): FakeTensor {
    const fake = this.parent.lift(value);
    this.#names.share(value, fake);
    this.findTensor(fake);
    return fake;
  }

  protected override outerTensor(fake: FakeTensor): TraceNode | undefined {
    const outer = this.parent.findTensor(fake);
    return outer === undefined ? undefined : this.#lift(outer, fake, this.#names.of(fake, outer));
  }

  protected override outerSymbol(symbol: SymExpr): TraceNode | undefined {
    const outer = this.parent.scalarArgument(new SymInt(symbol));
    if (!(outer instanceof TraceNode)) return undefined;
    return this.#liftScalar(outer, symbol.key, { kind: "SymInt", expr: symbol }, outer.name);
  }

  protected override useScalar(value: Sym): void {
    const scope = scopeOf(value);
    if (scope === this || this.#scalars.has(value.expr.key)) return;
    if (this.env.hint(value.expr) === undefined) throw unbackedOperand(this.operator, value.toString());
    const outer = this.parent.scalarArgument(value);
    if (!(outer instanceof TraceNode)) return;
    this.#liftScalar(outer, value.expr.key, outer.val ?? null, this.#names.of(value, outer));
  }

  #liftScalar(outer: TraceNode, key: string, val: MetaValue, name: string): TraceNode {
    const known = this.#scalars.get(key);
    if (known !== undefined) return known;
    const input = this.#lift(outer, val, name);
    this.#scalars.set(key, input);
    return input;
  }

  #lift(outer: TraceNode, val: MetaValue, key: string): TraceNode {
    const input = this.placeholder(val);
    this.lifted.push({ outer, input, key });
    return input;
  }

  /** What the leaves of a result are in the graph. */
  outputs(leaves: readonly unknown[]): TraceArgument[] {
    const seen = new Set<object>();
    return leaves.map((leaf) => {
      if (!(leaf instanceof Tensor)) return isSym(leaf) ? this.scalarArgument(leaf) : (leaf as Argument);
      const memory = this.#aliases.memoryOf(leaf);
      if (seen.has(memory)) throw resultAliasing(this.operator, "Output-to-output");
      seen.add(memory);
      if (this.#aliases.isInput(leaf)) throw resultAliasing(this.operator, "Input-to-output");
      return this.nodeOf(leaf as TracedTensor);
    });
  }

  /** The nodes behind the inputs that reach a result or have an effect. */
  liveNodes(results: readonly TraceArgument[]): TraceNode[] {
    const used = new Set<TraceNode>();
    const use = (node: TraceNode): void => void used.add(node.current);
    for (const result of results) visitNodes(result, use);
    const kept: TraceNode[] = [];
    for (const node of this.nodes.toReversed()) {
      if (node.op === "placeholder" || !(used.has(node) || this.#hasEffect(node))) continue;
      kept.push(node);
      visitOperands(node, use);
    }
    return kept.reverse();
  }

  #hasEffect({ op, target, unbacked }: TraceNode): boolean {
    if (op !== "call_function") return false;
    const row = this.operators.get(target);
    return unbacked.length > 0 || row?.schema.isMutable === true || row?.tags.includes("effect") === true;
  }
}
