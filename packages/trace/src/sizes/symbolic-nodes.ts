import {
  type Argument,
  type FakeTensor,
  type FloatLiteral,
  float,
  isRef,
  isSymScalar,
  type MetaValue,
  type Node,
  type NodeMeta,
  type NodeRef,
  ref,
  type SymScalar,
  symInt,
} from "@sconce/ir";
import { evaluateScalarFunction } from "@sconce/ops";
import {
  freeSymbols,
  isCondition,
  ite,
  mul,
  not,
  type SymBool,
  SymExpr,
  type SymInt,
  type SymValue,
} from "@sconce/symbolic";
import { scalarArgument } from "../argument-of.js";
import { symbolicNode, unboundSymbol } from "../errors.js";
import { functionName } from "../names/naming.js";
import { INPUT_SIZE_META } from "../names/reified-metadata.js";
import {
  asPython,
  asWritten,
  isRead,
  linearIn,
  multipleOf,
  PYTHON_TARGETS,
  readSymbol,
  reflectedTarget,
  scalarOf,
  withFloatSides,
} from "./size-expressions.js";
import type { FirstTensor, NodeMaker, Recipe, SizeRead } from "./size-records.js";
import type { SymbolSource } from "./symbol-sources.js";

export class SymbolicNodes {
  /** Placeholders and dimensions by the symbols that were made for them. */
  sources: ReadonlyMap<string, SymbolSource> = new Map();
  /** Metadata of reads of input sizes. */
  preludeMeta: NodeMeta = INPUT_SIZE_META;
  /**
   * Tensors that the call of the source program takes or makes on its way: its decomposition may
   * read their sizes.
   */
  sourceOperands: readonly FakeTensor[] = [];
  /** Tensors that the call being added takes. */
  callOperands: readonly FakeTensor[] = [];
  readonly #tracer: NodeMaker;
  readonly #nodes = new Map<string, Argument>();
  readonly #sizes = new Map<string, SizeRead>();
  /** What the nodes of symbols that are conditions give. */
  readonly #values = new Map<string, SymScalar>();
  /** Sizes that are read where their symbol was made. */
  readonly #own = new Set<string>();
  readonly #firstSizes = new Map<string, SizeRead>();
  /** The places of sizes of inputs, in the order of inputs and dimensions. */
  readonly #places = new Map<string, number>();
  #reads = 0;
  readonly #recipes = new Map<string, Recipe>();
  readonly #prelude: Node[] = [];
  readonly #seen = new Set<string>();
  /** What the source program computed last for an expression. */
  readonly #evaluated = new Map<string, NodeRef>();
  /** Data-dependent sizes that the source program has read. */
  readonly #read = new Set<string>();
  /** Nodes of constants that the source program computes with, by their values. */
  readonly #constants = new WeakMap<SymScalar, NodeRef>();
  /** By tensors: where their sizes that no node had computed first came up, by the sizes. */
  readonly #firstTensors = new WeakMap<FakeTensor, ReadonlyMap<string, FirstTensor>>();
  /** Arithmetic for such sizes, by the nodes of the tensors that it follows. */
  readonly #following = new Map<string, Node[]>();
  /** The tensors whose sizes nodes represent. */
  readonly sizesOf = new Map<string, string>();
  /** Nodes that compute a part of a sum or product: nothing else reads them. */
  readonly partial = new Set<string>();
  /** Keys of conditions that are computed as Python writes them: `0 <= u0` is `u0 >= 0`. */
  readonly canonical = new Map<string, string>();
  /** Nodes that stay although nothing reads them. */
  readonly kept = new Set<string>();
  /**
   * A number that the last computation came to; arithmetic that follows reads its node, operators
   * the number.
   */
  #lastNumber: { readonly value: number; readonly node: NodeRef } | undefined;
  #inBody = false;

  constructor(tracer: NodeMaker) {
    this.#tracer = tracer;
  }

