/**
 * @file Runs a source graph through the dispatcher, node by node, as `torch.fx.Interpreter` does
 * when retracing.
 */

import { finish, isSconceError, type Work } from "@sconce/errors";
import {
  type Argument,
  callPlace,
  float,
  type Graph,
  graphArgument,
  isGraph,
  isOpaque,
  isRef,
  isSymScalar,
  isTuple,
  kindOf,
  type MetaValue,
  type Node,
  type NodeMeta,
  type SymScalar,
} from "@sconce/ir";
import {
  constantValue,
  type EmitArg,
  evaluateScalarFunction,
  isLaneCall,
  isScalarFunction,
  refuseNames,
} from "@sconce/ops";
import { type BoolLike, SymExpr } from "@sconce/symbolic";
import { compositeResult, type GivenCall, placedCall, underDisabled } from "@sconce/trace";
import type { Dispatcher } from "../functionalize/dispatcher.js";
import { FunctionalTensor } from "../functionalize/functional-tensor.js";
import { callBatched, hasBatched, runVmapCall } from "./batched.js";
import { decompositionFailed, missingBody, undefinedNode, untypedResults } from "./errors.js";
import { keepOpaque } from "./opaque-calls.js";

/** What a node's name represents while its graph is run. */
export type Binding = EmitArg | MetaValue | Graph;

/** Metadata that a node hands on to the nodes that replace it. */
export function inheritedMeta(node: Node, pass: string): NodeMeta {
  const { stackTrace, nnModuleStack, sourceFnStack, torchFn, custom } = node.meta;
  const meta: { -readonly [K in keyof NodeMeta]: NodeMeta[K] } = { origin: { pass, from: [node.name] } };
  if (stackTrace !== undefined) meta.stackTrace = stackTrace;
  if (nnModuleStack !== undefined) meta.nnModuleStack = nnModuleStack;
  if (sourceFnStack !== undefined) meta.sourceFnStack = sourceFnStack;
  if (torchFn !== undefined) meta.torchFn = torchFn;
  if (custom !== undefined) meta.custom = custom;
  return meta;
}

/**
 * Metadata of a node in the body of a region that is inlined. PyTorch runs the body as a function
 * of the region's call, whose metadata the nodes take; the user's own line, which PyTorch loses
 * there, is kept.
 */
function regionMeta(node: Node, region: NodeMeta, pass: string): NodeMeta {
  const { stackTrace } = node.meta;
  return {
    ...underDisabled(region, "wrapper"),
    ...(region.stackTrace === undefined && stackTrace !== undefined ? { stackTrace } : {}),
    origin: { pass, from: [node.name] },
  };
}

/** Runs a call of a higher-order operator in an interpreter's place. */
export type HigherOrderRunner = (
  interpreter: GraphInterpreter,
  node: Node,
  args: readonly EmitArg[],
  kwargs: Readonly<Record<string, EmitArg>>,
) => MetaValue;

export class GraphInterpreter {
  readonly dispatcher: Dispatcher;
  readonly graph: Graph;
  readonly #higherOrder: HigherOrderRunner;
  /** Metadata of the call whose body the graph is, where that call is inlined. */
  readonly #region: NodeMeta | undefined;
  readonly #bindings = new Map<string, Binding>();

  constructor(dispatcher: Dispatcher, graph: Graph, higherOrder: HigherOrderRunner, region?: NodeMeta) {
    this.dispatcher = dispatcher;
    this.graph = graph;
    this.#higherOrder = higherOrder;
    this.#region = region;
  }

  bind(name: string, value: Binding): void {
    this.#bindings.set(name, value);
  }

  /**
   * Returns the `torch_fn` of nodes that no node of the source makes: the last operator that was
   * called, with its count.
   */
  lastFunction(): Pick<NodeMeta, "torchFn"> {
    const { graph } = this;
    let at = graph.size - 1;
    const isOperatorCall = ({ op, target }: Node): boolean =>
      op === "call_function" && target.split(".").length === 3;
    while (at >= 0 && !isOperatorCall(graph.nodeAt(at))) at--;
    if (at < 0) return {};
    const last = graph.nodeAt(at);
    const name = last.target.slice(last.target.indexOf(".") + 1);
    let count = 0;
    for (const { op, target } of graph.nodes()) if (op === "call_function" && target === last.target) count++;
    return { torchFn: [`${name}_${count}`, `OpOverload.${name}`] };
  }

  /** Runs every call; returns the output's argument with values in place of references. */
  run(): EmitArg {
    return finish(this.steps());
  }

