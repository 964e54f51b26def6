/**
 * @file Records the operators of a program, as `make_fx` does with `pre_dispatch` and fake
 * tensors (`torch/fx/experimental/proxy_tensor.py`).
 */

import {
  type Argument,
  FakeTensor,
  float,
  isSymScalar,
  type MetaValue,
  type ModuleStackEntry,
  type NodeMeta,
  type OpSchema,
} from "@sconce/ir";
import type { EmitArg, OpDefinition, OperatorTable, UnboundArg } from "@sconce/ops";
import { captureStack, type RawStack } from "@sconce/source-check";
import { type ShapeEnv, SymExpr } from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import { callName, functionName, GraphRecorder, normalizeCall } from "@sconce/trace";
import type { AutocastRegion } from "./autocast-mode.js";
import { recordAutocast, refuseInAutocast } from "./autocast-recorder.js";
import { assertionOf, type Bound, comparisonOf, openCondition } from "./bound-sizes.js";
import { metaOfCall } from "./call-meta.js";
import { CallShapes, isUndecided } from "./call-shapes.js";
import { isConjugated } from "./conjugates.js";
import { modelOperators } from "./custom-operators.js";
import type { OperatorArgument, OperatorKeywords, OperatorResult, Recorder } from "./dispatch.js";
import {
  dataDependentResult,
  escapedTensor,
  leakedTensor,
  refusedInLane,
  tracedValues,
  unknownSymbol,
  unresolvedConjugate,
} from "./errors.js";
import type { ExampleRun } from "./example-run.js";
import { ambientGradEnabled } from "./grad-mode.js";
import { KnownValues } from "./known-values.js";
import { laneLevel } from "./lane-levels.js";
import { refusedLaneCall } from "./lane-refusals.js";
import { LeafWrites } from "./leaf-writes.js";
import { forgetWritten } from "./memory-of.js";
import { isDifferentiable, isDifferentiated, operandsOf, writtenOperands } from "./operands.js";
import { fakeOf } from "./real-tensor.js";
import { refusal } from "./refusals.js";
import { refusedCall } from "./refused-operators.js";
import { dropsGradMode, SET_GRAD } from "./regions.js";
import { isConstant, scalarValue, wrapScalar } from "./scalar-values.js";
import { operatorSource, type SourceFunctions } from "./source-functions.js";
import { isSym, type Sym, SymFloat, SymInt } from "./sym-int.js";
import { type TraceArgument, type TraceMeta, TraceNode } from "./trace-node.js";
import { isCopyOfTraced, TracedTensor } from "./traced-tensor.js";
import type { BodyCall, GraphCall, TracerInit } from "./tracer-init.js";

/** Tensors of nested graphs. */
const nested = new WeakSet<FakeTensor>();

/** Records one graph. */
export class Tracer extends GraphRecorder<TraceMeta> implements Recorder {
  /** What is known of the sizes of the program. */
  readonly env: ShapeEnv;
  /** Operators that the program may call. */
  readonly operators: OperatorTable;
  /** Runs the calls on the values of the example inputs, for a draft. */
  readonly example: ExampleRun | undefined;
  /** The modules whose `forward` runs, outermost first. */
  moduleStack: readonly ModuleStackEntry[] = [];
  /** The stack of the call of the innermost of them. */
  moduleCall: RawStack | undefined;
  /** The innermost of them. */
  currentModule: object | undefined;
  /** Receives warnings. */
  readonly warn: (message: string) => void;
  /** The functions that a strict export notes; undefined where it is not strict. */
  readonly sources: SourceFunctions | undefined;
  /** Whether the export is strict. */
  readonly isStrict: boolean;
  /** Whether gradients are recorded at the current call. */
  gradEnabled = ambientGradEnabled();
  /** The metadata of the node that runs, where the model is a graph. */
  source: NodeMeta | undefined;
  /** Symbols of nested graphs that only the data decide: ranges of the program have them too. */
  readonly innerSymbols = new Set<string>();
  /** Constants of the program, in the order of their first use, with their nodes. */
  readonly constants = new Map<Tensor, TraceNode>();
  /** The tensors of the user's program by their fake tensors. */
  readonly #owners = new Map<FakeTensor, TracedTensor>();
  readonly #leafWrites: LeafWrites;
  readonly #shapes: CallShapes;
  /** Constants that an in-place call wrote to, as the last one left them. */
  readonly #written = new Map<Tensor, FakeTensor>();
  readonly #known = new KnownValues();
  /** The stack of the function or operator that runs: all nodes that its call adds have it. */
  #stack: RawStack | undefined;
  readonly #functionCounts = new Map<string, number>();
  /** The numbers of calls of graphs, by their targets. */
  readonly #graphCounts = new Map<string, number>();
  #function: readonly [string, string] | undefined;

