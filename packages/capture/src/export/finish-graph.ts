/** @file The graph of a finished trace: names, metadata, references. */

import {
  type Argument,
  FakeTensor,
  type Graph,
  GraphBuilder,
  hasStaticLayout,
  isSymScalar,
  type MetaValue,
  type Node,
  type NodeMeta,
  tuple,
} from "@sconce/ir";
import { withStack, withStackOf } from "@sconce/source-check";
import type { ShapeEnv } from "@sconce/symbolic";
import {
  type Region,
  type TraceArgument,
  type TraceBody,
  type TraceMeta,
  TraceNode,
  withRegions,
  withRuntimeAsserts,
} from "@sconce/torch";
import { bindingPaths, CollisionNames, finalArgument, withoutCommonItems } from "@sconce/trace";

/** The parts of a graph. */
export interface GraphParts {
  /** Inputs, in order; they have their final names. */
  readonly inputs: readonly TraceNode[];
  /** Gives the other nodes their final names. */
  readonly names: CollisionNames;
  readonly body: readonly TraceNode[];
  readonly outputs: readonly TraceArgument[];
  readonly env: ShapeEnv;
  /** Graphs that nodes of the body read. */
  readonly regions: readonly Region[];
}

/** Gives nodes their final names and makes the graph. */
export function finishGraph({ inputs, names, body, outputs, env, regions }: GraphParts): Graph {
  for (const node of body) node.name = names.rename(node.name);
  const builder = new GraphBuilder({ unknownTargets: "allow" });
  const inner = (region: Region): Graph => regionGraph(region, env, asksGrad);
  addNodes(builder, { inputs, body, env, regions, inner, recordsGrad: (i) => asksGrad(inputs[i]!) });
  builder.output(tuple(outputs.map(finalArgument)));
  return builder.build();
}

/** Whether the value of an input records that gradients are asked for. */
type RecordsGrad = (input: number) => boolean;
const never = (): boolean => false;

/** Values of results are recorded without gradients, those of inputs as they are in the end. */
const asksGrad = ({ op, val, asksGrad: written }: TraceNode): boolean =>
  op === "placeholder" && val instanceof FakeTensor && (written ?? val.requiresGrad);

/** Returns the graph of a region. */
function regionGraph(region: Region, env: ShapeEnv, asks: (operand: TraceNode) => boolean): Graph {
  const { operands, inputs, nodes: body, outputs, regions } = region;
  if (region.isNamed) nameAfterOperands(region);
  const builder = new GraphBuilder({ unknownTargets: "allow" });
  const asksOf = new Map(inputs.map((input, i) => [input, asks(operands[i]!.current)] as const));
  const inner = (own: Region): Graph => regionGraph(own, env, (operand) => asksOf.get(operand) ?? false);
  addNodes(builder, { inputs, body, env, regions, inner, recordsGrad: (i) => asksOf.get(inputs[i]!)! });
  builder.output(tuple(outputs.map(finalArgument)));
  return builder.build();
}

/** Inputs of a region have the names of its operands (`_name_hoo_subgraph_placeholders`). */
function nameAfterOperands({ operands, inputs, nodes }: Region): void {
  const names = new CollisionNames();
  operands.forEach((operand, i) => {
    inputs[i]!.name = names.placeholder(operand.current.name);
  });
  for (const node of nodes) node.name = names.rename(node.name);
}

/** What {@link addNodes} adds. */
interface AddedNodes {
  readonly inputs: readonly TraceNode[];
  readonly body: readonly TraceNode[];
  readonly env: ShapeEnv;
  readonly recordsGrad: RecordsGrad;
  /** Regions that nodes of the body read. */
  readonly regions: readonly Region[];
  /** Makes the graph of a region. */
  readonly inner: (region: Region) => Graph;
  /** See {@link bodyGraph}. */
  readonly isNamed?: boolean;
}

function addNodes(
  builder: GraphBuilder,
  { inputs, body, env, recordsGrad, regions, inner, isNamed = true }: AddedNodes,
): void {
  for (const [i, { name, val, unbacked }] of inputs.entries()) {
    const recorded = val === undefined ? val : withGrad(val, recordsGrad(i));
    const unbackedBindings = bindingPaths(unbacked);
    builder.placeholder(name, {
      ...(recorded === undefined ? {} : { val: simplified(recorded, env) }),
      ...(unbackedBindings === undefined ? {} : { unbackedBindings }),
    });
  }
  for (const node of body) {
    if (node.body !== undefined) builder.subgraph(node.target, bodyGraph(node.body, env, isNamed));
    const region = regions.find(({ target }) => node.op === "get_attr" && target === node.target);
    if (region !== undefined) builder.subgraph(region.target, inner(region));
    builder.add(nodeRecord(node, env));
  }
}

