import type { Work } from "@sconce/errors";
import {
  type Argument,
  type CallForm,
  FakeTensor,
  type Graph,
  GraphBuilder,
  type MetaValue,
  NO_META,
  type NodeMeta,
  type RangeConstraint,
  type SymScalar,
  symInt,
} from "@sconce/ir";
import {
  bindArgs,
  type EmitArg,
  metaOfBound,
  type OpDefinition,
  type OperatorTable,
  type UnboundArg,
} from "@sconce/ops";
import { copyOf, type IntLike, SymExpr, symEquals } from "@sconce/symbolic";
import { symbolicNode, unboundSymbol, untracedTensor } from "../errors.js";
import { callName } from "../names/naming.js";
import { normalizeCall } from "../names/normalize.js";
import { INPUT_SIZE_META, reifiedFunction, reifiedMeta } from "../names/reified-metadata.js";
import { withoutCommonItems } from "../nodes/common-items.js";
import { withoutUnused } from "../nodes/dead-nodes.js";
import { finalArgument, graphNode } from "../nodes/graph-node.js";
import { type TraceArgument, TraceNode, type UnbackedBinding } from "../nodes/trace-node.js";
import { pathBindings } from "../nodes/unbacked-bindings.js";
import { readTensor } from "../sizes/data-reads.js";
import { DroppedArithmetic } from "../sizes/dropped-arithmetic.js";
import { ElementCounts } from "../sizes/element-counts.js";
import { withIndexCount } from "../sizes/index-count.js";
import type { RetraceEnv } from "../sizes/retrace-env.js";
import { type OwnSymbols, withRuntimeAsserts } from "../sizes/runtime-asserts.js";
import { SizeArithmetic } from "../sizes/size-arithmetic.js";
import { linearIn } from "../sizes/size-expressions.js";
import type { SizeGuards } from "../sizes/size-guards.js";
import { GraphRecorder } from "./graph-recorder.js";
import { RecordedCall } from "./recorded-call.js";
import { TensorWrapper } from "./tensor-wrapper.js";

/** Effects that `with_effects` keeps in order. */
const ORDERED_EFFECTS: ReadonlySet<string> = new Set(["aten._linalg_check_errors.default"]);

interface ReplayedMeta {
  readonly stackTrace: NodeMeta["stackTrace"] | undefined;
  readonly custom: NodeMeta["custom"] | undefined;
}

/** The node of a lowered graph while it is traced. */
export type LoweredNode = TraceNode<NodeMeta>;
type LoweredArgument = TraceArgument<NodeMeta>;

/** Records a lowered graph. */
export class LoweringTracer extends GraphRecorder<NodeMeta> {
  /** Operators that the graph may call. */
  readonly operators: OperatorTable;
  /** What is known of the sizes of the program. */
  readonly env: RetraceEnv;
  /** What the nodes' origins name. */
  readonly pass: string;
  /** Records arithmetic on sizes. */
  readonly arithmetic: SizeArithmetic<NodeMeta>;
  /** Takes the names of what PyTorch drops again. */
  readonly dropped: DroppedArithmetic;
  /** Metadata copied to the nodes being made: that of the source node which is being run. */
  currentMeta: NodeMeta = NO_META;
  /** Metadata of reads of input sizes. */
  preludeMeta: NodeMeta = INPUT_SIZE_META;
  /** Conditions that the source program asserts, where its symbols are known as they were made. */
  assertions: readonly SymExpr[] = [];
  /** Symbols of sizes of inputs that are written with others. */
  ownSymbols: OwnSymbols = new Map();
  /** Whether the program is from a file: inputs have the symbols that they show. */
  isLoaded = false;
  /** Ranges that the program declares. */
  inputRanges: ReadonlyMap<string, RangeConstraint> = new Map();
  /** Collects guards of sizes; bodies of control flow add none. */
  guards: SizeGuards | undefined;
  /** True for the body of a call of control flow. */
  isBody = false;
  /** How many bodies the graph is in. */
  depth = 0;
  /** Inputs of a branch, with the depth of the graph that makes the operand. */
  operands: ReadonlyMap<FakeTensor, number> = new Map();
  /** Symbols that branches read of tensors around them in this trace, shared with its bodies. */
  readBefore: Set<string> = new Set();
  /** In such a body, metadata of arithmetic that assertions need. */
  bodyArithmeticMeta: NodeMeta | undefined;
  /** True once every call was run: what the outputs make anew has no stack trace. */
  isFinishing = false;
  /** The source node that is being run, until a call of its operator is made. */
  recorded: { readonly target: string; readonly val: MetaValue | undefined } | undefined;
  /** What the last ordered effect gave: an input and an output of the program once there is one. */
  token: FakeTensor | undefined;
  readonly #elements: ElementCounts<NodeMeta>;
  readonly #madeSymbols = new Set<string>();
  readonly #subgraphs = new Map<string, Graph>();
  readonly #subgraphCounts = new Map<string, number>();

