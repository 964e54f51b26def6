import {
  type Argument,
  type CallForm,
  FakeTensor,
  type Graph,
  GraphBuilder,
  type MetaValue,
  Namespace,
  NO_META,
  type Node,
  type NodeMeta,
  type NodeRef,
  ref,
  type SymScalar,
} from "@sconce/ir";
import {
  bindArgs,
  type EmitArg,
  metaOfBound,
  type OpDefinition,
  type OperatorTable,
  type UnboundArg,
} from "@sconce/ops";
import { type SymExpr, type SymInt, symEquals } from "@sconce/symbolic";
import { argumentOf } from "../argument-of.js";
import { untracedTensor } from "../errors.js";
import { callName } from "../names/naming.js";
import { normalizeCall } from "../names/normalize.js";
import { reifiedFunction, reifiedMeta } from "../names/reified-metadata.js";
import { refRenamer } from "../node-arguments.js";
import { DroppedArithmetic } from "../sizes/dropped-arithmetic.js";
import type { RetraceEnv } from "../sizes/shape-env.js";
import type { SizeGuards } from "../sizes/size-guards.js";
import { SymbolicNodes } from "../sizes/symbolic-nodes.js";
import { TensorWrapper } from "./tensor-wrapper.js";

/** Effects that `with_effects` keeps in order. */
const ORDERED_EFFECTS: ReadonlySet<string> = new Set(["aten._linalg_check_errors.default"]);

interface ReplayedMeta {
  readonly stackTrace: NodeMeta["stackTrace"] | undefined;
  readonly custom: NodeMeta["custom"] | undefined;
}

/** Places the run-time assertions of the source program in the graph being traced. */
interface AssertionWriter {
  /** Adds the assertions that wait for inputs alone, the first time that it is called. */
  emitOfInputs(tracer: Tracer): void;
  /** Adds the assertions whose symbols are all bound by now. */
  emitReady(tracer: Tracer): void;
  /**
   * Adds an assertion of the source program where it stands, unless its canonical form is placed
   * elsewhere.
   */
  emitSource(tracer: Tracer, condition: SymScalar | boolean, message: string, meta: NodeMeta): void;
}

/**
 * Values that represent nodes while a graph is built: fake tensors by identity, symbolic scalars by
 * expression.
 */
export class Tracer {
  /** Operators that the graph may call. */
  readonly operators: OperatorTable;
  /** What is known of the sizes of the program. */
  readonly env: RetraceEnv;
  /** What the nodes' origins name. */
  readonly pass: string;
  /** Names of nodes that are taken. */
  readonly names = new Namespace();
  /** Nodes that compute sizes and other symbolic numbers. */
  readonly symbols: SymbolicNodes;
  /** Takes the names of what PyTorch drops again. */
  readonly dropped: DroppedArithmetic;
  /** Metadata copied to the nodes being made: that of the source node which is being run. */
  currentMeta: NodeMeta = NO_META;
  /** Run-time assertions to place. */
  assertions: AssertionWriter | undefined;
  /** Collects guards of sizes; bodies of control flow add none. */
  guards: SizeGuards | undefined;
  /** True for the body of a call of control flow. */
  isBody = false;
  /** In such a body, metadata of arithmetic that assertions need. */
  bodyArithmeticMeta: NodeMeta | undefined;
  /** True once every call was run: what the outputs make anew has no stack trace. */
  isFinishing = false;
  /** The source node that is being run, until a call of its operator is made. */
  recorded: { readonly target: string; readonly val: MetaValue | undefined } | undefined;
  /** What the last ordered effect gave: an input and an output of the program once there is one. */
  token: FakeTensor | undefined;
  #nodes: Node[] = [];
  readonly #tensors = new Map<FakeTensor, NodeRef>();
  readonly #subgraphs = new Map<string, Graph>();
  readonly #subgraphCounts = new Map<string, number>();
  /** The operands of the call being run, and what its decomposition has made so far. */
  #callTensors: FakeTensor[] = [];
  #reifying = false;
  /** Candidates for the names of nodes that PyTorch adds after the trace, by names until then. */
  readonly #late = new Map<string, string>();

  constructor(operators: OperatorTable, env: RetraceEnv, pass = "decompose") {
    this.operators = operators;
    this.env = env;
    this.pass = pass;
    this.symbols = new SymbolicNodes(this);
    this.dropped = new DroppedArithmetic(this);
  }

