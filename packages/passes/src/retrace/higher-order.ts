import { finish } from "@sconce/errors";
import {
  type Argument,
  FakeTensor,
  type Graph,
  isGraph,
  isTuple,
  type MetaValue,
  type Node,
  type NodeMeta,
} from "@sconce/ir";
import type { EmitArg, UnboundArg } from "@sconce/ops";
import { symbolByName } from "@sconce/symbolic";
import type { DType } from "@sconce/tensor";
import { type BodySymbols, type LoweredNode, reifiedMeta, Tracer, underDisabled } from "@sconce/trace";
import { Dispatcher, unwrap, wrap } from "../functionalize/dispatcher.js";
import { FunctionalTensor } from "../functionalize/functional-tensor.js";
import { hasEffect } from "../graphs/dead-nodes.js";
import { makesSymbols, numberSymbols, renameSymbols } from "./body-symbols.js";
import { unsupportedHigherOrder, withoutBody } from "./errors.js";
import { GraphInterpreter } from "./interpret.js";
import { keepCall, recordedResult } from "./opaque-calls.js";

type Kwargs = Readonly<Record<string, EmitArg>>;

/** Which arguments are bodies, and what their graphs are called. */
interface ControlFlow {
  readonly prefixes: readonly string[];
  readonly bodies: readonly number[];
  /**
   * The argument that the operator makes a tuple of (`additional_inputs` of scans); others keep
   * their kind.
   */
  readonly tuple?: number;
}

const CONTROL_FLOW: Readonly<Record<string, ControlFlow>> = {
  "higher_order.cond": {
    prefixes: ["true_graph", "false_graph"],
    bodies: [1, 2],
  },
  "higher_order.map_impl": { prefixes: ["body_graph"], bodies: [0] },
  "higher_order.while_loop": {
    prefixes: ["while_loop_cond_graph", "while_loop_body_graph"],
    bodies: [0, 1],
  },
  "higher_order.scan": { prefixes: ["scan_combine_graph"], bodies: [0], tuple: 3 },
  "higher_order.associative_scan": {
    prefixes: ["associative_scan_combine_graph"],
    bodies: [0],
    tuple: 2,
  },
};

/**
 * Functional already: the operator inside runs on copies. Its results are those that the program
 * records.
 */
const AUTO_FUNCTIONALIZED = new Set([
  "higher_order.auto_functionalized",
  "higher_order.auto_functionalized_v2",
]);

export function runHigherOrder(
  interpreter: GraphInterpreter,
  node: Node,
  args: readonly EmitArg[],
  kwargs: Kwargs,
): MetaValue {
  if (node.target === "higher_order.wrap_with_set_grad_enabled")
    return inline(interpreter, args[1], args.slice(2));
  if (node.target === "higher_order.wrap_with_autocast") return inlineAutocast(interpreter, args);
  if (AUTO_FUNCTIONALIZED.has(node.target)) return keepCall(interpreter, node, args, kwargs);
  const shape = CONTROL_FLOW[node.target];
  if (shape !== undefined) return traceControlFlow(interpreter, node, shape, args, kwargs);
  throw unsupportedHigherOrder(node);
}

/** The body's calls run in place of the wrapper. */
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

function traceControlFlow(
  interpreter: GraphInterpreter,
  node: Node,
  shape: ControlFlow,
  args: readonly EmitArg[],
  kwargs: Kwargs,
): MetaValue {
  const { dispatcher } = interpreter;
  const { tracer } = dispatcher;
  const plain = args.map((arg) => (isGraph(arg) ? arg : unwrap(arg)));
  const nodeArgs: (EmitArg | LoweredNode)[] = plain.slice();
  // A graph that is several bodies of the call stays one: nested calls would double it each time.
  const traced = new Map<Graph, Graph>();
  const made = new Map<Graph, BodySymbols>();
  for (const index of shape.bodies) {
    const body = asGraph(plain[index]);
    if (traced.has(body)) continue;
    const own = tracer.env.inBody(() => traceBody(dispatcher, body, bodyMeta(node)));
    traced.set(body, own.result);
    made.set(body, own.made);
  }
  const call = {
    target: node.target,
    bodies: shape.bodies.map((index) => made.get(asGraph(plain[index]))!),
  };
  if (makesSymbols(call) && tracer.env.isInBody) tracer.env.noteCall(call);
  else if (makesSymbols(call)) {
    const names = numberSymbols(call, tracer.env.trace, (like) => tracer.env.freshLike(symbolByName(like)));
    const renamed = new Map<Graph, Graph>();
    for (const [body, graph] of traced) traced.set(body, renameSymbols(graph, names, renamed));
  }
  const attributes = new Map<Graph, LoweredNode>();
  shape.bodies.forEach((index, i) => {
    const body = asGraph(plain[index]);
    const target = tracer.subgraphTarget(shape.prefixes[i]!);
    if (!attributes.has(body)) attributes.set(body, tracer.getAttr(target, traced.get(body)!));
    nodeArgs[index] = attributes.get(body)!;
  });
  const operands = shape.tuple === undefined ? undefined : nodeArgs[shape.tuple];
  if (Array.isArray(operands))
    nodeArgs[shape.tuple!] = { kind: "tuple", items: operands as readonly EmitArg[] } as unknown as EmitArg;
  const result = tracer.record(
    node.target,
    nodeArgs as Argument[],
    kwargs as Record<string, Argument>,
    recordedResult(node),
  );
  return wrap(result);
}

/**
 * Metadata of reads of sizes in a body: PyTorch's tracer of the body makes them, which TorchDynamo
 * does not trace.
 */
function bodySizeMeta({ currentMeta, isBody }: Tracer): NodeMeta {
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

/** Traces a body with its own namespace. */
function traceBody(outer: Dispatcher, body: Graph, meta: NodeMeta): Graph {
  const tracer = new Tracer(outer.operators, outer.tracer.env, outer.tracer.pass);
  tracer.preludeMeta = bodySizeMeta(outer.tracer);
  tracer.isBody = true;
  tracer.bodyArithmeticMeta = reifiedMeta(outer.tracer.currentMeta);
  const dispatcher = new Dispatcher(tracer, outer.operators, outer.table, outer.hidden);
  const interpreter = new GraphInterpreter(dispatcher, body, runHigherOrder);
  body.placeholders().forEach((placeholder, i) => {
    const value = tracer.placeholder(`arg${i}_1`, placeholder.meta.val ?? null, meta);
    interpreter.bind(
      placeholder.name,
      value instanceof FakeTensor ? new FunctionalTensor(value) : (value as EmitArg),
    );
  });
  const results = tracer.toArgument(unwrap(interpreter.run()) as UnboundArg);
  return finish(tracer.build(results, (node) => !hasEffect(node, outer.operators), meta));
}

function asGraph(value: unknown): Graph {
  if (isGraph(value)) return value;
  throw withoutBody();
}