  constructor(operators: OperatorTable, env: RetraceEnv, pass = "decompose") {
    super(env);
    this.operators = operators;
    this.env = env;
    this.pass = pass;
    this.arithmetic = new SizeArithmetic(this.sizes, this.pushScalar.bind(this));
    this.dropped = new DroppedArithmetic(this);
    this.#elements = new ElementCounts(operators);
  }

  protected override metaOf(): NodeMeta {
    return this.currentMeta;
  }
  protected override untraced(value: FakeTensor): Error {
    return untracedTensor(value);
  }
  protected override unknownSize(expr: SymExpr): Error {
    return expr.op === "Symbol" ? unboundSymbol(expr.name) : symbolicNode(expr);
  }

  /** Adds an input, and returns the value that represents it: each size is its own object. */
  placeholder<T extends MetaValue>(candidate: string, given: T, meta: NodeMeta = NO_META): T {
    const val = given instanceof FakeTensor ? (this.#ownSizes(given) as T & FakeTensor) : given;
    const name = this.names.create(candidate);
    const shown = this.newSymbols(val).filter(({ symbol }) => /^(u|zuf)\d+$/.test(symbol));
    const unbacked = this.isBody ? [] : this.isLoaded ? shown : pathBindings(meta.unbackedBindings);
    this.addInput({ name, target: name, val, meta, unbacked });
    return val;
  }

  /** Returns a tensor whose sizes share no objects: in PyTorch each size of an input is its own. */
  #ownSizes(given: FakeTensor): FakeTensor {
    const seen = new Set<SymExpr>();
    const own = (size: IntLike): IntLike => {
      if (!(size instanceof SymExpr)) return size;
      const result = this.sizes.has(size) || seen.has(size) ? copyOf(size) : size;
      seen.add(result);
      return result;
    };
    const { shape, strides, storageOffset } = given;
    return new FakeTensor({
      ...given,
      shape: shape.map(own),
      strides: strides.map(own),
      storageOffset: own(storageOffset),
    });
  }

