/** @file Traces the functions of control flow as nested graphs. */

import {
  type Argument,
  FakeTensor,
  isSymScalar,
  type MetaValue,
  type ModuleStackEntry,
  type OpSchema,
  type SymScalar,
  symInt,
} from "@sconce/ir";
import {
  type BoolLike,
  type IntLike,
  ite,
  MAX_SIZE,
  printExpr,
  SymExpr,
  symbolByName,
} from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import { type NewNode, visitNodes, visitOperands } from "@sconce/trace";
import { ENTER_AUTOCAST, EXIT_AUTOCAST } from "../trace/autocast.js";
import { assertionOf, type Bound, comparisonOf, conditionOf } from "../trace/bound-sizes.js";
import {
  type OperatorArgument,
  type OperatorKeywords,
  type OperatorResult,
  withTrace,
} from "../trace/dispatch.js";
import { endOf } from "../trace/memory-of.js";
import { SET_GRAD } from "../trace/regions.js";
import { sharedOperandOf } from "../trace/shared-memory.js";
import { SourceFunctions } from "../trace/source-functions.js";
import { inScope, isSym, type Sym, SymInt, scopeOf } from "../trace/sym-int.js";
import { tensorsIn } from "../trace/tensors-in.js";
import { type TraceArgument, type TraceMeta, TraceNode } from "../trace/trace-node.js";
import { TracedTensor } from "../trace/traced-tensor.js";
import { Tracer } from "../trace/tracer.js";
import type { BodyCall } from "../trace/tracer-init.js";
import { DynamoSymbols } from "./dynamo-symbols.js";
import { inputMutation, resultAliasing, unbackedOperand } from "./errors.js";
import type { OperandNames } from "./operand-names.js";
import { readsOperands } from "./operand-reads.js";

/** Operators whose calls in graphs have another name. */
const GRAPH_CALLS: Readonly<Record<string, string>> = { map: "map_impl" };

/** A value of the enclosing graph that a nested graph reads. */
export interface Lifted {
  /** Its node in the enclosing graph. */
  readonly outer: TraceNode;
  readonly input: TraceNode;
  /** Finds the name by which PyTorch orders it. */
  key(): string;
}

/** The parameters of a {@link BodyTracer}. */
export interface BodyInit {
  /** The trace of the enclosing graph. */
  readonly parent: Tracer;
  /** The operator as messages name it: `cond`. */
  readonly operator: string;
  readonly names: OperandNames;
  /** The way to the function in the names of operands. */
  readonly path: string;
  /** @defaultValue that of the enclosing graph, or a new one */
  readonly dynamo?: DynamoSymbols;
}

/** A size that a call of the graph gives, and what TorchDynamo calls it. */
interface ReadSize {
  readonly size: SymExpr;
  readonly name: string;
  readonly isBounded: boolean;
  /** The dynamic size of a tensor that TorchDynamo compares it with. */
  readonly most: SymExpr | undefined;
  /** Whether the operand knows the size, since it was read of it before. */
  readonly isKnown: boolean;
}

/** Records a nested graph. What it reads of the enclosing graph becomes an input. */
export class BodyTracer extends Tracer {
  /** The trace of the enclosing graph. */
  readonly parent: Tracer;
  /** The trace of the program. */
  readonly root: Tracer;
  /** The operator that calls the graph: `cond`. */
  readonly operator: string;
  /** Those of the program. */
  override readonly innerSymbols: Set<string>;
  /** What the graph reads of the enclosing graph, in the order of its first use. */
  readonly lifted: Lifted[] = [];
  /** What TorchDynamo has made for the outermost call. */
  readonly dynamo: DynamoSymbols;
  /** Symbols that the graph reads of operands. */
  readonly operandReads = new Set<string>();
  /** Sizes of the call that is being recorded. */
  #sizesRead: ReadSize[] = [];
  /** Conditions that the call reads of tensors, with TorchDynamo's symbols for them. */
  #boolsRead: { readonly node: TraceNode; readonly name: string }[] = [];
  readonly #names: OperandNames;
  readonly #path: string;
  /** Without gradients branches of `cond` may write to what they are given. */
  readonly #mayWrite: boolean;
  /** They may also return it, as functions of scores may. */
  readonly #mayReturnInputs: boolean;
  readonly #scalars = new Map<string, TraceNode>();
  /** The names by which PyTorch orders inputs of the graph, where nested graphs read them. */
  readonly #ownKeys = new Map<TraceNode, string>();
  /** Inputs of the graph that are views of tensors around it, with their nodes there. */
  readonly #views = new Map<TraceNode, () => TraceNode>();
  /** Tensors of the enclosing graph as they were before. */
  readonly #before = new Map<TracedTensor, FakeTensor>();

