/** @file The statements of a graph: one for each node, in the order of the graph. */

import { isSconceError, scriptString } from "@sconce/errors";
import {
  type Argument,
  FakeTensor,
  type Graph,
  isRef,
  isSymScalar,
  itemsOf,
  type MetaValue,
  type Node,
  typeText,
} from "@sconce/ir";
import { defaultOperators, isLaneCall, isScalarFunction, lanesEnd, opensLanes } from "@sconce/ops";
import { type BoolLike, freeSymbols, printExpr, ShapeEnv, SymExpr } from "@sconce/symbolic";
import { camelCase, type OperatorArgument } from "@sconce/torch";
import { callForm, standIn } from "./call-form.js";
import { notWritable } from "./errors.js";
import { ASSOCIATIVE_SCAN, flowText, isFlow } from "./flow-text.js";
import { type LanesBody, laneCallText, lanesText } from "./lanes-text.js";
import { argumentText, commentText, keyText, memberText, taggedText } from "./literals.js";
import type { ModuleFile } from "./module-file.js";
import { scalarFunction } from "./scalar-text.js";
import { type ScannedAxis, scannedAxis } from "./scanned-axis.js";

const ASSERT_SCALAR = "aten._assert_scalar.default";
const ASSERT_METADATA = "aten._assert_tensor_metadata.default";
const CONVERSIONS = new Set(["aten.to.device", "aten.to.dtype", "aten.to.dtype_layout"]);
/** The message of an assertion that the trace makes of a size that a branch takes. */
const LEAST_SIZE = /^Runtime assertion failed for expression u\d+ >= \d+ on node '\w*'$/;
/** The message of an assertion that the trace made of what it knows. */
const GENERATED = /^Runtime assertion failed for expression .* on node '\w*'$/s;

const SIZES: Readonly<Record<string, string>> = {
  "aten.sym_size.int": "size",
  "aten.sym_stride.int": "stride",
  "aten.sym_numel.default": "numel",
  "aten.sym_storage_offset.default": "storageOffset",
};

/** The indentation of the statements of `forward`. */
const MODEL_INDENT = 4;

/** Writes the statements of one graph. */
export class BodyText implements LanesBody {
  readonly file: ModuleFile;
  readonly graph: Graph;
  readonly lines: string[] = [];
  readonly indent: string;
  readonly lanes: readonly string[];
  /** Expressions for the values of nodes. */
  readonly #values: Map<string, string>;
  readonly scans = new Map<string, ScannedAxis>();
  /** What the assertions so far say. */
  readonly #asserted = new ShapeEnv();
  /** Nodes whose text another node has. */
  readonly #written = new Set<string>();

  constructor(
    file: ModuleFile,
    graph: Graph,
    values: ReadonlyMap<string, string>,
    indent: string,
    lanes: readonly string[] = [],
  ) {
    this.file = file;
    this.graph = graph;
    this.#values = new Map(values);
    this.indent = indent;
    this.lanes = lanes;
  }

  get isNested(): boolean {
    return this.indent.length > MODEL_INDENT;
  }

  /** Writes all calls, and returns the items of the result. */
  run(): readonly Argument[] {
    this.#noteSizes();
    if (!this.file.isLowered) this.#findScans();
    this.statements(withStrictFirst([...this.graph.nodes()]));
    const result = this.graph.outputArgument();
    return itemsOf(result) ?? [result];
  }