  /** Nodes so far, in order, without reads of sizes of inputs. */
  get nodes(): readonly Node[] {
    return this.#nodes;
  }

  /** Adds an input, and binds the symbols of its sizes. */
  placeholder(candidate: string, val: MetaValue, meta: NodeMeta = NO_META): NodeRef {
    const name = this.names.create(candidate);
    this.#push({ name, op: "placeholder", target: name, args: [], kwargs: {}, meta: { ...meta, val } });
    const node = ref(name);
    if (val instanceof FakeTensor) this.track(val, node);
    else this.symbols.bindScalar(val, node);
    return node;
  }

  /**
   * Lets a fake tensor represent a node, and its sizes for reads of them; returns whether a new
   * symbol was bound.
   */
  track(value: FakeTensor, node: NodeRef): boolean {
    this.#tensors.set(value, node);
    return this.symbols.bindSizes(value, node);
  }

  /** Whether a node is an input. */
  isInput({ name }: NodeRef): boolean {
    const node = this.#nodes.find((one) => one.name === name || one.op !== "placeholder");
    return node?.op === "placeholder";
  }

  /** Whether a fake tensor represents a node. */
  isTracked(value: FakeTensor): boolean {
    return this.#tensors.has(value);
  }

  /** Adds a call of an operator on the lowered level; returns its fake result. */
  call(row: OpDefinition, args: readonly EmitArg[], kwargs: Readonly<Record<string, EmitArg>>): MetaValue {
    const normal = normalizeCall(row.schema, args, kwargs);
    const result = this.#asRecorded(row.target, this.fakeResult(row, normal.args, normal.kwargs));
    if (ORDERED_EFFECTS.has(row.target) && !this.isBody)
      return this.#ordered(row, normal.args, normal.kwargs);
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

  /** Begins a call of the source program with these arguments. */
  beginCall(args: readonly EmitArg[]): void {
    this.#callTensors = tensorsIn(args);
    this.symbols.sourceOperands = this.#callTensors;
    this.symbols.callOperands = [];
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
    const node = this.#nodes.slice(start).find(({ meta }) => meta.val === value);
    if (node === undefined) return;
    const { shape, strides } = wanted;
    for (const tensor of [value, result]) Object.assign(tensor, { shape, strides });
    this.symbols.computedSizes(value, ref(node.name), node.meta, []);
  }

  /**
   * An effect that must keep its place takes the token of the one before it, and gives the next its
   * own.
   */
  #ordered(
    row: OpDefinition,
    args: readonly UnboundArg[],
    kwargs: Readonly<Record<string, UnboundArg>>,
  ): MetaValue {
    const fresh = (): FakeTensor => new FakeTensor({ dtype: "float32", shape: [0], strides: [1] });
    if (this.token === undefined) {
      this.token = fresh();
      const name = this.names.create("token");
      this.#nodes.unshift({
        name,
        op: "placeholder",
        target: name,
        args: [],
        kwargs: {},
        meta: { val: this.token },
      });
      this.track(this.token, ref(name));
    }
    const operator: Argument = { kind: "operator", target: row.target };
    const result = this.record("higher_order.with_effects", [this.token, operator, ...args], kwargs, [
      fresh(),
      null,
    ]);
    this.token = (result as readonly FakeTensor[])[0]!;
    return null;
  }

  /** The operator's results on fakes, without a node. */
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
    args: readonly (UnboundArg | Argument)[],
    kwargs: Readonly<Record<string, UnboundArg | Argument>>,
    result: MetaValue,
    candidate: string = callName(target),
    callForm?: CallForm,
  ): MetaValue {
    const operands = tensorsIn([args, Object.values(kwargs)]);
    this.symbols.callOperands = operands;
    const nodeArgs = args.map((arg) => this.toArgument(arg as UnboundArg));
    const nodeKwargs: Record<string, Argument> = {};
    for (const key in kwargs) nodeKwargs[key] = this.toArgument(kwargs[key] as UnboundArg);
    const fresh = this.#fresh(result);
    const name = this.#name(candidate);
    this.#push({
      name,
      op: "call_function",
      target,
      args: nodeArgs,
      kwargs: nodeKwargs,
      meta: { ...this.currentMeta, ...(callForm && { callForm }), val: fresh },
    });
    const isBound = this.#trackResult(fresh, ref(name), operands);
    if (!this.isBody) this.assertions?.emitOfInputs(this);
    if (isBound) this.assertions?.emitReady(this);
    return fresh;
  }

  /** The placeholder that represents an input of the source program. */
  placeholderOf: (input: string) => NodeRef | undefined = () => undefined;

  /** Adds a node for a nested graph. */
  getAttr(target: string, graph: Graph): NodeRef {
    const name = this.names.create(target);
    this.#subgraphs.set(target, graph);
    this.#push({ name, op: "get_attr", target, args: [], kwargs: {}, meta: this.currentMeta });
    return ref(name);
  }

  /** `true_graph_0`, `true_graph_1`, ... per graph and kind. */
  subgraphTarget(prefix: string): string {
    const count = this.#subgraphCounts.get(prefix) ?? 0;
    this.#subgraphCounts.set(prefix, count + 1);
    return `${prefix}_${count}`;
  }

  /** Adds the output. */
  output(result: Argument, meta: NodeMeta = NO_META): void {
    this.#push({ name: "output", op: "output", target: "output", args: [result], kwargs: {}, meta });
  }

  /** Adds a node for symbolic arithmetic; its value is found again by its expression. */
  scalarCall(target: string, args: readonly Argument[], scalar: SymScalar, candidate: string): NodeRef {
    // Arithmetic that comes first reads sizes of inputs: the assertions follow those reads.
    if (!this.#reifying && !this.isBody) this.assertions?.emitOfInputs(this);
    const name = this.#name(candidate);
    // Arithmetic that comes to a plain number has it as its value.
    const val: MetaValue =
      typeof scalar.expr === "number" ? { kind: "constant", value: scalar.expr } : scalar;
    this.#push({ name, op: "call_function", target, args, kwargs: {}, meta: { ...this.currentMeta, val } });
    return ref(name);
  }

  /**
   * The node argument of a value: references for tensors and symbolic expressions, literals as they
   * are.
   */
  toArgument(value: UnboundArg): Argument {
    return argumentOf(value, this);
  }

  /** Returns what computes a symbolic number. */
  numberOf(expr: SymExpr): Argument {
    return this.symbols.argumentOf(expr);
  }

  /** Returns the node of a fake tensor. @throws SconceError `UNTRACED_TENSOR` */
  nodeOf(value: FakeTensor): NodeRef {
    const node = this.#tensors.get(value);
    if (node !== undefined) return node;
    throw untracedTensor(value);
  }

  /** A dimension of the tensor that a node represents. */
  sizeOf(node: NodeRef, dim: number): SymInt | undefined {
    for (const [value, owner] of this.#tensors) if (owner.name === node.name) return value.shape[dim];
    return undefined;
  }

  /**
   * Returns the traced graph. Every node is new, so there is no page of the source graph to share
   * with `rebuild`.
   */
  build(): Graph {
    const nodes = this.#withLateNames(this.symbols.withPrelude(this.#nodes));
    return new GraphBuilder({ unknownTargets: "allow" }).addAll(nodes, this.#subgraphs).build();
  }

  /** A name; nodes of PyTorch's pass for run-time assertions have theirs when the trace is over. */
  #name(candidate: string): string {
    if (!this.#reifying) {
      this.dropped.takeWaiting(candidate);
      return this.names.create(candidate);
    }
    const name = `${candidate} ${this.#late.size}`;
    this.#late.set(name, candidate);
    return name;
  }

  #withLateNames(nodes: readonly Node[]): readonly Node[] {
    if (this.#late.size === 0) return nodes;
    const names = new Map<string, string>();
    for (const { name } of nodes) {
      const candidate = this.#late.get(name);
      if (candidate === undefined) continue;
      this.dropped.takeWaiting(candidate);
      names.set(name, this.names.create(candidate));
    }
    this.symbols.rename(names);
    const rename = refRenamer(names);
    return nodes.map((node) => {
      const name = names.get(node.name);
      const renamed = rename(name === undefined ? node : { ...node, name });
      return name === undefined ? renamed : withNamesInMessage(renamed, names);
    });
  }

  /** Makes nodes as PyTorch's pass for run-time assertions makes them: with their own metadata. */
  reify<T>(run: () => T): T {
    const outer = this.currentMeta;
    this.currentMeta = reifiedMeta(outer);
    this.#reifying = true;
    try {
      return run();
    } finally {
      this.currentMeta = outer;
      this.#reifying = false;
    }
  }

  /**
   * Makes nodes as {@link reify} does for a node with this metadata, and adds them to their own
   * list.
   */
  aside<T>(nodes: Node[], meta: NodeMeta, run: () => T): T {
    const [outer, list] = [this.currentMeta, this.#nodes];
    this.currentMeta = meta;
    this.#nodes = nodes;
    try {
      return this.reify(run);
    } finally {
      this.currentMeta = outer;
      this.#nodes = list;
    }
  }

  /**
   * A view that a call makes anew has the stack trace and the annotations of the view that it
   * represents.
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

  #push(node: Node): void {
    const torchFn = this.#reifying ? reifiedFunction(node.target) : undefined;
    this.#nodes.push(torchFn === undefined ? node : { ...node, meta: { ...node.meta, torchFn } });
  }

  /**
   * Results of meta rules may be the arguments themselves; a node's value needs its own identity.
   */
  #fresh(result: MetaValue): MetaValue {
    // Retracing runs without gradients: only inputs require them.
    if (result instanceof FakeTensor) {
      return this.#tensors.has(result) || result.requiresGrad
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

  /** Returns whether a new symbol was bound. */
  #trackResult(result: MetaValue, node: NodeRef, operands: readonly FakeTensor[]): boolean {
    if (result instanceof FakeTensor) {
      const bound = this.track(result, node);
      this.symbols.computedSizes(result, node, this.currentMeta, operands);
      this.#callTensors.push(result);
      return bound;
    }
    if (Array.isArray(result)) return this.#trackItems(result as readonly MetaValue[], node, operands);
    return this.symbols.bindScalar(result, node);
  }

  /**
   * PyTorch unpacks every result, and drops those that nothing reads: they count for names. The
   * pass for run-time assertions reads items with new symbols itself, and asserts what it knows of
   * those before the other items.
   */
  #trackItems(items: readonly MetaValue[], source: NodeRef, operands: readonly FakeTensor[]): boolean {
    const names = items.map(() => this.names.create("getitem"));
    const defining = new Set<MetaValue>();
    for (const [index, item] of items.entries()) {
      if (!(item instanceof FakeTensor) || !this.symbols.introduces(item)) continue;
      defining.add(item);
      const name = this.reify(() => this.#name("getitem"));
      this.#pushItem(name, source, index, item);
      this.reify(() => this.track(item, ref(name)));
    }
    if (defining.size > 0) this.assertions?.emitReady(this);
    let isBound = false;
    for (const [index, item] of items.entries()) {
      if (item === null || defining.has(item)) continue;
      this.#pushItem(names[index]!, source, index, item);
      isBound = this.#trackResult(item, ref(names[index]!), operands) || isBound;
    }
    return isBound;
  }

  #pushItem(name: string, source: NodeRef, index: number, item: MetaValue): void {
    this.#push({
      name,
      op: "call_function",
      target: "operator.getitem",
      args: [source, index],
      kwargs: {},
      meta: { ...this.currentMeta, val: item },
    });
  }
}