  constructor({ parent, operator, names, path, dynamo }: BodyInit) {
    const { env, operators, warn, example } = parent;
    const graphs = parent.sources?.nested(GRAPH_CALLS[operator] ?? operator);
    const sources = graphs && new SourceFunctions(graphs);
    super({ env, operators, warn, example: example?.nested(), sources });
    this.parent = parent;
    this.root = parent instanceof BodyTracer ? parent.root : parent;
    this.innerSymbols = parent.innerSymbols;
    this.dynamo = dynamo ?? (parent instanceof BodyTracer ? parent.dynamo : new DynamoSymbols());
    this.operator = operator;
    this.#names = names;
    this.#path = path;
    this.gradEnabled = parent.gradEnabled;
    this.#mayWrite = operator === "cond" && !parent.gradEnabled;
    this.#mayReturnInputs = this.#mayWrite || operator === "flex_attention";
    this.moduleCall = parent.moduleCall;
    this.currentModule = parent.currentModule;
    this.moduleStack = parent.nestedModules;
  }

  /**
   * Runs a function whose calls the graph records, and returns its result. Tensors of the
   * enclosing graph are afterwards as they were before.
   */
  run<T>(body: () => T): T {
    try {
      return inScope(this, () => withTrace(this, body));
    } finally {
      for (const { unbacked } of this.nodes) for (const { symbol } of unbacked) this.innerSymbols.add(symbol);
      for (const [tensor, fake] of this.#before)
        if (this.parent.findTensor(fake) !== undefined) tensor.becomes(fake);
    }
  }

  /** Takes note of the sizes that a call gives. What an operand knows, the call does not make. */
  protected override push(init: NewNode<TraceMeta>): TraceNode {
    const unbacked = init.unbacked ?? [];
    const isRead = CHOICES.has(this.operator) && !this.isStrict && readsOperands(init);
    const known = new Set(isRead ? unbacked.filter(({ symbol }) => this.isMade(symbol)) : []);
    if (isRead) for (const { symbol } of unbacked) this.operandReads.add(symbol);
    const made = unbacked.filter((binding) => !known.has(binding));
    const node = super.push(known.size === 0 ? init : { ...init, unbacked: made });
    this.dynamo.countCall(node, this.operators.get(node.target)?.schema);
    for (const binding of unbacked) {
      const { symbol, dim, of = "size" } = binding;
      const name = symbol.startsWith("u") ? `u${this.dynamo.next()}` : symbol;
      if (isSymScalar(node.val) && node.val.kind === "SymBool") this.#boolsRead.push({ node, name });
      if (of === "offset") for (const taken of ["sym_storage_offset_default", "ge"]) this.names.create(taken);
      if (dim === undefined || of !== "size") continue;
      const size = symbolByName(symbol);
      const isBounded = this.#isBounded(node, size);
      // A call of graphs reads the sizes of its results itself.
      if (node.target.startsWith("higher_order."))
        for (const taken of ["sym_size_int", "ge", ...(isBounded ? ["le"] : [])]) this.names.create(taken);
      else
        this.#sizesRead.push({ size, name, isBounded, most: slicedSize(node), isKnown: known.has(binding) });
    }
    return node;
  }

  /** Returns whether TorchDynamo knows, and asserts, an upper bound of a size. */
  #isBounded(node: TraceNode, size: SymExpr): boolean {
    if (node.target === "aten.slice.Tensor") return true;
    return this.env.range(size).max < MAX_SIZE && !this.dynamo.readsDynamic(node);
  }