  constructor({
    env,
    operators = modelOperators(),
    warn = (message) => console.warn(message),
    example,
    sources,
  }: TracerInit) {
    super(env);
    this.sources = sources;
    this.isStrict = sources !== undefined;
    this.env = env;
    this.example = example;
    this.warn = warn;
    this.operators = operators;
    this.#leafWrites = new LeafWrites(operators);
    this.#shapes = new CallShapes({ env, operators, example });
  }

  /** The stack of the function or operator that runs; undefined between calls. */
  get callStack(): RawStack | undefined {
    return this.#stack;
  }

  /** The modules around the nodes of a graph that a call of `cond` and the like runs. */
  get nestedModules(): readonly ModuleStackEntry[] {
    return [];
  }

  /** Whether the graph is nested in another one. */
  get isNested(): boolean {
    return false;
  }

  /** Returns the name by which an input of a nested graph is ordered; undefined for other nodes. */
  keyOf(_node: TraceNode): string | undefined {
    return undefined;
  }

  /** Returns the parts of a module, with the ways to them in Python; undefined for other values. */
  pathsOf(_value: object): readonly (readonly [path: string, value: unknown])[] | undefined {
    return undefined;
  }

  /** Checks the source of a function that control flow is given, before it runs. */
  checkBody(_call: BodyCall): void {}

  /** Runs a module's `forward`, whose calls `tracer` records. */
  inModule<T>(_module: object, _args: readonly unknown[], run: () => T, _tracer?: Tracer): T {
    return run();
  }

  /** Inputs that are parameters and buffers of the model. */
  readonly stateInputs = new Set<TraceNode>();

  /** Adds an input. With `binds` only a run decides its symbols, which are asserted behind it. */
  placeholder(val: MetaValue, binds = false): TraceNode {
    const target = `arg${this.nodes.length}_1`;
    const name = this.names.create(target);
    const symbols = this.newSymbols(val);
    const unbacked = binds ? symbols : [];
    return this.addInput({ name, target, val, unbacked });
  }

  /** Returns the node of a tensor; undefined for one of another trace. */
  findTensor(fake: FakeTensor): TraceNode | undefined {
    return this.tensors.get(fake) ?? this.outerTensor(fake);
  }

  /** Makes a tensor of the enclosing graph an input, and returns its node. */
  protected outerTensor(_fake: FakeTensor): TraceNode | undefined {
    return undefined;
  }

  /** Makes a symbol of the enclosing graph an input, and returns its node. */
  protected override outerSymbol(_symbol: SymExpr): TraceNode | undefined {
    return undefined;
  }

  /** Lets an input of the graph represent a symbolic value, though tensors have it too. */
  protected preferInput(expr: SymExpr, input: TraceNode): void {
    this.sizes.prefer(expr, input);
  }

  /** Makes a symbolic value of the enclosing graph an input. */
  protected useScalar(_value: Sym): void {}

  /** Returns the node of a traced tensor. @throws SconceError `ESCAPED_TENSOR` */
  nodeOf(tensor: TracedTensor): TraceNode {
    const node = this.findTensor(tensor.fake);
    if (node === undefined) throw this.untraced(tensor.fake);
    return node;
  }

  /** Returns the argument of a node for a symbolic value. */
  scalarArgument(value: Sym): TraceArgument {
    this.useScalar(value);
    return this.sizes.argument(value.expr);
  }