  /** Nodes have their names. */
  rename(names: ReadonlyMap<string, string>): void {
    for (const [size, tensor] of [...this.sizesOf]) {
      this.sizesOf.delete(size);
      this.sizesOf.set(names.get(size) ?? size, names.get(tensor) ?? tensor);
    }
    const asserted = [...this.canonical].map(([name, key]) => [names.get(name) ?? name, key] as const);
    this.canonical.clear();
    for (const [name, key] of asserted) this.canonical.set(name, key);
    for (const name of [...this.partial]) {
      const known = names.get(name);
      if (known === undefined) continue;
      this.partial.delete(name);
      this.partial.add(known);
    }
  }

  /** A symbolic scalar's own node; returns whether that bound a new symbol. */
  bindScalar(value: MetaValue, node: NodeRef): boolean {
    if (!isSymScalar(value) || !(value.expr instanceof SymExpr)) return false;
    this.#bind(value.expr.key, node);
    const symbol = this.#inBody ? readSymbol(value.expr) : undefined;
    if (symbol !== undefined && !this.#seen.has(symbol.name)) this.#bindChoice(symbol, value.expr, node);
    return this.#see(value.expr);
  }

  /** A condition that is read, `Eq(u0, 1)`, makes its symbol 1 or 0. */
  #bindChoice(symbol: SymExpr, condition: SymExpr, node: NodeRef): void {
    const value = { kind: "SymInt", expr: ite<SymInt>(condition, 1, 0) } as const;
    const choice = this.#tracer.reify(() =>
      this.#tracer.scalarCall("torch.sym_ite", [node, 1, 0], value, "sym_ite"),
    );
    this.canonical.set(choice.name, symbol.key);
    this.#values.set(symbol.key, value);
    this.#bind(symbol.key, choice);
  }

  /**
   * Makes a tensor's sizes readable; a new unbacked symbol is read at once, right after the node
   * that makes it. Gives whether there was one.
   */
  bindSizes(value: FakeTensor, node: NodeRef): boolean {
    let bound = false;
    value.shape.forEach((size, dim) => {
      if (!(size instanceof SymExpr)) return;
      if (!this.#inBody) {
        this.#places.set(placeOf(node, dim), this.#reads);
        this.#readable(size, { node, dim, at: this.#reads++ });
        this.#see(size);
      } else if (this.#define(size, () => this.#readSize(node, dim, size, false))) bound = true;
    });
    value.strides.forEach((stride, dim) => {
      if (!this.#inBody) this.#shadow(stride);
      else if (this.#define(stride, () => this.#readStride(node, dim, stride))) bound = true;
    });
    const offset = value.storageOffset;
    if (this.#inBody && this.#define(offset, () => this.#readOffset(node, offset))) bound = true;
    return bound;
  }

  /** Whether a size of a tensor is the first with a data-dependent symbol. */
  introduces({ shape }: FakeTensor): boolean {
    if (!this.#inBody) return false;
    return shape.some((size) => {
      const multiple = size instanceof SymExpr ? multipleOf(size) : undefined;
      return multiple !== undefined && !this.#seen.has(multiple.symbol.name);
    });
  }

  /**
   * Binds a symbol that appears for the first time in a size or a stride: it is the size itself, or
   * the size divided by a number. Returns whether it bound one.
   */
  #define(size: SymInt, read: () => NodeRef): boolean {
    const multiple = size instanceof SymExpr ? multipleOf(size) : undefined;
    if (multiple === undefined || this.#seen.has(multiple.symbol.name)) return false;
    const { factor, symbol } = multiple;
    this.#see(symbol);
    const node = this.#tracer.reify(() => {
      const own = read();
      if (factor === 1) return own;
      return this.#tracer.scalarCall("operator.floordiv", [own, factor], symInt(symbol), "floordiv");
    });
    this.#bind(symbol.key, node);
    return true;
  }

  #readStride(node: NodeRef, dim: number, stride: SymInt): NodeRef {
    return this.#tracer.scalarCall("aten.sym_stride.int", [node, dim], symInt(stride), "sym_stride_int");
  }

  /** The source program reads a size of a tensor; one that no nodes compute is read behind it. */
  sizeRead(size: SymInt, tensor: FakeTensor, dim: number): void {
    if (!(size instanceof SymExpr) || this.#nodes.has(size.key)) return;
    if (!isRead(size) && this.#isKnown(size)) return;
    const node = this.#tracer.nodeOf(tensor);
    const read = this.#behind(node.name, this.#tracer.currentMeta, () =>
      this.#readSize(node, dim, size, false),
    );
    this.#bind(size.key, read);
  }

  /**
   * Whether all symbols of a size can be read. One that only multiples of it are sizes of inputs of
   * is not: `x: f32[4*s0]`.
   */
  #isKnown(size: SymExpr): boolean {
    if (this.#sizes.has(size.key)) return true;
    return [...freeSymbols(size).values()].every(({ key }) => this.#sizes.has(key) || this.#nodes.has(key));
  }

  /** Makes nodes right behind another one. */
  #behind<T>(node: string, meta: NodeMeta, make: () => T): T {
    const made: Node[] = this.#following.get(node) ?? [];
    this.#following.set(node, made);
    return this.#tracer.aside(made, meta, make);
  }

  #readOffset(node: NodeRef, offset: SymInt): NodeRef {
    const target = "aten.sym_storage_offset.default";
    return this.#tracer.scalarCall(target, [node], symInt(offset), "sym_storage_offset_default");
  }

  /**
   * Takes note of the sizes of a call's result. Shape rules hand on sizes of their operands; others
   * came up here, and are computed behind this node when something reads them.
   */
  computedSizes(value: FakeTensor, node: NodeRef, meta: NodeMeta, operands: readonly FakeTensor[]): void {
    let found: Map<string, FirstTensor> | undefined;
    for (const [dim, size] of value.shape.entries()) {
      if (!(size instanceof SymExpr) || size.op === "Symbol") continue;
      const first = this.#firstTensor(size, operands);
      if (first === undefined && this.#nodes.has(size.key)) continue;
      found ??= new Map();
      found.set(size.key, first ?? { node: node.name, meta, dim });
    }
    if (found !== undefined) this.#firstTensors.set(value, found);
  }

  #firstTensor({ key }: SymExpr, operands: readonly FakeTensor[]): FirstTensor | undefined {
    const owner = operands.find((tensor) => this.#firstTensors.get(tensor)?.has(key));
    return owner && this.#firstTensors.get(owner)!.get(key);
  }

  /**
   * Of several inputs with a size, PyTorch reads the one that the symbol was made for; else the
   * last.
   */
  #readable(size: SymExpr, read: SizeRead): void {
    const source = size.op === "Symbol" ? this.sources.get(size.name) : undefined;
    const other = source !== undefined && (source.placeholder !== read.node.name || source.dim !== read.dim);
    if (!other || !this.#sizes.has(size.key)) this.#sizes.set(size.key, read);
    if (source !== undefined && !other) this.#own.add(size.key);
    if (!this.#firstSizes.has(size.key)) this.#firstSizes.set(size.key, read);
  }

  /**
   * A stride that is equal to a size takes its place, and is then read as that size of the first
   * input.
   */
  #shadow(stride: SymInt): void {
    if (stride instanceof SymExpr && this.#own.has(stride.key)) return;
    const first = stride instanceof SymExpr ? this.#firstSizes.get(stride.key) : undefined;
    if (first !== undefined) this.#sizes.set((stride as SymExpr).key, first);
  }

  /** Marks an expression's symbols as bound; returns whether one was not yet. */
  #see(expr: SymExpr): boolean {
    const before = this.#seen.size;
    for (const name of freeSymbols(expr).keys()) this.#seen.add(name);
    return this.#seen.size > before;
  }

  /** Placeholders are over: from now on new symbols are bound by the nodes that create them. */
  beginBody(): void {
    this.#inBody = true;
  }

  knows(symbol: string): boolean {
    return this.#seen.has(symbol);
  }

  /** The names of the symbols that are bound, in the order in which they were. */
  get bound(): Iterable<string> {
    return this.#seen;
  }

  /** Remembers how the source program wrote an expression. */
  recipe(value: SymScalar, target: string, args: readonly (SymScalar | Argument)[]): void {
    if (value.expr instanceof SymExpr && !this.#recipes.has(value.expr.key)) {
      this.#recipes.set(value.expr.key, { target, args });
    }
  }

  /** Remembers that a number of elements is computed size by size, in the order of dimensions. */
  product(sizes: readonly SymInt[]): void {
    const asScalar = (size: SymInt): SymScalar => (size instanceof SymExpr ? scalarOf(size) : symInt(size));
    sizes.reduce((left, right) => {
      const result = mul(left, right);
      if (left !== 1 && right !== 1)
        this.recipe(asScalar(result), "operator.mul", [left, right].map(asScalar));
      return result;
    }, 1);
  }

  /** Arithmetic of the source program: it stays where it is, when it is used at all. */
  evaluated(value: SymScalar, target: string, args: readonly (SymScalar | Argument)[]): void {
    const [python, operands, result] = asPython(target, args, value);
    this.recipe(result, python, operands);
    const node = this.#compute(python, operands, result);
    if (node !== undefined && result.expr instanceof SymExpr) this.#evaluated.set(result.expr.key, node);
  }

  /**
   * A size that the source program reads. PyTorch's trace reads the first one of a data-dependent
   * size too, before the pass for assertions does: that takes a name.
   */
  sourceRead(size: unknown): void {
    if (!(size instanceof SymExpr) || !/^u\d+$/.test(size.name) || this.#read.has(size.key)) return;
    this.#read.add(size.key);
    this.#tracer.names.create("sym_size_int");
  }

  /**
   * Arithmetic that a decomposition does at this place: it becomes a node here, unless one is there
   * already.
   */
  computed(target: string, args: readonly (SymValue | FloatLiteral)[], result: SymValue): void {
    if (typeof result === "boolean") return;
    const scalars = args.map((arg) => (arg instanceof SymExpr ? scalarOf(arg) : arg));
    const value = result instanceof SymExpr ? scalarOf(result) : symInt(result);
    this.recipe(value, target, scalars);
    this.#compute(target, scalars, value);
  }

  /**
   * A decomposition asks for the number of elements of a tensor. A node reads that of an input; the
   * sizes of others are multiplied, from the last one on.
   */
  counted(tensor: FakeTensor, count: SymExpr): void {
    const args = [this.#tracer.nodeOf(tensor)];
    if (!this.#tracer.isInput(args[0]!)) {
      tensor.shape.reduceRight((product, size) => {
        const result = mul(product, size);
        if (result !== size) this.computed("operator.mul", [product, size], result);
        return result;
      });
      return;
    }
    const read = this.#tracer.scalarCall(
      "aten.sym_numel.default",
      args,
      scalarOf(count),
      "sym_numel_default",
    );
    this.#nodes.set(count.key, read);
  }

  /**
   * Makes a node for a computation, also where another gives the same: {@link shareSizes} decides
   * in the end.
   */
  #compute(target: string, args: readonly (SymScalar | Argument)[], value: SymScalar): NodeRef | undefined {
    if (target === "operator.mul" && args.includes(1)) return undefined;
    const { expr } = value;
    const values = args.map((arg) => {
      if (arg === this.#lastNumber?.value) return this.#lastNumber.node;
      return isSymScalar(arg) ? this.scalarArgument(arg) : arg;
    });
    if (!values.some(isRef)) return undefined;
    const node = this.#tracer.scalarCall(target, values, value, functionName(target));
    if (typeof expr === "boolean") this.#constants.set(value, node);
    this.#lastNumber = typeof expr === "number" ? { value: expr, node } : undefined;
    if (expr instanceof SymExpr) this.#nodes.set(expr.key, node);
    return node;
  }

  argumentOf(expr: SymInt): Argument {
    return typeof expr === "number" ? expr : this.#nodeFor(expr);
  }

  scalarArgument(value: SymScalar): Argument {
    return scalarArgument(value, (expr) => this.#nodeFor(expr));
  }

  /**
   * A read of an input's size whose own symbol was replaced: it stays beside what computes the size
   * from other symbols. Undefined for a size with its own symbol.
   */
  replacedRead(placeholder: NodeRef, dim: number): NodeRef | undefined {
    const size = this.#tracer.sizeOf(placeholder, dim);
    if (!(size instanceof SymExpr)) return undefined;
    const source = size.op === "Symbol" ? this.sources.get(size.name) : undefined;
    if (size.op === "Symbol" && (source === undefined || isAt(source, placeholder, dim))) return undefined;
    const read = this.#readSize(placeholder, dim, size, true);
    this.partial.add(read.name);
    return read;
  }

  /** Computes a condition on sizes of inputs from their symbols, whatever was computed before. */
  ofInputs(condition: SymExpr): Argument {
    const [source, call] = [this.sourceOperands, this.callOperands];
    this.sourceOperands = this.callOperands = [];
    const node = this.#fromSymbols(condition);
    this.sourceOperands = source;
    this.callOperands = call;
    return node;
  }

  #fromSymbols(expr: SymExpr): Argument {
    if (expr.args.length === 0 || expr.op === "Piecewise") return this.#nodeFor(expr);
    const known = this.#nodes.get(expr.key);
    if (known !== undefined) return known;
    const node = this.#fromStructure(expr, (arg) => this.#fromSymbols(arg));
    this.#nodes.set(expr.key, node);
    return node;
  }

  /** The comparison of a symbol with a bound of its range. */
  rangeBound(condition: SymExpr): NodeRef {
    const [symbol, limit] = condition.args;
    const target = PYTHON_TARGETS[condition.op]!;
    const own = this.#values.get(symbol!.key);
    if (own === undefined) return this.#nodeFor(condition) as NodeRef;
    const value = evaluateScalarFunction(target, [own, Number(limit!.value)]);
    const args = [this.#nodeFor(symbol!), Number(limit!.value)];
    const node = this.#tracer.scalarCall(target, args, value, functionName(target));
    this.canonical.set(node.name, condition.key);
    return node;
  }

  /** The comparison of an expression with a literal in place of the condition's own. */
  comparison(condition: SymExpr, bound: number): NodeRef {
    const target = PYTHON_TARGETS[condition.op]!;
    const args = [this.#nodeFor(condition.args[0]!), bound];
    const node = this.#tracer.scalarCall(target, args, withFloatSides(condition), functionName(target));
    this.canonical.set(node.name, `asserted ${condition.key}`);
    return node;
  }

  /** The node of a condition that the source program computes and that always holds. */
  constantNode(value: SymScalar): NodeRef | undefined {
    return this.#constants.get(value);
  }

  /** The source program's own node for a scalar, beside the one that other users share. */
  sourceArgument(value: SymScalar): Argument {
    if (!(value.expr instanceof SymExpr)) return this.scalarArgument(value);
    return this.#evaluated.get(value.expr.key) ?? this.#make(value.expr);
  }

  /**
   * The source program's comparison of an inequality that is asserted elsewhere: PyTorch shares the
   * inequality alone, when nodes that nothing reads are gone.
   */
  keepEquality(condition: SymExpr): void {
    if (condition.op !== "Unequality") return;
    const equality = not(condition) as SymBool;
    const node = equality instanceof SymExpr ? this.#evaluated.get(equality.key) : undefined;
    if (node !== undefined) this.kept.add(node.name);
  }

  /**
   * The nodes with the size reads put after the placeholders, in the order of inputs and
   * dimensions.
   */
  withPrelude(nodes: readonly Node[]): readonly Node[] {
    const first = nodes.findIndex((node) => node.op !== "placeholder");
    const at = ({ args: [node, dim] }: Node): number =>
      this.#places.get(placeOf(node as NodeRef, Number(dim))) ?? 0;
    const prelude = [...this.#prelude].sort((a, b) => at(a) - at(b));
    const body = nodes.slice(first).flatMap((node) => [node, ...(this.#following.get(node.name) ?? [])]);
    return [...nodes.slice(0, first), ...prelude, ...body];
  }

  #bind(key: string, node: Argument): void {
    if (!this.#nodes.has(key)) this.#nodes.set(key, node);
  }

  #nodeFor(expr: SymExpr): Argument {
    const known = this.#nodes.get(expr.key);
    if (known !== undefined) return known;
    const node = this.#make(expr);
    this.#nodes.set(expr.key, node);
    return node;
  }

  #make(expr: SymExpr): Argument {
    if (expr.op === "Integer") return typeof expr.value === "number" ? expr.value : expr.value;
    if (expr.op === "Float") return float(Number(expr.value));
    const read = this.#sizes.get(expr.key);
    if (read !== undefined) return this.#readSize(read.node, read.dim, expr, true);
    const first = this.#firstTensor(expr, [...this.sourceOperands, ...this.callOperands]);
    if (first !== undefined) return this.#afterTensor(expr, first);
    const recipe = this.#recipes.get(expr.key);
    if (recipe !== undefined) return this.#follow(expr, recipe);
    if (expr.op === "Symbol") return this.#fromDerived(expr);
    return this.#fromStructure(expr);
  }

  /**
   * A size that a tensor's shape rule computed. PyTorch reads it right behind the tensor, and
   * computes it there from the sizes of the inputs (`insert_deferred_runtime_asserts`).
   */
  #afterTensor(expr: SymExpr, { node, meta, dim }: FirstTensor): Argument {
    if (isRead(expr)) return this.#behind(node, meta, () => this.#readSize(ref(node), dim, expr, false));
    const argument = this.#behind(node, meta, () => this.#anew(expr));
    if (isRef(argument)) this.sizesOf.set(argument.name, node);
    return argument;
  }

  /**
   * The arithmetic of an expression from the symbols on: what is computed elsewhere may come later.
   */
  #anew(expr: SymExpr): Argument {
    if (expr.args.length === 0 || expr.op === "Piecewise" || this.#sizes.has(expr.key))
      return this.#nodeFor(expr);
    return this.#fromStructure(expr, (arg) => this.#anew(arg));
  }

  #readSize(node: NodeRef, dim: number, expr: SymExpr, prelude: boolean): NodeRef {
    if (!prelude) {
      return this.#tracer.scalarCall("aten.sym_size.int", [node, dim], symInt(expr), "sym_size_int");
    }
    const name = this.#tracer.names.create("sym_size_int");
    this.#prelude.push({
      name,
      op: "call_function",
      target: "aten.sym_size.int",
      args: [node, dim],
      kwargs: {},
      meta: { ...this.preludeMeta, val: symInt(expr) },
    });
    return ref(name);
  }

  #follow(expr: SymExpr, { target, args }: Recipe): Argument {
    const values = args.map((arg) => (isSymScalar(arg) ? this.scalarArgument(arg) : arg));
    return this.#tracer.scalarCall(target, values, scalarOf(expr), functionName(target));
  }

  /**
   * A symbol that is only the root of derived sizes: `x: f32[2*s0]` gives s0 as
   * `sym_size(x, 0) // 2`.
   */
  #fromDerived(symbol: SymExpr): Argument {
    for (const [, { node, dim }] of this.#sizes) {
      const size = this.#tracer.sizeOf(node, dim);
      const solved = size instanceof SymExpr ? linearIn(size, symbol.name) : undefined;
      if (solved === undefined) continue;
      const read = this.#nodeFor(size as SymExpr);
      const shifted =
        solved.offset === 0
          ? read
          : this.#tracer.scalarCall("operator.sub", [read, solved.offset], symInt(symbol), "sub");
      if (solved.factor === 1) return shifted;
      return this.#tracer.scalarCall(
        "operator.floordiv",
        [shifted, solved.factor],
        symInt(symbol),
        "floordiv",
      );
    }
    throw unboundSymbol(symbol.name);
  }

  #fromStructure(expr: SymExpr, nodeOf = (arg: SymExpr): Argument => this.#nodeFor(arg)): Argument {
    if (expr.op === "Piecewise") return this.#choice(expr);
    const target = PYTHON_TARGETS[expr.op];
    if (target === undefined) {
      throw symbolicNode(expr);
    }
    const candidate = functionName(target);
    const args = expr.args.map(nodeOf);
    if (isCondition(expr)) return this.#condition(expr, target, args);
    if (args.length <= 2) return this.#tracer.scalarCall(target, args, scalarOf(expr), candidate);
    return this.#chain(expr, target, args);
  }

  /** A condition as Python computes it. */
  #condition(expr: SymExpr, target: string, args: readonly Argument[]): Argument {
    if (expr.op === "Unequality") {
      // PyTorch writes `Ne(a, b)` as `sym_not(a == b)` (`PythonReferenceAnalysis`).
      const equality = withFloatSides(not(expr) as SymExpr);
      const node = this.#tracer.scalarCall("operator.eq", args, equality, "eq");
      // The comparison belongs to this node alone.
      this.canonical.set(node.name, `part of ${expr.key}`);
      return this.#tracer.scalarCall("torch.sym_not", [node], scalarOf(expr), "sym_not");
    }
    const reflected = isRef(args[0]) || !isRef(args[1]) ? undefined : reflectedTarget(target);
    const operands = reflected === undefined ? args : [args[1]!, args[0]!];
    const name = reflected ?? target;
    const node =
      args.length > 2
        ? this.#chain(expr, target, args)
        : this.#tracer.scalarCall(name, operands, asWritten(expr), functionName(name));
    this.canonical.set((node as NodeRef).name, expr.key);
    return node;
  }

  /**
   * A sum or product of several terms, term by term. Nodes of PyTorch's that compute a part of it
   * stay beside these.
   */
  #chain(expr: SymExpr, target: string, args: readonly Argument[]): Argument {
    const isBool = isCondition(expr);
    const partOf = isBool ? asWritten : scalarOf;
    let value = partOf(expr.args[0]!);
    return args.reduce((left, right, i) => {
      const isWhole = i === args.length - 1 && !isBool;
      value = isWhole ? scalarOf(expr) : evaluateScalarFunction(target, [value, partOf(expr.args[i]!)]);
      const node = this.#tracer.scalarCall(target, [left, right], value, functionName(target));
      if (i < args.length - 1) this.partial.add(node.name);
      return node;
    });
  }

  /** `Piecewise((a, condition), (b, True))` is a choice. */
  #choice(expr: SymExpr): Argument {
    const [first, second] = expr.args;
    const args = [first!.args[1]!, first!.args[0]!, second!.args[0]!].map((arg) => this.#nodeFor(arg));
    return this.#tracer.scalarCall("torch.sym_ite", args, scalarOf(expr), "sym_ite");
  }
}

const placeOf = ({ name }: NodeRef, dim: number): string => `${name} ${dim}`;

const isAt = ({ placeholder, dim }: SymbolSource, node: NodeRef, at: number): boolean =>
  placeholder === node.name && dim === at;
