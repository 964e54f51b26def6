import { finish } from "@sconce/errors";
import {
  type Argument,
  FakeTensor,
  type Graph,
  isGraph,
  isSymScalar,
  isTuple,
  itemsOf,
  type MetaValue,
  type Node,
  type NodeMeta,
} from "@sconce/ir";
import { type EmitArg, REFUSED_HIGHER_ORDER, type UnboundArg } from "@sconce/ops";
import { copyOf, type IntLike, isUnbacked, SymExpr, symbolByName, symEquals } from "@sconce/symbolic";
import type { DType } from "@sconce/tensor";
import {
  type BodyCall,
  type BodySymbols,
  type LoweredNode,
  LoweringTracer,
  reifiedMeta,
  symbolNames,
  underDisabled,
} from "@sconce/trace";
import { Dispatcher } from "../functionalize/dispatcher.js";
import { FunctionalTensor } from "../functionalize/functional-tensor.js";
import { unwrap, wrap } from "../functionalize/wrapping.js";
import { hasEffect } from "../graphs/dead-nodes.js";
import { refuseAliases } from "./body-aliases.js";
import { makesSymbols, numberSymbols, renameSymbols } from "./body-symbols.js";
import { unsupportedHigherOrder, withoutBody, writingBody } from "./errors.js";
import { GraphInterpreter } from "./interpret.js";
import { keepCall, recordedResult } from "./opaque-calls.js";

type Kwargs = Readonly<Record<string, EmitArg>>;

/** The place of a body: an argument, or an item of one. */
type Place = readonly [argument: number, item?: number];

/** Which arguments are bodies, and what their graphs are called. */
interface GraphCall {
  readonly prefixes: readonly string[];
  readonly bodies: readonly Place[];
  /**
   * The argument that the operator makes a tuple of (`additional_inputs` of scans, operands of
   * hints); others keep their kind.
   */
  readonly tuple?: number;
  /** Whether calls of one graph keep one graph. */
  readonly isShared?: boolean;
}

const one = (prefix: string): GraphCall => ({ prefixes: [prefix], bodies: [[0]] });
const LOOP: GraphCall = {
  prefixes: ["while_loop_cond_graph_", "while_loop_body_graph_"],
  bodies: [[0], [1]],
};

/** Calls that PyTorch traces anew, with a new name for each graph. */
const GRAPH_CALLS: Readonly<Record<string, GraphCall>> = {
  "higher_order.cond": { prefixes: ["true_graph_", "false_graph_"], bodies: [[1], [2]] },
  "higher_order.map_impl": one("body_graph_"),
  "higher_order.while_loop": LOOP,
  "higher_order.while_loop_stack_output": LOOP,
  "higher_order.scan": { ...one("scan_combine_graph_"), tuple: 3 },
  "higher_order.associative_scan": { ...one("associative_scan_combine_graph_"), tuple: 2 },
  "higher_order.hints_wrapper": { ...one("hints_wrapper_body_graph_"), tuple: 1 },
  "higher_order.strict_mode": one("strict_graph_"),
  "higher_order.invoke_subgraph": { ...one("repeated_subgraph"), isShared: true },
  "higher_order.foreach_map": one("subgraph"),
  "higher_order.invoke_quant": one("subgraph"),
  "higher_order.invoke_quant_packed": one("subgraph"),
};

const FLEX_ATTENTION = "higher_order.flex_attention";

/** Calls whose body's calls run in their place: where the body is. */
const INLINED: Readonly<Record<string, number>> = {
  "higher_order.wrap": 0,
  "higher_order.wrap_with_set_grad_enabled": 1,
  "higher_order.wrap_activation_checkpoint": 0,
  "higher_order.tag_activation_checkpoint": 0,
  "higher_order.local_map_hop": 0,
};

/**
 * Calls that stay as they are, with the results that the program records: those of operators, which
 * are functional already, and graphs that only run before the program does.
 */