  /** Records a call of an operator, and returns its results. */
  call(target: string, args: readonly OperatorArgument[], kwargs: OperatorKeywords): OperatorResult {
    const row = this.operators.require(target);
    if (this.#stack !== undefined) return this.#record(row, args, kwargs);
    this.#stack = captureStack(this.moduleCall);
    try {
      if (this.sources === undefined) return this.#record(row, args, kwargs);
      return this.sources.run(...operatorSource(target, this.moduleStack), () =>
        this.#record(row, args, kwargs),
      );
    } finally {
      this.#stack = undefined;
    }
  }

  /** Runs a call, which a strict export notes as one of this function. */
  inSource<T>(name: string, source: string, run: () => T): T {
    return this.sources === undefined ? run() : this.sources.run(name, source, run);
  }

  #record(row: OpDefinition, args: readonly OperatorArgument[], kwargs: OperatorKeywords): OperatorResult {
    const read = this.#known.read(row, args, kwargs);
    if (read !== undefined) return read;
    const given = args.map((arg) => this.#given(arg));
    const named: Record<string, EmitArg> = {};
    for (const key in kwargs) if (kwargs[key] !== undefined) named[key] = this.#given(kwargs[key]);
    const normal = normalizeCall(row.schema, given, named);
    const refused = this.example === undefined ? refusedCall(row.target, normal.args) : undefined;
    if (refused !== undefined) throw refusal(refused);
    const nodeArgs = normal.args.map((arg) => this.toArgument(arg));
    const refusedLane =
      laneLevel(this) > 0 && refusedLaneCall(row, normal, (tensor) => this.findTensor(tensor));
    if (refusedLane) throw refusal(refusedInLane(row.target, refusedLane));
    const isViewedAsReal = row.target === "aten.view_as_real.default";
    if (isViewedAsReal && isConjugated(nodeArgs[0], this.operators))
      throw refusal(unresolvedConjugate(row.target));
    const nodeKwargs: Record<string, TraceArgument> = {};
    for (const key in normal.kwargs) nodeKwargs[key] = this.toArgument(normal.kwargs[key]!);
    const real = this.example?.run({ target: row.target, args: normal.args, kwargs: normal.kwargs });
    const { result: raw, returned: places } = this.#shapes.of(row, normal, real);
    if (isUndecided(row.schema, raw)) throw refusal(dataDependentResult(row.target));
    const written = writtenOperands(row.schema, args, kwargs);
    const asksGrad = this.gradEnabled && isDifferentiated(row.target, [...args, ...Object.values(kwargs)]);
    for (const tensor of written) if (tensor) this.#leafWrites.write(row.target, tensor, this, asksGrad);
    const returned = places?.map((place) => this.#owners.get(operandsOf(normal)[place]!)) ?? written;
    const result = this.#fresh(raw, asksGrad);
    this.example?.finish(result, real);
    this.#known.note(row, args, kwargs, result);
    const node = this.push({
      target: row.target,
      args: nodeArgs,
      kwargs: nodeKwargs,
      // A number that is known is not a value of the program: PyTorch keeps `None` for `can_cast`.
      val: isSymScalar(result) && !(result.expr instanceof SymExpr) ? null : result,
      candidate: callName(row.target),
      unbacked: this.newSymbols(result).filter(({ symbol }) => !this.isReadBefore(symbol)),
    });
    forgetWritten(row.schema, node, this.operators, {
      env: this.env,
      nodeOf: (tensor) => this.tensors.get(tensor),
    });
    this.#writeConstant(row.schema, args[0], node, result);
    return this.#wrap(result, node, returned);
  }

  /** A constant that an in-place call writes to is the call from then on. */
  #writeConstant(
    { args: [first], returns }: OpSchema,
    target: OperatorArgument,
    node: TraceNode,
    result: MetaValue,
  ): void {
    // A custom operator writes without returning what it wrote.
    if (first?.alias?.write !== true || returns[0]?.alias?.write !== true) return;
    if (!(target instanceof Tensor) || target instanceof TracedTensor) return;
    const constant = this.constants.get(target);
    if (constant === undefined) return;
    this.tensors.set(constant.val as FakeTensor, node);
    if (result instanceof FakeTensor) this.#written.set(target, result);
  }

  /** Records arithmetic on symbolic values. */
  arithmetic(target: string, args: readonly (Sym | Argument)[], result: Sym): void {
    const operands = args.map((arg) => (isSym(arg) ? this.scalarArgument(arg) : arg));
    const candidate = functionName(target);
    const node = this.inSource(candidate, target.replace(/^operator\./, "_operator."), () =>
      this.push({ target, args: operands, val: scalarValue(result), candidate }),
    );
    this.sizes.bind(result.expr, node);
  }

  /**
   * Returns whether a branch read a symbol of a tensor of this graph, which the tensor knows then.
   */
  protected isReadBefore(symbol: string): boolean {
    return this.innerSymbols.has(symbol);
  }

  /** Adds an assertion that TorchDynamo makes; `name` is its symbol for the size. */
  assertBound(size: SymExpr, bound: Bound, name: string): void {
    const argument = this.sizes.argument(size);
    const node = this.push(comparisonOf(argument, bound, openCondition(this.env, size, bound)));
    this.push(assertionOf(node, bound, name));
  }

  /** Takes the names of arithmetic that PyTorch records and drops again. */
  discarded(functions: readonly string[], sizes: readonly unknown[]): void {
    for (const size of sizes) if (isSym(size)) this.sizes.read(size.expr);
    for (const name of functions) this.names.create(name);
  }

  /** Records a constant that is made anew by each run. */
  freshConstant(value: Tensor): Tensor {
    const copy = this.call("aten.lift_fresh_copy.default", [value], {});
    return this.call("aten.detach_.default", [copy as Tensor], {}) as Tensor;
  }

  /** Runs a call, whose nodes note it as one of this function. */
  inFunction<T>(name: string, kind: string, run: () => T, source = name): T {
    const outer = this.#function;
    if (outer !== undefined) return run();
    const count = (this.#functionCounts.get(name) ?? 0) + 1;
    this.#functionCounts.set(name, count);
    this.#function = [`${name}_${count}`, `${kind}.${name}`];
    this.#stack = captureStack(this.moduleCall);
    try {
      return this.inSource(name, source, run);
    } finally {
      this.#function = outer;
      this.#stack = undefined;
    }
  }

  /** Records a call of graphs, each under a separate name (`true_graph_0`); returns its results. */
  callGraphs({
    name,
    kind,
    bodies,
    argumentsOf,
    kwargs = {},
    results,
    exampleResults = [],
  }: GraphCall): readonly OperatorResult[] {
    refuseInAutocast(this.nodes, name);
    for (const [i, real] of exampleResults.entries()) this.example?.finish(results[i]!, real);
    const target = `higher_order.${name}`;
    const count = this.#graphCounts.get(target) ?? 0;
    this.#graphCounts.set(target, count + 1);
    const reads = bodies.map(([prefix, body]) => {
      const graph = prefix + count;
      return this.push({ op: "get_attr", target: graph, candidate: graph, body });
    });
    const call = (): readonly OperatorResult[] => {
      const node = this.push({
        target,
        args: argumentsOf(reads),
        kwargs,
        val: results,
        candidate: name,
        unbacked: this.newSymbols(results),
      });
      return this.#wrap(results, node, []) as readonly OperatorResult[];
    };
    return this.inFunction(name, kind, call, `torch.ops.${target}`);
  }

  /** Records a call of a function that is not an operator, and returns its result. */
  callFunction(
    target: string,
    args: readonly (Tensor | Sym | Argument)[],
    val: MetaValue,
    candidate: string,
  ): OperatorResult {
    const operands = args.map((arg) => this.toArgument(this.#given(arg) as UnboundArg));
    return this.#wrap(val, this.push({ target, args: operands, val, candidate }), []);
  }

  /** Sets whether gradients are recorded from here on. */
  setGradEnabled(enabled: boolean): boolean {
    const before = this.gradEnabled;
    this.gradEnabled = enabled;
    if (this.isStrict && dropsGradMode(this.nodes, before, enabled)) return before;
    this.push({ target: SET_GRAD, args: [enabled], val: null, candidate: "_set_grad_enabled" });
    return before;
  }

  /** Runs something in a mixed precision region. */
  inAutocast<T>(region: AutocastRegion, run: () => T): T {
    return recordAutocast(this, this.#shapes, region, run);
  }

  #given(value: OperatorArgument): EmitArg {
    if (value instanceof TracedTensor) {
      this.nodeOf(value);
      this.#owners.set(value.fake, value);
      return value.fake;
    }
    if (value instanceof Tensor) return this.lift(value);
    if (isSym(value)) {
      this.useScalar(value);
      if (value instanceof SymInt) return value.expr;
      const known: unknown = value instanceof SymFloat ? this.env.replace(value.expr) : undefined;
      return typeof known === "number" ? float(known) : scalarValue(value);
    }
    if (Array.isArray(value)) return (value as readonly OperatorArgument[]).map((item) => this.#given(item));
    return value as EmitArg;
  }

  /** Makes a tensor with values a constant of the program. */
  lift(value: Tensor): FakeTensor {
    const known = this.constants.get(value);
    if (known !== undefined) return this.#written.get(value) ?? (known.val as FakeTensor);
    if (isCopyOfTraced(value)) throw refusal(tracedValues());
    const fake = fakeOf(value, false);
    this.example?.begin(fake, value);
    const name = `_tensor_constant${this.constants.size}`;
    const node = new TraceNode({ name, op: "get_attr", target: name, val: fake, meta: this.metaOf(name) });
    this.constants.set(value, node);
    this.track(fake, node);
    return fake;
  }

  /** Results of shape rules may be operands themselves; a node's value has its own identity. */
  #fresh(result: MetaValue, asksGrad: boolean): MetaValue {
    if (Array.isArray(result))
      return (result as readonly MetaValue[]).map((item) => this.#fresh(item, asksGrad));
    if (!(result instanceof FakeTensor)) return result;
    const requiresGrad = asksGrad && isDifferentiable(result);
    if (!this.tensors.has(result) && result.requiresGrad === requiresGrad) return result;
    return this.#shapes.copy(result, requiresGrad);
  }

  /**
   * Wraps the results of a call. `owners` are the operands that it returns, by the places of its
   * results: they become the results.
   */
  #wrap(value: MetaValue, node: TraceNode, owners: readonly (TracedTensor | undefined)[]): OperatorResult {
    if (Array.isArray(value)) {
      return (value as readonly MetaValue[]).map((item, i) => {
        const call = { target: "operator.getitem", args: [node, i], val: item, candidate: "getitem" };
        const getitem = this.push(call);
        return this.#wrap(item, getitem, [owners[i]]);
      });
    }
    if (value instanceof FakeTensor) {
      this.track(value, node);
      const [known] = owners;
      known?.becomes(value);
      const owner = known ?? new TracedTensor(value);
      this.#owners.set(value, owner);
      return owner;
    }
    if (!isSymScalar(value)) return isConstant(value) ? (value.value as OperatorResult) : null;
    if (!(value.expr instanceof SymExpr)) return value.expr as number | boolean;
    this.sizes.bind(value.expr, node);
    return wrapScalar(value.kind, value.expr);
  }

  override track(value: FakeTensor, node: TraceNode): void {
    if (this.isNested) nested.add(value);
    this.tensors.set(value, node);
    if (this.#shapes.isDynamic(value)) this.sizes.track(value, node);
  }

  protected override untraced(value: FakeTensor): Error {
    return (nested.has(value) ? leakedTensor : escapedTensor)(value);
  }
  protected override unknownSize(expr: SymExpr): Error {
    return unknownSymbol(expr);
  }

  protected override metaOf(target: string): TraceMeta {
    const { source, sources, moduleStack } = this;
    const stack = (): RawStack => this.#stack ?? captureStack(this.moduleCall);
    return metaOfCall(target, { source, sources, moduleStack, torchFn: this.#function, stack });
  }
}