  override track(value: FakeTensor, node: LoweredNode): void {
    this.tensors.set(value, node);
    this.sizes.track(value, node, this.#elements.note(value, node));
  }

  /** Returns whether a fake tensor represents an input. */
  isInput(value: FakeTensor): boolean {
    return this.tensors.get(value)?.op === "placeholder";
  }

  /** Returns the number of elements of a tensor, as a node reads it. */
  elementsOf(tensor: FakeTensor): IntLike {
    return this.#elements.of(tensor);
  }

  /** Adds a call of an operator on the lowered level; returns its fake result. */
  call(row: OpDefinition, args: readonly EmitArg[], kwargs: Readonly<Record<string, EmitArg>>): MetaValue {
    const normal = normalizeCall(row.schema, args, kwargs);
    const fakes = this.fakeResult(row, normal.args, normal.kwargs);
    const counted = withIndexCount(row.target, normal.args, fakes, this.#madeSymbols);
    const result = this.#asRecorded(row.target, counted);
    if (ORDERED_EFFECTS.has(row.target) && !this.isBody)
      return this.ordered(row.target, normal.args, normal.kwargs);
    return this.record(row.target, normal.args, normal.kwargs, result);
  }

  /**
   * Sizes as the source program writes them, for a call that is kept. Rules may write the same size
   * in another way, because the guards that PyTorch simplified it with are not known here.
   */
  #asRecorded(target: string, result: MetaValue): MetaValue {
    const wanted = this.recorded?.target === target ? this.recorded.val : undefined;
    if (!(wanted instanceof FakeTensor) || !(result instanceof FakeTensor)) return result;
    this.recorded = undefined;
    if (!isRewritten(wanted, result, this.env)) return result;
    return new FakeTensor({ ...result, shape: wanted.shape, strides: wanted.strides });
  }

  /**
   * Gives the results of a decomposed call the sizes that the source program writes, where nodes
   * added since `start` compute them.
   */
  adoptSizes(start: number, result: MetaValue, wanted: MetaValue | undefined): void {
    if (Array.isArray(result) && Array.isArray(wanted)) {
      for (const [i, item] of result.entries())
        this.adoptSizes(start, item as MetaValue, wanted[i] as MetaValue);
      return;
    }
    if (!(result instanceof FakeTensor) || !(wanted instanceof FakeTensor)) return;
    const value = result instanceof TensorWrapper ? result.lastValue : result;
    if (!isRewritten(wanted, value, this.env)) return;
    const node = this.nodes.slice(start).find(({ val }) => val === value);
    if (node === undefined) return;
    const { shape, strides } = wanted;
    for (const tensor of [value, result]) Object.assign(tensor, { shape, strides });
    this.sizes.track(value, node);
  }

  /**
   * Records an effect that must keep its place: it takes the token of the one before it, and gives
   * the next its own.
   */
  ordered(
    target: string,
    args: readonly UnboundArg[],
    kwargs: Readonly<Record<string, UnboundArg>>,
  ): MetaValue {
    const fresh = (): FakeTensor => new FakeTensor({ dtype: "float32", shape: [0], strides: [1] });
    if (this.token === undefined) {
      this.token = fresh();
      const name = this.names.create("token");
      const node = new TraceNode<NodeMeta>({ name, op: "placeholder", target: name, val: this.token });
      this.nodes.unshift(node);
      this.track(this.token, node);
    }
    const operator: Argument = { kind: "operator", target };
    const result = this.record("higher_order.with_effects", [this.token, operator, ...args], kwargs, [
      fresh(),
      null,
    ]);
    this.token = (result as readonly FakeTensor[])[0]!;
    return null;
  }

  /** Returns the operator's results on fakes, without a node. */
  fakeResult(
    row: OpDefinition,
    args: readonly UnboundArg[],
    kwargs: Readonly<Record<string, UnboundArg>>,
  ): MetaValue {
    const bound = bindArgs(row.schema, args, kwargs);
    return metaOfBound(this.operators, row, bound, this.env);
  }

  /** Adds a `call_function` node and, for several results, a `getitem` node for each. */
  record(
    target: string,
    args: readonly (UnboundArg | LoweredArgument)[],
    kwargs: Readonly<Record<string, UnboundArg | LoweredArgument>>,
    result: MetaValue,
    callForm?: CallForm,
  ): MetaValue {
    const nodeArgs = args.map((arg) => this.toArgument(arg));
    const nodeKwargs: Record<string, LoweredArgument> = {};
    for (const key in kwargs) nodeKwargs[key] = this.toArgument(kwargs[key]!);
    const val = this.#fresh(result);
    const meta = callForm === undefined ? this.currentMeta : { ...this.currentMeta, callForm };
    const unbacked = this.#made(target, args, val);
    const candidate = callName(target);
    const node = this.push({ target, args: nodeArgs, kwargs: nodeKwargs, meta, val, unbacked, candidate });
    this.#trackResult(val, node);
    return val;
  }

  /**
   * Returns the symbols that a call makes: not those that it reads of operands, which know them.
   */
  #made(
    target: string,
    args: readonly (UnboundArg | LoweredArgument)[],
    val: MetaValue,
  ): readonly UnbackedBinding[] {
    const made = this.newSymbols(val);
    if (made.length === 0) return made;
    for (const { symbol } of made) this.#madeSymbols.add(symbol);
    const tensor = readTensor(target, args) as FakeTensor | undefined;
    const depth = tensor === undefined ? undefined : this.operands.get(tensor);
    if (depth !== undefined) {
      const names = made.map(({ symbol }) => symbol);
      this.env.noteOperandReads(names, depth);
      for (const name of names) this.readBefore.add(name);
      return [];
    }
    return made.filter(({ symbol }) => !this.readBefore.has(symbol));
  }