  /** Returns the same in pieces of some nodes. */
  *steps(): Work<EmitArg> {
    let result: EmitArg = null;
    const { tracer } = this.dispatcher;
    let count = 0;
    for (const node of this.graph.nodes()) {
      if (++count % NODES_A_PIECE === 0) yield;
      if (node.op === "placeholder") continue;
      if (node.op === "output") {
        result = this.resolve(node.args[0]!);
        continue;
      }
      if (node.op === "get_attr") {
        this.bind(node.name, this.#subgraph(node));
        continue;
      }
      tracer.currentMeta =
        this.#region === undefined
          ? inheritedMeta(node, tracer.pass)
          : regionMeta(node, this.#region, tracer.pass);
      const composite = compositeResult(node, this.dispatcher.operators, (input) =>
        constantValue(this.graph.node(input.name).meta.val),
      );
      tracer.env.expect(node.meta.val, (name) => tracer.knows(name), composite);
      tracer.recorded = { target: node.target, val: node.meta.val };
      const start = tracer.nodes.length;
      const value = this.#call(node);
      tracer.adoptSizes(start, value as MetaValue, node.meta.val);
      if (!isGraph(value)) tracer.guards?.note(value as MetaValue);
      this.bind(node.name, value);
    }
    return result;
  }

  /** Returns an argument with values in place of references. */
  resolve(argument: Argument): EmitArg {
    if (isRef(argument)) {
      const value = this.#bindings.get(argument.name);
      if (value === undefined) {
        throw undefinedNode(argument.name);
      }
      return value as EmitArg;
    }
    if (Array.isArray(argument)) return (argument as readonly Argument[]).map((item) => this.resolve(item));
    if (isTuple(argument))
      return { kind: "tuple", items: argument.items.map((item) => this.resolve(item)) } as EmitArg;
    if (kindOf(argument) === "dict") {
      const { entries } = argument as { entries: readonly (readonly [string, Argument])[] };
      return {
        kind: "dict",
        entries: entries.map(([key, item]) => [key, this.resolve(item)] as const),
      } as EmitArg;
    }
    return argument;
  }

  #call(node: Node): Binding {
    try {
      const { args, kwargs } = this.#argumentsOf(node);
      if (node.target === "operator.getitem") {
        // The one item alone: to go over all results for each of them would be quadratic.
        if (args[0] === null) throw untypedResults(graphArgument(node.args[0]!));
        return (args[0] as readonly Binding[])[Number(args[1])]!;
      }
      if (node.target.startsWith("higher_order.")) return this.#higherOrder(this, node, args, kwargs);
      if (isLaneCall(node.target)) return runVmapCall(this.dispatcher, node.target, args);
      if (hasBatched(args)) return callBatched(this.dispatcher, node.target, args, kwargs);
      if (isScalarFunction(node.target)) return this.#scalar(node.target, args);
      if (node.target === "aten._assert_scalar.default") return this.#assertScalar(args);
      const schema = this.dispatcher.operators.schemaOf(node.target);
      if (schema !== undefined) refuseNames(schema, node.args, node.kwargs);
      if (isOpaque(node.target, this.dispatcher.operators) || this.#isDrafted(node))
        return keepOpaque(this, node, args, kwargs);
      const result = this.dispatcher.call(node.target, args, kwargs);
      return keepGrad(node.target, args, result);
    } catch (error) {
      throw atNode(error, node);
    }
  }

  #argumentsOf({ target, args, kwargs }: Node): GivenCall {
    const given = args.map((arg) => this.resolve(arg));
    const keywords: Record<string, EmitArg> = {};
    for (const key in kwargs) keywords[key] = this.resolve(kwargs[key]!);
    const schema = this.dispatcher.operators.schemaOf(target);
    return schema === undefined ? { args: given, kwargs: keywords } : placedCall(schema, given, keywords);
  }

  /**
   * Returns whether only the program says what an operator gives: a draft calls some without a
   * fake.
   */
  #isDrafted({ target, meta }: Node): boolean {
    const row = this.dispatcher.operators.get(target);
    return row?.tags.includes("without_fake") === true && meta.val !== undefined && !row.schema.isMutable;
  }

  #scalar(target: string, written: readonly EmitArg[]): Binding {
    const { env, arithmetic } = this.dispatcher.tracer;
    const args = promoted(target, written as readonly (SymScalar | Argument)[]);
    const value = evaluateScalarFunction(target, args, (size) => env.range(size));
    if (isSymScalar(value)) arithmetic.evaluated(value, target, args);
    return value as Binding;
  }

  #assertScalar([condition, message]: readonly EmitArg[]): MetaValue {
    const { tracer } = this.dispatcher;
    const scalar = isSymScalar(condition as MetaValue) ? (condition as SymScalar) : undefined;
    if (scalar?.expr instanceof SymExpr) tracer.env.require(scalar.expr as BoolLike);
    const node = scalar === undefined ? true : tracer.arithmetic.operand(scalar);
    // PyTorch records what always holds, and drops it again.
    if (typeof node === "boolean") tracer.dropped.named("_assert_scalar");
    else tracer.record("aten._assert_scalar.default", [node, message as string], {}, null);
    return null;
  }

  #subgraph(node: Node): Graph {
    const graph = this.graph.subgraphs.get(node.target);
    if (graph !== undefined) return graph;
    throw missingBody(node);
  }
}

/**
 * Functions for which Python makes a float of an integer beside a float (`promote2` in
 * `torch/fx/experimental/sym_node.py`).
 */
const PROMOTING =
  /^(operator\.(add|sub|mul|truediv|floordiv|mod|pow|eq|ne|gt|lt|le|ge)|torch\.sym_(min|max))$/;

function promoted(
  target: string,
  args: readonly (SymScalar | Argument)[],
): readonly (SymScalar | Argument)[] {
  const isReal = (arg: SymScalar | Argument): boolean => isSymScalar(arg) && arg.kind === "SymFloat";
  if (!PROMOTING.test(target) || !args.some(isReal)) return args;
  return args.map((arg) => (typeof arg === "number" && Number.isInteger(arg) ? float(arg) : arg));
}

/**
 * Returns a result of the program's own calls: views of what requires gradients require them too.
 * Views that a composite takes do not.
 */
function keepGrad(target: string, args: readonly EmitArg[], result: MetaValue): MetaValue {
  const base = args[0];
  if (!(base instanceof FunctionalTensor) || !base.requiresGrad || target.startsWith("aten.detach"))
    return result;
  for (const value of Array.isArray(result) ? (result as readonly MetaValue[]) : [result]) {
    if (value instanceof FunctionalTensor && value.storage === base.storage) value.requireGrad();
  }
  return result;
}

/** Nodes between two pauses. */
const NODES_A_PIECE = 8;

/**
 * Returns the error with the node that it happened in, and the user's own line where it is known.
 */
function atNode(error: unknown, node: Node): unknown {
  if (isSconceError(error)) return error.at(callPlace(node));
  return decompositionFailed(node, error);
}