const KEPT = new Set(
  ["auto_functionalized", "auto_functionalized_v2", "out_dtype", "_export_tracepoint"].map(
    (name) => `higher_order.${name}`,
  ),
);

export function runHigherOrder(
  interpreter: GraphInterpreter,
  node: Node,
  args: readonly EmitArg[],
  kwargs: Kwargs,
): MetaValue {
  const { target } = node;
  const inlined = INLINED[target];
  if (inlined !== undefined) return inline(interpreter, args[inlined], args.slice(inlined + 1));
  if (target === "higher_order.wrap_with_autocast") return inlineAutocast(interpreter, args);
  if (KEPT.has(target)) return keepWrapped(interpreter, node, args, kwargs);
  if (target === "higher_order.run_const_graph") return keepConstGraph(interpreter, node, args, kwargs);
  if (target === "higher_order.print") return keepPrint(interpreter, node, args, kwargs);
  const shape = graphCallOf(node);
  if (shape !== undefined) return traceGraphCall(interpreter, node, shape, args, kwargs);
  throw unsupportedHigherOrder(node, REFUSED_HIGHER_ORDER.get(target));
}

function graphCallOf({ target, args }: Node): GraphCall | undefined {
  const countOf = (at: number): number => itemsOf(args[at] ?? null)?.length ?? 0;
  if (target === "higher_order.switch") {
    const branches = Array.from({ length: countOf(1) }, (_, i) => i);
    return { prefixes: branches.map((i) => `branch${i}_graph_`), bodies: branches.map((i) => [1, i]) };
  }
  if (target === FLEX_ATTENTION)
    return { prefixes: ["sdpa_score", "sdpa_mask"], bodies: [[3], [4, countOf(4) - 1]] };
  return GRAPH_CALLS[target];
}

const listOf = (arg: EmitArg | LoweredNode): readonly EmitArg[] =>
  isTuple(arg) ? (arg.items as readonly EmitArg[]) : (arg as readonly EmitArg[]);
const bodyAt = (args: readonly EmitArg[], [argument, item]: Place): Graph =>
  asGraph(item === undefined ? args[argument] : listOf(args[argument]!)[item]);

function putBody(args: (EmitArg | LoweredNode)[], [argument, item]: Place, body: LoweredNode): void {
  if (item === undefined) {
    args[argument] = body;
    return;
  }
  const whole = args[argument]!;
  const items = listOf(whole).with(item, body as unknown as EmitArg);
  args[argument] = isTuple(whole) ? ({ ...whole, items } as unknown as EmitArg) : items;
}

/** Returns a kept call, whose results PyTorch wraps. */
function keepWrapped(
  interpreter: GraphInterpreter,
  node: Node,
  args: readonly EmitArg[],
  kwargs: Kwargs,
): MetaValue {
  const result = keepCall(interpreter, node, args, kwargs);
  interpreter.dispatcher.tracer.dropped.wrapped(unwrap(result as EmitArg));
  return result;
}

/** A print is in order with other effects; those of bodies stay as they are. */
function keepPrint(
  { dispatcher: { tracer } }: GraphInterpreter,
  node: Node,
  args: readonly EmitArg[],
  kwargs: Kwargs,
): MetaValue {
  const plain = args.map(unwrap) as UnboundArg[];
  const named = Object.fromEntries(
    Object.entries(kwargs).map(([key, arg]) => [key, unwrap(arg) as UnboundArg]),
  );
  return tracer.isBody
    ? tracer.record(node.target, plain, named, null)
    : tracer.ordered(node.target, plain, named);
}

/** Returns a graph that ran before the program does: PyTorch keeps it under its name, as it is. */
function keepConstGraph(
  interpreter: GraphInterpreter,
  node: Node,
  args: readonly EmitArg[],
  kwargs: Kwargs,
): MetaValue {
  const graph = interpreter.dispatcher.tracer.getAttr("_const_graph", asGraph(args[0]));
  return keepCall(interpreter, node, [graph as unknown as EmitArg, ...args.slice(1)], kwargs);
}