  /**
   * Returns what a call with several results was recorded as since `start`; undefined where it
   * cannot be recorded again for one of them.
   */
  recordedCall(
    base: FakeTensor,
    start: number,
    results: readonly MetaValue[],
  ): RecordedCall<NodeMeta> | undefined {
    const operand = this.tensors.get(base);
    if (operand === undefined) return undefined;
    const made = results.map((item) => (item instanceof FakeTensor ? this.tensors.get(item) : undefined));
    return RecordedCall.of(operand, this.nodes.slice(start), made, this.currentMeta);
  }

  /** Records a call again on a like operand, for one of its results. */
  recordAgain(call: RecordedCall<NodeMeta>, base: FakeTensor, result: number): FakeTensor {
    const names = new Map<string, (at: number) => string>();
    for (const [candidate, count] of call.names) {
      this.dropped.takeWaiting(candidate);
      names.set(candidate, this.names.createMany(candidate, count));
    }
    const made = new Map([[call.operand, this.tensors.get(base)!]]);
    let last = base;
    for (const { node, name, at } of call.partsOf(result)) {
      const args = node.args.map((arg) => (arg instanceof TraceNode ? (made.get(arg) ?? arg) : arg));
      const { op, target, kwargs, val: recorded } = node;
      const val = recorded instanceof FakeTensor ? new FakeTensor(recorded) : recorded;
      const meta = this.currentMeta;
      const added = this.add({ name: names.get(name)!(at), op, target, args, kwargs, meta, val });
      made.set(node, added);
      if (!(val instanceof FakeTensor)) continue;
      this.track(val, added);
      last = val;
    }
    return last;
  }

  /** Adds a node for a nested graph. */
  getAttr(target: string, graph: Graph): LoweredNode {
    this.#subgraphs.set(target, graph);
    const meta = this.currentMeta;
    return this.add({ name: this.names.create(target), op: "get_attr", target, meta });
  }

  /** The names of nested graphs that later calls of the same graphs read too. */
  readonly sharedTargets = new Map<Graph, string>();

  /**
   * Returns how many nested graphs were named with a prefix before; the next call counts one more.
   */
  subgraphCount(prefix: string): number {
    const count = this.#subgraphCounts.get(prefix) ?? 0;
    this.#subgraphCounts.set(prefix, count + 1);
    return count;
  }

  /**
   * Returns a symbol that is only the root of derived sizes: `x: f32[2*s0]` gives s0 as
   * `sym_size(x, 0) // 2`.
   */
  protected override outerSymbol(symbol: SymExpr): LoweredNode | undefined {
    for (const { op, val } of this.nodes) {
      if (op !== "placeholder" || !(val instanceof FakeTensor)) continue;
      for (const size of val.shape) {
        const solved = size instanceof SymExpr ? linearIn(size, symbol.name) : undefined;
        if (solved === undefined) continue;
        const call = (name: string, left: LoweredNode, right: number): LoweredNode =>
          right === (name === "sub" ? 0 : 1)
            ? left
            : this.pushScalar(`operator.${name}`, [left, right], symInt(symbol), name);
        const read = this.sizes.argument(size as SymExpr) as LoweredNode;
        return call("floordiv", call("sub", read, solved.offset), solved.factor);
      }
    }
    return undefined;
  }