/**
 * Returns the graph of a function of control flow; the nodes around it have their names.
 *
 * @param isNamed whether inputs of nested graphs have the names of operands here: PyTorch does not
 *   look into the graphs whose own inputs are numbered
 */
function bodyGraph(body: TraceBody, env: ShapeEnv, isNamed: boolean): Graph {
  const { inputs, results, returns } = body;
  const operands = isNamed ? body.operands : undefined;
  const nodes = [...inputs, ...body.nodes];
  const asserted = withRuntimeAsserts({ nodes, results, names: body.names, env, isNested: true });
  inputs.forEach((input, i) => {
    input.name = `arg${i}_1`;
  });
  const { nodes: calls, regions } = withRegions({
    inputs,
    nodes: withoutCommonItems(asserted).filter(({ op }) => op !== "placeholder"),
    results,
  });
  const names = new CollisionNames();
  inputs.forEach((input, i) => {
    const operand = operands?.[i];
    const name = operand instanceof TraceNode ? operand.current.name : `arg${i}_1`;
    input.name = names.placeholder(name);
  });
  for (const node of calls) node.name = names.rename(node.name);
  const builder = new GraphBuilder({ unknownTargets: "allow" });
  addNodes(builder, {
    inputs,
    body: calls,
    env,
    regions,
    inner: (region) => regionGraph(region, env, never),
    recordsGrad: never,
    isNamed: operands !== undefined,
  });
  const items = results.map(finalArgument);
  builder.output(returns === "value" ? items[0]! : returns === "list" ? items : tuple(items));
  return builder.build();
}

function nodeRecord(node: TraceNode, env: ShapeEnv): Node {
  const { name, op, target, args, kwargs } = node;
  const named: Record<string, Argument> = {};
  for (const key in kwargs) named[key] = finalArgument(kwargs[key]!);
  const val = node.val === undefined ? {} : { val: simplified(withGrad(node.val, false), env) };
  return { name, op, target, args: args.map(finalArgument), kwargs: named, meta: metaOf(node.meta, val) };
}

function metaOf(
  { stack, stackTrace, moduleStack, torchFn, sourceFunctions, source }: TraceMeta,
  val: NodeMeta,
): NodeMeta {
  const meta = {
    ...(stackTrace === undefined ? {} : { stackTrace }),
    ...(moduleStack === undefined || moduleStack.length === 0 ? {} : { nnModuleStack: moduleStack }),
    ...(torchFn === undefined ? {} : { torchFn }),
    ...(sourceFunctions === undefined ? {} : { sourceFnStack: sourceFunctions }),
    ...val,
  };
  if (source !== undefined) return withStackOf(meta, source);
  return stack === undefined ? meta : withStack(meta, stack);
}

/** Returns a value that asks for gradients, or one that does not, as PyTorch records results. */
function withGrad(val: MetaValue, requiresGrad: boolean): MetaValue {
  if (Array.isArray(val)) return (val as readonly MetaValue[]).map((item) => withGrad(item, requiresGrad));
  if (!(val instanceof FakeTensor) || val.requiresGrad === requiresGrad) return val;
  return new FakeTensor({ ...val, requiresGrad });
}

/** Returns a value in terms of the symbols that are left. */
function simplified(val: MetaValue, env: ShapeEnv): MetaValue {
  if (Array.isArray(val)) return (val as readonly MetaValue[]).map((item) => simplified(item, env));
  if (isSymScalar(val)) return { kind: val.kind, expr: env.replace(val.expr) } as MetaValue;
  if (!(val instanceof FakeTensor)) return val;
  if (hasStaticLayout(val)) return val;
  const { shape, strides, storageOffset } = val;
  return new FakeTensor({
    ...val,
    shape: shape.map((size) => env.replace(size)),
    strides: strides.map((stride) => env.replace(stride)),
    storageOffset: env.replace(storageOffset),
  });
}