/** Calls that choose one of several bodies, which run on the operands themselves. */
const CHOICES: ReadonlySet<string> = new Set(["higher_order.cond", "higher_order.switch"]);

/** Returns the symbols of the values of a graph, without those of its bodies. */
function shownSymbols(graph: Graph): ReadonlySet<string> {
  const known = SHOWN.get(graph);
  if (known !== undefined) return known;
  const shown = new Set([...graph.nodes()].flatMap(({ meta: { val } }) => symbolNames(val)));
  SHOWN.set(graph, shown);
  return shown;
}
const SHOWN = new WeakMap<Graph, ReadonlySet<string>>();

/** Sizes in which results of branches differ, for which the call makes symbols. */
function mergedSizes({ meta: { val } }: Node, { tracer }: Dispatcher): readonly string[] {
  return symbolNames(val).filter((name) => isUnbacked(symbolByName(name)) && !tracer.knows(name));
}

/**
 * Returns the integers that a loop carries, for which its bodies and its results have symbols, and
 * those that a choice makes.
 */
function ownIntegers(
  node: Node,
  [, body, operands]: readonly EmitArg[],
  dispatcher: Dispatcher,
): Pick<BodyCall, "carried" | "results"> {
  const { target, meta } = node;
  if (CHOICES.has(target)) return { results: mergedSizes(node, dispatcher) };
  if (target !== "higher_order.while_loop" || !isGraph(body)) return {};
  const count = itemsOf(operands as Argument)?.length ?? 0;
  const namesOf = (values: readonly unknown[]): string[] =>
    values.flatMap((val) => (isSymScalar(val) && isDataSymbol(val.expr) ? [val.expr.name] : []));
  return {
    carried: namesOf(
      body
        .placeholders()
        .slice(0, count)
        .map((placeholder) => placeholder.meta.val),
    ),
    results: namesOf(Array.isArray(meta.val) ? meta.val : []),
  };
}

const isDataSymbol = (expr: unknown): expr is SymExpr =>
  expr instanceof SymExpr && expr.op === "Symbol" && isUnbacked(expr);

/** Runs the calls of a body in place of its wrapper. */
function inline(interpreter: GraphInterpreter, body: EmitArg, operands: readonly EmitArg[]): MetaValue {
  const graph = asGraph(body);
  const { dispatcher } = interpreter;
  const inner = new GraphInterpreter(dispatcher, graph, runHigherOrder, dispatcher.tracer.currentMeta);
  for (const [i, placeholder] of graph.placeholders().entries()) inner.bind(placeholder.name, operands[i]);
  const result = inner.run();
  return (isTuple(result) ? result.items : result) as MetaValue;
}

function inlineAutocast(interpreter: GraphInterpreter, args: readonly EmitArg[]): MetaValue {
  const [, dtype, enabled, , body, ...operands] = args;
  const { dispatcher } = interpreter;
  const outer = dispatcher.autocast;
  const name = (dtype as { dtype?: DType } | null)?.dtype ?? "bfloat16";
  dispatcher.autocast = enabled === true ? { dtype: name } : null;
  try {
    return inline(interpreter, body, operands);
  } finally {
    dispatcher.autocast = outer;
  }
}

/** Returns an argument without wrappers; graphs stay as they are. */
function plainOf(arg: EmitArg): EmitArg {
  if (isGraph(arg)) return arg;
  if (Array.isArray(arg)) return (arg as readonly EmitArg[]).map(plainOf);
  return isTuple(arg) ? ({ ...arg, items: arg.items.map(plainOf) } as unknown as EmitArg) : unwrap(arg);
}