  /**
   * Makes the traced graph, without what nothing uses and with run-time assertions. Every node is
   * new, so there is no page of the source graph to share with `rebuild`.
   *
   * @param isRemovable whether a node may go that nothing reads
   */
  *build(
    output: LoweredArgument,
    isRemovable: (node: LoweredNode) => boolean,
    meta: NodeMeta = NO_META,
  ): Work<Graph> {
    const results = [output];
    const nodes = withoutUnused(this.nodes, results, isRemovable);
    yield;
    const asserted = withRuntimeAsserts({
      nodes,
      results,
      names: { create: (candidate) => this.createName(candidate) },
      env: this.env,
      assertions: [...this.assertions, ...this.env.assertions],
      ownSymbols: this.ownSymbols,
      inputRanges: this.inputRanges,
      isNested: this.isBody,
      prelude: this.preludeMeta,
      reified: (source, target) => this.#reified(source, target),
      arithmeticMeta: this.bodyArithmeticMeta,
    });
    yield;
    const final = withoutCommonItems(asserted).map(graphNode);
    const args = [finalArgument(output)];
    final.push({ name: "output", op: "output", target: "output", args, kwargs: {}, meta });
    return new GraphBuilder({ unknownTargets: "allow" }).addAll(final, this.#subgraphs).build();
  }

  /** Metadata of a node that the pass for run-time assertions adds. */
  #reified(source: NodeMeta, target: string): NodeMeta {
    // Reads of sizes in bodies have no function. Items have that of their call.
    if (target === "operator.getitem" || (this.isBody && source === this.preludeMeta)) return source;
    return { ...reifiedMeta(source), torchFn: reifiedFunction(target) };
  }

  /** Returns a name, behind those of what PyTorch drops. */
  protected override createName(candidate: string): string {
    this.dropped.takeWaiting(candidate);
    return super.createName(candidate);
  }

  /**
   * Records a view that a call makes anew: it has the stack trace and the annotations of the view
   * that it represents.
   */
  replay<T>({ stackTrace, custom }: ReplayedMeta, run: () => T): T {
    if (this.isFinishing) return run();
    const outer = this.currentMeta;
    this.currentMeta = {
      ...outer,
      ...(stackTrace === undefined ? {} : { stackTrace }),
      ...(custom === undefined ? {} : { custom }),
    };
    try {
      return run();
    } finally {
      this.currentMeta = outer;
    }
  }

  /** Arithmetic that comes to a plain number has it as its value. */
  protected override pushScalar(
    target: string,
    args: readonly LoweredArgument[],
    scalar: SymScalar,
    candidate: string,
  ): LoweredNode {
    const val: MetaValue =
      typeof scalar.expr === "number" ? { kind: "constant", value: scalar.expr } : scalar;
    return this.push({ target, args, val, candidate });
  }

  /**
   * Results of meta rules may be the arguments themselves; a node's value needs its own identity.
   */
  #fresh(result: MetaValue): MetaValue {
    // Retracing runs without gradients: only inputs require them.
    if (result instanceof FakeTensor) {
      return this.tensors.has(result) || result.requiresGrad
        ? new FakeTensor({ ...result, requiresGrad: false })
        : result;
    }
    if (Array.isArray(result)) {
      const seen = new Set<MetaValue>();
      return (result as readonly MetaValue[]).map((item) => {
        const fresh = seen.has(item) && item instanceof FakeTensor ? new FakeTensor(item) : this.#fresh(item);
        seen.add(fresh);
        return fresh;
      });
    }
    return result;
  }

  /** PyTorch unpacks every result, and drops those that nothing reads: they count for names. */
  #trackResult(result: MetaValue, node: LoweredNode): void {
    if (!Array.isArray(result)) this.represent(result, node);
    else
      for (const [index, item] of (result as readonly MetaValue[]).entries()) {
        const name = this.names.create("getitem");
        if (item === null) continue;
        const target = "operator.getitem";
        const meta = this.currentMeta;
        this.#trackResult(
          item,
          this.add({ name, op: "call_function", target, args: [node, index], meta, val: item }),
        );
      }
  }
}

/**
 * Returns whether the sizes of a tensor are written in another way than the wanted ones, and come
 * to the same.
 */
function isRewritten(wanted: FakeTensor, result: FakeTensor, env: RetraceEnv): boolean {
  if (wanted.ndim !== result.ndim || wanted.dtype !== result.dtype) return false;
  if (wanted.shape.every((size, d) => symEquals(size, result.shape[d]!))) return false;
  return wanted.shape.every((size, d) => {
    const hint = env.hint(size);
    return hint !== undefined && hint === env.hint(result.shape[d]!);
  });
}