  #findScans(): void {
    for (const node of this.graph.nodes()) {
      const axis = node.target === ASSOCIATIVE_SCAN ? scannedAxis(this.graph, node) : undefined;
      if (axis === undefined) continue;
      this.scans.set(node.name, axis);
      for (const name of axis.made) this.skip(name);
    }
  }

  /** Notes arithmetic on sizes that an export leaves out; lowering repeats what it did. */
  #noteSizes(): void {
    const known = new Set<string>();
    for (const { target, name, meta } of this.graph.nodes()) {
      const { val } = meta;
      if (target === "aten.sym_size.int" && !this.file.isLowered && this.graph.users(name).length === 0)
        this.file.differ("unused-size", name);
      if (!isScalarFunction(target) || (isSymScalar(val) && val.kind === "SymBool")) continue;
      const expr = isSymScalar(val) && val.expr instanceof SymExpr ? val.expr.key : "";
      if (known.has(expr)) {
        if (!this.file.isLowered) this.file.differ("repeated-size", name);
      } else if (this.graph.users(name).length === 0) this.file.differ("unused-size", name);
      if (expr !== "") known.add(expr);
    }
  }

  statements(nodes: readonly Node[]): void {
    for (let i = 0; i < nodes.length; i++) {
      const node = nodes[i]!;
      if (node.op !== "call_function" || this.#written.has(node.name)) continue;
      const end = opensLanes(node.target) ? lanesEnd(nodes.length, i, (at) => nodes[at]!.target) : -1;
      if (end > i) {
        lanesText(this, node, nodes.slice(i + 1, end));
        i = end;
      } else if (isLaneCall(node.target)) laneCallText(this, node);
      else this.#call(node, nodes, i);
    }
  }

  ofLane(lane: string): BodyText {
    return new BodyText(this.file, this.graph, this.#values, `${this.indent}  `, [...this.lanes, lane]);
  }

  /** Begins the body of a function for a nested graph. */
  nested(graph: Graph, values: ReadonlyMap<string, string>): BodyText {
    return new BodyText(this.file, graph, values, `${this.indent}  `);
  }

  /** Leaves out a node: another one says what it does. */
  skip(name: string): void {
    this.#written.add(name);
  }

  /** Returns the expression for an argument. */
  text(value: Argument, where: string): string {
    return argumentText(value, this.file.use, (name) => this.nodeText(name, where), where);
  }

  /** Returns the expression for a node. */
  nodeText(name: string, where: string): string {
    const text = this.#values.get(name);
    if (text === undefined)
      throw notWritable(`the value of the node "${name}"`, where, "check the program with `verify`");
    return text;
  }

  /** Lets an expression represent a node. */
  bind(name: string, text: string): void {
    this.#values.set(name, text);
  }

  /** Writes a line. */
  line(text: string): void {
    this.lines.push(this.indent + text);
  }

  /** Declares a variable for a node, if anything reads it. */
  declare(node: Node, expression: string): void {
    const isUsed = this.graph.users(node.name).length > 0;
    const name = isUsed ? this.file.names.take(node.name) : "";
    if (isUsed) this.#values.set(node.name, name);
    const type = shownType(node.meta.val);
    const [first, ...rest] = expression.split("\n") as [string, ...string[]];
    const start = `${this.indent}${isUsed ? `const ${name} = ` : ""}${first}`;
    const all = [start, ...rest];
    const last = `${all.pop()!};${type === "" ? "" : ` // ${type}`}`;
    this.lines.push(...all, last);
  }

  /** Returns a value that represents an argument when forms of a call are compared. */
  #standIn(value: Argument): OperatorArgument {
    if (isRef(value)) return standIn(this.graph.find(value.name)?.meta.val);
    const items = itemsOf(value);
    return items === undefined ? value : items.map((item) => this.#standIn(item));
  }

  #call(node: Node, nodes: readonly Node[], at: number): void {
    const { target, name, args } = node;
    if (isFlow(target)) {
      flowText(this, node, nodes.slice(at + 1));
      return;
    }
    if (this.#assigns(node, nodes, at)) return;
    const viewed = this.#viewedAs(node);
    if (viewed !== undefined) {
      this.bind(name, this.nodeText(viewed, name));
      return;
    }
    const next = nodes[at + 1];
    if (target === ASSERT_METADATA && next !== undefined && isConversionOf(next, args[0])) return;
    if (target === ASSERT_SCALAR) {
      const [condition, message] = args;
      const val = isRef(condition) ? this.graph.find(condition.name)?.meta.val : condition;
      if (!isSymScalar(val) || !(val.expr instanceof SymExpr)) {
        // Exports assert this of each size that a branch takes.
        if (typeof message === "string" && LEAST_SIZE.test(message)) return;
        this.file.differ("known-condition", name);
      } else if (isOnInputSizes(val.expr)) this.file.differ("deferred-condition", name);
      else if (
        this.#isImplied(val.expr) ||
        isInOwnForm(val.expr, isRef(condition) ? this.graph.find(condition.name) : undefined, this.graph)
      )
        this.file.differ("data-condition", name);
      const shown =
        typeof message === "string" && !GENERATED.test(message) ? `, ${scriptString(message)}` : "";
      this.lines.push(`${this.indent}${this.file.use("check")}(${this.text(condition!, name)}${shown});`);
      return;
    }
    this.declare(node, this.#expression(node));
  }

  /**
   * Returns whether assertions before it imply a conjunction: an export then asserts its parts at
   * most.
   */
  #isImplied(condition: SymExpr): boolean {
    const isKnown =
      !this.file.isLowered && condition.op === "And" && this.#asserted.staticallyKnown(condition) === true;
    try {
      this.#asserted.check(condition as BoolLike);
    } catch (error) {
      // The assertions of the program contradict each other.
      if (!isSconceError(error)) throw error;
    }
    return isKnown;
  }

  /**
   * Writes a copy that the export made of an assignment: `this.buffer = value` (`copy__default`).
   */
  #assigns(node: Node, nodes: readonly Node[], at: number): boolean {
    const {
      name,
      args: [place, value],
    } = node;
    if (!isCopyOfExport(node) || !isRef(place)) return false;
    const text = this.nodeText(place.name, name);
    const isLast = nodes.slice(at + 1).every((later) => later.op === "output" || isCopyOfExport(later));
    if (!text.startsWith("this") || !isLast || this.graph.users(name).length > 0) return false;
    this.lines.push(`${this.indent}${text} = ${this.text(value!, name)};`);
    return true;
  }

  /**
   * Returns the view as another dtype that an `alias` is of: lowered again, the view gets its
   * alias.
   */
  #viewedAs({ target, args: [view] }: Node): string | undefined {
    if (!this.file.isLowered || target !== "aten.alias.default" || !isRef(view)) return undefined;
    const isOnlyUse = this.graph.users(view.name).length === 1;
    return isOnlyUse && this.graph.find(view.name)?.target === "aten.view.dtype" ? view.name : undefined;
  }

  #expression(node: Node): string {
    const { target, name, args } = node;
    if (target === "operator.getitem") return `${this.text(args[0]!, name)}[${this.text(args[1]!, name)}]!`;
    const size = SIZES[target];
    if (size !== undefined) {
      const [tensor, ...rest] = args.map((arg) => this.text(arg, name));
      const call = `${tensor}.${size}`;
      return size === "storageOffset" ? call : `${call}(${rest.join(", ")})`;
    }
    if (target === "aten.item.default") return `${this.text(args[0]!, name)}.item()`;
    if (isScalarFunction(target)) return this.#scalar(node);
    if (this.file.operators.get(target) === undefined || target.split(".").length !== 3)
      throw notWritable(
        `the call of ${target}`,
        name,
        "declare the operator with `library.customOp`, lower the program, or rewrite the call with a rule",
      );
    return defaultOperators().get(target) === undefined ? this.#customOperator(node) : this.#operator(node);
  }

  /** Returns a call of an operator that is not of Sconce: who runs the module declares it first. */
  #customOperator(node: Node): string {
    const { target, name, args, kwargs } = node;
    const shown = (value: Argument): string => taggedText(value) ?? this.text(value, name);
    const named = Object.entries(kwargs).map(([key, value]) => `${keyText(key)}: ${shown(value)}`);
    const call = this.file.operatorCall(target, args.map(shown), named);
    const type = scalarType(node.meta.val) ?? "Tensor";
    const list = Array.isArray(node.meta.val) ? "[]" : "";
    return `${call} as ${this.file.use(type)}${list}`;
  }

  #scalar({ target, name, args }: Node): string {
    const fn = scalarFunction(target, args);
    if (fn === undefined)
      throw notWritable(`the call of ${target}`, name, "rewrite the call with functions that `sym` has");
    return `${this.file.use("sym")}.${fn}(${args.map((arg) => this.text(arg, name)).join(", ")})`;
  }

  #operator(node: Node): string {
    const { name } = node;
    const kwargs = Object.fromEntries(
      Object.entries(node.kwargs).map(([key, value]) => [key, this.#standIn(value)]),
    );
    const form = callForm(
      node,
      node.args.map((arg) => this.#standIn(arg)),
      kwargs,
    );
    const args = node.args.map((arg) => this.text(arg, name));
    const options = form.keywords.map(
      (key) => `${keyText(camelCase(key))}: ${this.text(node.kwargs[key]!, name)}`,
    );
    const last = options.length === 0 ? [] : [`{ ${options.join(", ")} }`];
    if (form.kind === "method") return `${args[0]}.${form.callee}(${[...args.slice(1), ...last].join(", ")})`;
    this.file.use(form.callee.split(".")[0]!);
    const callee = form.kind === "function" ? form.callee : overloadText(node.target);
    const call = `${callee}(${[...args, ...last].join(", ")})`;
    const type = scalarType(node.meta.val);
    return type === undefined ? call : `${call} as ${this.file.use(type)}`;
  }
}

/** `torch.ops.aten.add.Tensor`; overloads may be words of JavaScript, which properties may be. */
const overloadText = (target: string): string =>
  target.split(".").reduce((owner, part) => memberText(owner, part), "torch.ops");

/** Returns whether a condition is on sizes of inputs alone, of which an export makes guards. */
function isOnInputSizes(condition: SymExpr): boolean {
  const names = [...freeSymbols(condition).values()].map(({ name }) => name);
  return names.length > 0 && names.every((name) => /^s\d+$/.test(name));
}

/**
 * Returns whether an export asserts a condition on data in another form: without a part that is
 * asserted by itself, or with Python's modulo.
 */
function isInOwnForm(condition: SymExpr, node: Node | undefined, graph: Graph): boolean {
  const hasAsserted =
    node?.target === "operator.and_" &&
    node.args.some((part) => isRef(part) && graph.users(part.name).length > 1);
  return hasAsserted || /(?<![A-Za-z])Mod\(/.test(printExpr(condition));
}

/** Returns whether a node is a copy that the export made of an assignment, by its name. */
const isCopyOfExport = ({ target, name }: Node): boolean =>
  target === "aten.copy_.default" && name.startsWith("copy__default");

/** Returns whether a node asserts what the trace found, or computes its condition. */
const isOfAssertion = ({ target, args: [, message] }: Node): boolean =>
  isScalarFunction(target) ||
  (target === ASSERT_SCALAR && typeof message === "string" && GENERATED.test(message));

const STRICT = new Set(["operator.lt", "operator.gt", "operator.eq", "operator.ne"]);

/**
 * Returns the nodes with assertions of one place in another order: `u0 > 0` before `u0 >= 1`. The
 * latter follows from the former, and is asserted again; the other way round one would be lost.
 */
function withStrictFirst(nodes: readonly Node[]): readonly Node[] {
  if (!nodes.some(({ target }) => target === ASSERT_SCALAR)) return nodes;
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const isStrict = ({ args: [condition] }: Node): boolean =>
    isRef(condition) && STRICT.has(byName.get(condition.name)?.target ?? "");
  const result: Node[] = [];
  let group: Node[] = [];
  const flush = (): void => {
    const asserts = group.filter(({ target }) => target === ASSERT_SCALAR);
    result.push(...group.filter(({ target }) => target !== ASSERT_SCALAR));
    result.push(...asserts.filter(isStrict), ...asserts.filter((node) => !isStrict(node)));
    group = [];
  };
  for (const node of nodes) {
    if (isOfAssertion(node)) group.push(node);
    else {
      flush();
      result.push(node);
    }
  }
  flush();
  return result;
}

const isConversionOf = ({ target, args: [operand] }: Node, tensor: Argument | undefined): boolean =>
  CONVERSIONS.has(target) && isRef(operand) && isRef(tensor) && operand.name === tensor.name;

/** Returns the type of a number that an overload gives: its schema says less. */
function scalarType(val: MetaValue | undefined): string | undefined {
  if (!isSymScalar(val)) return undefined;
  return val.kind === "SymFloat" ? "SymFloat" : val.kind === "SymInt" ? "SymInt" : undefined;
}

/** Returns the type of a tensor as a comment. */
const shownType = (val: MetaValue | undefined): string =>
  val instanceof FakeTensor ? commentText(typeText(val)) : "";
