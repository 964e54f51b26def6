/** @file The graph of a finished trace: names, metadata, references. */
import {
  type Argument,
  FakeTensor,
  type Graph,
  GraphBuilder,
  isSymScalar,
  isTuple,
  type MetaValue,
  type Node,
  type NodeMeta,
  ref,
} from "@sconce/ir";
import type { CollisionNames } from "@sconce/passes";
import type { ShapeEnv } from "@sconce/symbolic";
import { withStack } from "../source/format-stack.js";
import { type TraceArgument, type TraceMeta, TraceNode } from "../trace/trace-node.js";

/** What a graph is made of. */
export interface GraphParts {
  /** Inputs, in order; they have their last names. */
  readonly inputs: readonly TraceNode[];
  /** Gives the other nodes their last names. */
  readonly names: CollisionNames;
  readonly body: readonly TraceNode[];
  readonly outputs: readonly TraceArgument[];
  readonly env: ShapeEnv;
}

/** Gives nodes their last names and makes the graph. */
export function finishGraph({ inputs, names, body, outputs, env }: GraphParts): Graph {
  for (const node of body) node.name = names.rename(node.name);
  const builder = new GraphBuilder({ unknownTargets: "allow" });
  for (const node of [...inputs, ...body]) builder.add(nodeRecord(node, env));
  builder.output({ kind: "tuple", items: outputs.map(toArgument) } as unknown as Argument);
  return builder.build();
}

function nodeRecord(node: TraceNode, env: ShapeEnv): Node {
  const { name, op, kwargs } = node;
  const isInput = op !== "call_function";
  const named: Record<string, Argument> = {};
  for (const key in kwargs) named[key] = toArgument(kwargs[key]!);
  const val = node.val === undefined ? {} : { val: simplified(node.val, env) };
  return {
    name,
    op: isInput ? "placeholder" : op,
    target: isInput ? name : node.target,
    args: node.args.map(toArgument),
    kwargs: named,
    meta: isInput ? val : metaOf(node.meta, val),
  };
}

function metaOf({ stack, stackTrace, moduleStack, torchFn }: TraceMeta, val: NodeMeta): NodeMeta {
  const meta = {
    ...(stackTrace === undefined ? {} : { stackTrace }),
    ...(moduleStack === undefined || moduleStack.length === 0 ? {} : { nnModuleStack: moduleStack }),
    ...(torchFn === undefined ? {} : { torchFn }),
    ...val,
  };
  return stack === undefined ? meta : withStack(meta, stack);
}

/** The argument of a node, with references by name. */
export function toArgument(value: TraceArgument): Argument {
  if (value instanceof TraceNode) return ref(value.current.name);
  if (Array.isArray(value)) return (value as readonly TraceArgument[]).map(toArgument);
  if (isTuple(value as Argument)) {
    const { items } = value as unknown as { items: readonly TraceArgument[] };
    return { kind: "tuple", items: items.map(toArgument) };
  }
  return value as Argument;
}

/** A value in terms of the symbols that are left. */
function simplified(val: MetaValue, env: ShapeEnv): MetaValue {
  if (Array.isArray(val)) return (val as readonly MetaValue[]).map((item) => simplified(item, env));
  if (isSymScalar(val)) return { kind: val.kind, expr: env.simplify(val.expr as never) } as MetaValue;
  if (!(val instanceof FakeTensor)) return val;
  const { shape, strides, storageOffset } = val;
  const isStatic = [...shape, ...strides, storageOffset].every((size) => typeof size === "number");
  if (isStatic) return val;
  return new FakeTensor({
    ...val,
    shape: shape.map((size) => env.simplify(size)),
    strides: strides.map((stride) => env.simplify(stride)),
    storageOffset: env.simplify(storageOffset),
  });
}