/** An assertion whose message names the node of its condition as that is called in the end. */
function withNamesInMessage(node: Node, names: ReadonlyMap<string, string>): Node {
  const [condition, message] = node.args;
  if (node.target !== "aten._assert_scalar.default" || typeof message !== "string") return node;
  const text = message.replace(/'([^']*)'$/, (quoted, name: string) => {
    const known = names.get(name);
    return known === undefined ? quoted : `'${known}'`;
  });
  return { ...node, args: [condition!, text] };
}

/** The tensors among values, in lists too. */
function tensorsIn(values: readonly unknown[]): FakeTensor[] {
  return values.flatMap((value) => {
    if (value instanceof TensorWrapper) return [value.lastValue];
    if (value instanceof FakeTensor) return [value];
    return Array.isArray(value) ? tensorsIn(value as readonly unknown[]) : [];
  });
}

/**
 * Whether the sizes of a tensor are written in another way than the wanted ones, and come to the
 * same.
 */
function isRewritten(wanted: FakeTensor, result: FakeTensor, env: RetraceEnv): boolean {
  if (wanted.ndim !== result.ndim || wanted.dtype !== result.dtype) return false;
  if (wanted.shape.every((size, d) => symEquals(size, result.shape[d]!))) return false;
  return wanted.shape.every((size, d) => {
    const hint = env.hint(size);
    return hint !== undefined && hint === env.hint(result.shape[d]!);
  });
}