  /** {@link push} finds what operands know. */
  protected override isReadBefore(): boolean {
    return false;
  }

  /**
   * Returns whether a graph that encloses this one, or one that was traced before, has a symbol.
   */
  isMade(symbol: string): boolean {
    const { parent } = this;
    if (this.innerSymbols.has(symbol) || parent.knows(symbol)) return true;
    return parent instanceof BodyTracer && parent.isMade(symbol);
  }

  /**
   * TorchDynamo reads sizes that only the data decide where they come up, and asserts their bounds.
   * The trace asserts them itself where the call makes the size, and names count those nodes.
   */
  #assertSizes(): void {
    const sizes = this.#sizesRead;
    this.#sizesRead = [];
    for (const { size, name, isBounded, most, isKnown } of sizes) {
      this.sizes.argument(size);
      if (most !== undefined) this.sizes.argument(most);
      const bounds: Bound[] = [{ kind: "ge", value: 0 }];
      if (isBounded && !(isKnown && this.env.range(size).max >= MAX_SIZE))
        bounds.push({ kind: "le", value: this.env.range(size).max });
      for (const bound of bounds) {
        if (isKnown) this.assertBound(size, bound, name);
        else this.names.create(bound.kind);
      }
    }
  }

  /** TorchDynamo asserts that a condition that is read is 0 or 1. */
  #assertBools(): void {
    const read = this.#boolsRead;
    this.#boolsRead = [];
    for (const { node, name } of read) {
      const size = ite<IntLike>((node.val as SymScalar).expr as BoolLike, 1, 0);
      const args = [node, 1, 0];
      const choice = this.push({ target: "torch.sym_ite", args, val: symInt(size), candidate: "sym_ite" });
      for (const bound of ZERO_OR_ONE) {
        const compared = this.push(comparisonOf(choice, bound, conditionOf(size, bound)));
        this.push(assertionOf(compared, bound, name));
      }
    }
  }

  /**
   * Adds an input for a tensor.
   *
   * @param key the name by which PyTorch orders it
   * @param source finds the node of the enclosing graph whose memory it has; undefined for a copy
   */
  tensorInput(fake: FakeTensor, key: string, source?: () => TraceNode): TracedTensor {
    const input = this.placeholder(fake);
    this.dynamo.addInput(input, this.parent, source?.());
    this.#ownKeys.set(input, key);
    if (source !== undefined) this.#views.set(input, source);
    return new TracedTensor(fake);
  }

  /** Adds an input for an integer that only the data decide. */
  intInput(expr: SymExpr): SymInt {
    const input = this.placeholder({ kind: "SymInt", expr });
    this.#scalars.set(expr.key, input);
    this.innerSymbols.add(printExpr(expr));
    return inScope(this, () => new SymInt(expr));
  }

  /** Adds an input for a symbolic value of the enclosing graph. */
  scalarInput(value: Sym): Sym {
    const { expr } = value;
    const input = this.placeholder(
      value instanceof SymInt ? { kind: "SymInt", expr } : { kind: "SymFloat", expr },
    );
    this.#scalars.set(expr.key, input);
    this.preferInput(expr, input);
    return value;
  }

  /** Adds an input that has one value. */
  constantInput(value: unknown): unknown {
    this.placeholder({ kind: "constant", value: value as Argument });
    return value;
  }

  /** The arguments that the graph takes before what it reads of the enclosing graph. */
  get ownInputs(): TraceNode[] {
    const lifted = new Set(this.lifted.map(({ input }) => input));
    return this.nodes.filter((node) => node.op === "placeholder" && !lifted.has(node));
  }

  override call(target: string, args: readonly OperatorArgument[], kwargs: OperatorKeywords): OperatorResult {
    const { schema } = this.operators.require(target);
    for (const value of [...args, ...Object.values(kwargs)]) this.#remember(value);
    // A tensor with values was made around the function: one that it makes is a new constant.
    for (const tensor of writtenTensors(schema, args, kwargs))
      if (!this.#mayWrite && (!(tensor instanceof TracedTensor) || this.#isInputMemory(tensor)))
        throw inputMutation(this.operator, target);
    const result = super.call(target, args, kwargs);
    this.#assertSizes();
    this.#assertBools();
    return result;
  }

  #isInputMemory(tensor: TracedTensor): boolean {
    return this.#isInput(this.memoryOf(this.nodeOf(tensor)));
  }

  /** Returns the node that made the memory of a node, in this graph or in one around it. */
  memoryOf(node: TraceNode): TraceNode {
    const memory = memoryIn(this, node);
    const source = this.#views.get(memory)?.();
    if (source === undefined) return memory;
    return this.parent instanceof BodyTracer ? this.parent.memoryOf(source) : memoryIn(this.parent, source);
  }

  /** Returns whether memory is that of an input, or of the enclosing graph. */
  #isInput(memory: TraceNode): boolean {
    return memory.op === "placeholder" || !this.nodes.includes(memory);
  }

  #remember(value: unknown): void {
    if (Array.isArray(value)) for (const item of value) this.#remember(item);
    else if (value instanceof TracedTensor && !this.#before.has(value)) {
      this.#before.set(value, value.fake);
    }
  }

  /** Setting the mode that is set is not recorded. */
  override setGradEnabled(enabled: boolean): boolean {
    return enabled === this.gradEnabled ? enabled : super.setGradEnabled(enabled);
  }

  override get isNested(): boolean {
    return true;
  }

  override get nestedModules(): readonly ModuleStackEntry[] {
    return this.moduleStack;
  }

  override keyOf(node: TraceNode): string | undefined {
    return this.#ownKeys.get(node) ?? this.lifted.find(({ input }) => input === node)?.key();
  }

  override inModule<T>(module: object, args: readonly unknown[], run: () => T): T {
    return this.parent.inModule(module, args, run, this);
  }

  override pathsOf(value: object): readonly (readonly [path: string, value: unknown])[] | undefined {
    return this.parent.pathsOf(value);
  }

  override checkBody(call: BodyCall): void {
    this.parent.checkBody(call);
  }

  /** A tensor with values is a constant of the program. */
  override lift(value: Tensor): FakeTensor {
    const fake = this.parent.lift(value);
    this.#names.share(value, fake);
    this.findTensor(fake);
    return fake;
  }

  /**
   * Reading a size of a tensor of the enclosing graph makes the tensor an input, as in TorchDynamo.
   */
  readsSizes(tensor: Tensor): void {
    if (tensor instanceof TracedTensor) this.findTensor(tensor.fake);
  }

  protected override outerTensor(fake: FakeTensor): TraceNode | undefined {
    const outer = this.parent.findTensor(fake);
    return outer === undefined
      ? undefined
      : this.#lift(outer, fake, () => this.#names.of(fake, outer, this.#path));
  }

  protected override outerSymbol(symbol: SymExpr): TraceNode | undefined {
    const outer = this.parent.scalarArgument(new SymInt(symbol));
    if (!(outer instanceof TraceNode)) return undefined;
    return this.#liftScalar(outer, symbol.key, { kind: "SymInt", expr: symbol }, () => outer.name);
  }

  protected override useScalar(value: Sym): void {
    const scope = scopeOf(value);
    if (scope === this || this.#scalars.has(value.expr.key)) return;
    if (this.env.hint(value.expr) === undefined) throw unbackedOperand(this.operator, value.toString());
    const outer = this.parent.scalarArgument(value);
    if (!(outer instanceof TraceNode)) return;
    this.#liftScalar(outer, value.expr.key, outer.val ?? null, () =>
      this.#names.of(value, outer, this.#path),
    );
  }

  #liftScalar(outer: TraceNode, key: string, val: MetaValue, name: Lifted["key"]): TraceNode {
    const known = this.#scalars.get(key);
    if (known !== undefined) return known;
    const input = this.#lift(outer, val, name);
    this.#scalars.set(key, input);
    if (isSymScalar(val) && val.expr instanceof SymExpr) this.preferInput(val.expr, input);
    return input;
  }

  #lift(outer: TraceNode, val: MetaValue, key: Lifted["key"]): TraceNode {
    if (!(this.parent instanceof BodyTracer)) this.dynamo.countInput(val);
    const input = this.placeholder(val);
    const isState = this.parent.stateInputs.has(outer) && !this.#names.isArgument(val);
    if (!isState) this.dynamo.addInput(input, this.parent, outer);
    this.#views.set(input, () => outer);
    this.lifted.push({ outer, input, key });
    return input;
  }

  /** Returns what the leaves of a result are in the graph. */
  outputs(leaves: readonly unknown[]): TraceArgument[] {
    const results = leaves.map((leaf) => {
      if (!(leaf instanceof Tensor)) return isSym(leaf) ? this.scalarArgument(leaf) : (leaf as Argument);
      return this.nodeOf(leaf as TracedTensor);
    });
    this.#checkMemory(results.filter((_, i) => leaves[i] instanceof Tensor) as TraceNode[]);
    return results;
  }

  /**
   * Refuses tensors that share memory: among the inputs, and results with others or with inputs.
   */
  #checkMemory(results: readonly TraceNode[]): void {
    const inputs = this.nodes.filter(({ op, val }) => op === "placeholder" && val instanceof FakeTensor);
    const given = new Set(inputs.map((input) => this.memoryOf(input)));
    if (given.size < inputs.length) throw resultAliasing(this.operator, "Input-to-input");
    if (this.#mayReturnInputs) return;
    const made = results.map((result) => this.memoryOf(result));
    if (new Set(made).size < made.length) throw resultAliasing(this.operator, "Output-to-output");
    if (made.some((memory) => this.#isInput(memory))) throw resultAliasing(this.operator, "Input-to-output");
  }

  /** Returns the nodes behind the inputs that reach a result or have an effect. */
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
    if (MODES.has(target)) return true;
    const row = this.operators.get(target);
    return unbacked.length > 0 || row?.schema.isMutable === true || row?.tags.includes("effect") === true;
  }
}