function traceGraphCall(
  interpreter: GraphInterpreter,
  node: Node,
  shape: GraphCall,
  args: readonly EmitArg[],
  kwargs: Kwargs,
): MetaValue {
  const { dispatcher } = interpreter;
  const { tracer } = dispatcher;
  const plain = args.map(plainOf);
  const nodeArgs: (EmitArg | LoweredNode)[] = plain.slice();
  if (node.target === FLEX_ATTENTION) makeElements(interpreter, plain[0]!);
  // A graph that is several bodies of the call stays one: nested calls would double it each time.
  const traced = new Map<Graph, Graph>();
  const made = new Map<Graph, BodySymbols>();
  for (const [at, place] of shape.bodies.entries()) {
    const body = bodyAt(plain, place);
    if (traced.has(body)) continue;
    const own = tracer.env.inBody(() => traceBody(dispatcher, body, { node, args, plain, at }));
    traced.set(body, own.result);
    made.set(body, own.made);
  }
  const call = {
    target: node.target,
    bodies: shape.bodies.map((place) => made.get(bodyAt(plain, place))!),
    ...ownIntegers(node, plain, dispatcher),
  };
  if (makesSymbols(call) && tracer.env.isInBody) tracer.env.noteCall(call);
  else if (makesSymbols(call)) {
    const names = numberSymbols(call, tracer.env, (name) => shownSymbols(interpreter.graph).has(name));
    const renamed = new Map<Graph, Graph>();
    for (const [body, graph] of traced) traced.set(body, renameSymbols(graph, names, renamed));
  }
  const attributes = new Map<Graph, LoweredNode>();
  const known = shape.isShared === true ? tracer.sharedTargets : new Map<Graph, string>();
  const isKnown = shape.bodies.every((place) => known.has(bodyAt(plain, place)));
  const count = isKnown ? 0 : tracer.subgraphCount(shape.prefixes[0]!);
  shape.bodies.forEach((place, i) => {
    const body = bodyAt(plain, place);
    const target = known.get(body) ?? `${shape.prefixes[i]!}${count}`;
    known.set(body, target);
    if (!attributes.has(body)) attributes.set(body, tracer.getAttr(target, traced.get(body)!));
    putBody(nodeArgs, place, attributes.get(body)!);
  });
  const operands = shape.tuple === undefined ? undefined : nodeArgs[shape.tuple];
  if (Array.isArray(operands))
    nodeArgs[shape.tuple!] = { kind: "tuple", items: operands as readonly EmitArg[] } as unknown as EmitArg;
  const result = tracer.record(
    node.target,
    nodeArgs as Argument[],
    kwargs as Record<string, Argument>,
    withSizesOf(node.target, recordedResult(node), plain),
  );
  tracer.dropped.wrapped(result);
  return wrap(result);
}

/**
 * PyTorch makes the elements that a function of scores is traced with, and drops them again: names
 * of later nodes count them.
 */
function makeElements({ dispatcher }: GraphInterpreter, query: EmitArg): void {
  for (let i = 0; i < 5; i++)
    dispatcher.lowered("aten.new_zeros.default", [query, []], i === 0 ? {} : { dtype: "int32" });
}

/**
 * Returns the objects of sizes in what a loop gives: those of the values that it carries, and for
 * each stacked result a separate one for the number of iterations. A map gives sizes of its
 * operands.
 */
function withSizesOf(target: string, results: MetaValue, args: readonly EmitArg[]): MetaValue {
  if (target === "higher_order.map_impl") return withOperandSizes(results, args.slice(1).flatMap(listOf));
  const isStacked = target === "higher_order.while_loop_stack_output";
  if (!Array.isArray(results) || !(isStacked || target === "higher_order.while_loop")) return results;
  const carried = isStacked ? [] : listOf(args[2] as EmitArg);
  return (results as readonly MetaValue[]).map((item, i) => {
    if (!(item instanceof FakeTensor)) return item;
    const from = carried[i];
    const shape = item.shape.map((size, dim): IntLike => {
      const own = from instanceof FakeTensor ? from.shape[dim] : undefined;
      if (own !== undefined && symEquals(own, size)) return own;
      return isStacked && size instanceof SymExpr ? copyOf(size) : size;
    });
    return new FakeTensor({ ...item, shape });
  });
}