const ZERO_OR_ONE: readonly Bound[] = [
  { kind: "ge", value: 0 },
  { kind: "le", value: 1 },
];

/** Operators that run their functions on the operands themselves. */
const CHOICES: ReadonlySet<string> = new Set(["cond", "switch"]);

/** The targets of changes of a mode. */
const MODES: ReadonlySet<string> = new Set([SET_GRAD, ENTER_AUTOCAST, EXIT_AUTOCAST]);

/** Returns the size of the dimension that a call slices, where it is dynamic. */
function slicedSize({ target, args }: TraceNode): SymExpr | undefined {
  const [tensor, dim = 0] = args;
  if (target !== "aten.slice.Tensor" || !(tensor instanceof TraceNode)) return undefined;
  const size = tensor.val instanceof FakeTensor ? tensor.val.shape.at(Number(dim)) : undefined;
  return size instanceof SymExpr ? size : undefined;
}

/** Returns the node of one graph that made the memory of another one of its nodes. */
const memoryIn = (tracer: Tracer, node: TraceNode): TraceNode =>
  endOf(node, MEMORIES, (at) => sharedOperandOf(at, tracer));
const MEMORIES = new WeakMap<TraceNode, TraceNode>();

/** Returns the traced tensors that a call writes to. */
const writtenTensors = (
  schema: OpSchema,
  args: readonly OperatorArgument[],
  kwargs: OperatorKeywords,
): Tensor[] =>
  schema.args.flatMap(({ alias, name, kwargOnly }, i) =>
    alias?.write === true ? tensorsIn(kwargOnly || i >= args.length ? kwargs[name] : args[i]) : [],
  );