function withOperandSizes(results: MetaValue, operands: readonly EmitArg[]): MetaValue {
  if (!Array.isArray(results)) return results;
  const sizes = operands.flatMap((one) => (one instanceof FakeTensor ? one.shape : []));
  return (results as readonly MetaValue[]).map((item) => {
    if (!(item instanceof FakeTensor)) return item;
    const shape = item.shape.map((size) =>
      size instanceof SymExpr ? (sizes.find((own) => symEquals(own, size)) ?? size) : size,
    );
    return new FakeTensor({ ...item, shape });
  });
}

/**
 * Metadata of reads of sizes in a body: PyTorch's tracer of the body makes them, which TorchDynamo
 * does not trace.
 */
function bodySizeMeta({ currentMeta, isBody }: LoweringTracer): NodeMeta {
  const root = isBody ? undefined : currentMeta.nnModuleStack?.slice(0, 1);
  return underDisabled(root === undefined ? {} : { nnModuleStack: root }, "trace");
}

/**
 * Metadata of the placeholders and the output of a body: the call's, under PyTorch's function that
 * traces the body.
 */
function bodyMeta({ meta: { torchFn, sourceFnStack, custom } }: Node): NodeMeta {
  return underDisabled(
    {
      ...(torchFn === undefined ? {} : { torchFn }),
      ...(sourceFnStack === undefined ? {} : { sourceFnStack }),
      ...(custom === undefined ? {} : { custom }),
    },
    "dispatch_trace",
  );
}

/** The depths of the graphs that make the operands of a choice: other bodies run on new tensors. */
function operandDepths({ tracer }: Dispatcher, { target }: Node, args: readonly EmitArg[]) {
  if (!CHOICES.has(target)) return [];
  return listOf(args.at(-1)!).map((operand) =>
    operand instanceof FakeTensor ? (tracer.operands.get(operand) ?? tracer.depth) : undefined,
  );
}

/** A call, and which of its bodies is traced. */
interface BodyPlace {
  readonly node: Node;
  readonly args: readonly EmitArg[];
  /** The same without wrappers. */
  readonly plain: readonly EmitArg[];
  readonly at: number;
}

/** Traces a body with its own namespace. */
function traceBody(outer: Dispatcher, body: Graph, { node, args, plain, at }: BodyPlace): Graph {
  const meta = bodyMeta(node);
  const tracer = new LoweringTracer(outer.operators, outer.tracer.env, outer.tracer.pass);
  tracer.preludeMeta = bodySizeMeta(outer.tracer);
  tracer.isBody = true;
  tracer.bodyArithmeticMeta = reifiedMeta(outer.tracer.currentMeta);
  const dispatcher = new Dispatcher(tracer, outer.operators, outer.table, outer.hidden);
  const interpreter = new GraphInterpreter(dispatcher, body, runHigherOrder);
  const depths = operandDepths(outer, node, plain);
  const operands = new Map<FakeTensor, number>();
  tracer.operands = operands;
  tracer.depth = outer.tracer.depth + 1;
  tracer.readBefore = outer.tracer.readBefore;
  const inputs = body.placeholders().map(({ name, meta: { val } }, i): EmitArg => {
    const value = tracer.placeholder(`arg${i}_1`, val ?? null, meta);
    if (value instanceof FakeTensor && depths[i] !== undefined) operands.set(value, depths[i]);
    const input = value instanceof FakeTensor ? new FunctionalTensor(value) : (value as EmitArg);
    interpreter.bind(name, input);
    return input;
  });
  for (const input of inputs) tracer.dropped.wrapped(input);
  const given = interpreter.run();
  const results = tracer.toArgument(unwrap(given) as UnboundArg);
  const written = inputs.findIndex(
    (input) => input instanceof FunctionalTensor && input.storage.generation > 0,
  );
  refuseAliases(node, args, { at, inputs, results: given });
  if (written >= 0) throw writingBody(node, body.placeholders()[written]!.name);
  return finish(tracer.build(results, (node) => !hasEffect(node, outer.operators), meta));
}

function asGraph(value: unknown): Graph {
  if (isGraph(value)) return value;
  throw withoutBody();
}
