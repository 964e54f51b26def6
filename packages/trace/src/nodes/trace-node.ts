/** @file Nodes of a graph that is being traced; `M` is the metadata that they have. */
import {
  type Argument,
  isLiteralList,
  type MetaValue,
  type Namespace,
  type Node,
  type SymScalar,
} from "@sconce/ir";

/** An argument of a node that is still being traced: other nodes are referred to as objects. */
export type TraceArgument<M = unknown> =
  | Argument
  | TraceNode<M>
  | TraceTuple<M>
  | TraceDict<M>
  | readonly TraceArgument<M>[];

/** A tuple of Python: arguments of control flow. */
export interface TraceTuple<M = unknown> {
  readonly kind: "tuple";
  readonly items: readonly TraceArgument<M>[];
}

/** A dictionary of Python. */
export interface TraceDict<M = unknown> {
  readonly kind: "dict";
  readonly entries: readonly (readonly [key: string, value: TraceArgument<M>])[];
}

const isKind = (value: unknown, kind: string): boolean =>
  typeof value === "object" && (value as { kind?: unknown } | null)?.kind === kind;

/** Returns whether an argument is a tuple. */
export const isTraceTuple = <M>(value: TraceArgument<M>): value is TraceTuple<M> => isKind(value, "tuple");

/** Returns whether an argument is a dictionary. */
export const isTraceDict = <M>(value: TraceArgument<M>): value is TraceDict<M> => isKind(value, "dict");

const NONE: readonly never[] = [];

/** A node while its graph is traced. It gets its final name when the graph is complete. */
export class TraceNode<M = unknown> {
  /** The name until the graph is complete, and then the node's own. */
  name: string;
  /** What kind of node it is. */
  readonly op: Node["op"];
  /** The operator that it calls, or the name that it reads. */
  readonly target: string;
  /** The arguments by position. */
  args: readonly TraceArgument<M>[];
  /** The arguments by name. */
  readonly kwargs: Readonly<Record<string, TraceArgument<M>>>;
  /** The metadata of the call that made it. */
  readonly meta: M;
  /** The fake value: undefined where there is none. */
  val: MetaValue | undefined;
  /** Whether writes to an input made it ask for gradients, or no longer; undefined without such. */
  asksGrad: boolean | undefined;
  /** Symbols that the node makes, with the path of the value that binds each. */
  readonly unbacked: readonly UnbackedBinding[];
  /** The nested graph that a `get_attr` reads. */
  readonly body: TraceBody<M> | undefined;
  /** The node that took its place. */
  replacement: TraceNode<M> | undefined;

  constructor(init: TraceNodeInit<M>) {
    this.name = init.name;
    this.op = init.op;
    this.target = init.target;
    this.args = init.args ?? NONE;
    this.kwargs = init.kwargs ?? {};
    this.meta = init.meta ?? ({} as M);
    this.val = init.val;
    this.unbacked = init.unbacked ?? NONE;
    this.body = init.body;
  }

  /** The node that stands in its place now. */
  get current(): TraceNode<M> {
    let node: TraceNode<M> = this;
    while (node.replacement !== undefined) node = node.replacement;
    return node;
  }
}

/** The parts of a {@link TraceNode}. */
export interface TraceNodeInit<M> {
  readonly name: string;
  readonly op: Node["op"];
  readonly target: string;
  readonly args?: readonly TraceArgument<M>[] | undefined;
  readonly kwargs?: Readonly<Record<string, TraceArgument<M>>> | undefined;
  /** @defaultValue none */
  readonly meta?: M;
  readonly val?: MetaValue | undefined;
  readonly unbacked?: readonly UnbackedBinding[] | undefined;
  readonly body?: TraceBody<M> | undefined;
}

/** A nested graph that was traced: a branch of `cond`, the body of a loop. */
export interface TraceBody<M = unknown> {
  /** The inputs of the graph. */
  readonly inputs: readonly TraceNode<M>[];
  /** Its nodes, in order. */
  readonly nodes: readonly TraceNode<M>[];
  /** What it returns, flat. */
  readonly results: readonly TraceArgument<M>[];
  /** What the graph returns: a tuple or a list of its results, or its only result. */
  readonly returns: "tuple" | "list" | "value";
  /** Names of nodes that are added later. */
  readonly names: Namespace;
  /** The arguments whose names the inputs take; undefined where inputs are numbered. */
  readonly operands: readonly TraceArgument<M>[] | undefined;
}

/** A symbol that a call makes: the call's value itself, or a size of one of its results. */
export interface UnbackedBinding {
  readonly symbol: string;
  /** The result that holds it; undefined where the call has one. */
  readonly item?: number | undefined;
  /** The dimension whose size or stride it is; undefined where it is the value. */
  readonly dim?: number | undefined;
  /** What of the tensor it is. @defaultValue `size` */
  readonly of?: "size" | "stride" | "offset" | undefined;
  /** What the size is divided by to give it: 2 for a size `2*u0`. @defaultValue 1 */
  readonly divisor?: number | undefined;
}

/** Calls `visit` for each node among arguments. */
export function visitNodes<M>(value: TraceArgument<M>, visit: (node: TraceNode<M>) => void): void {
  if (typeof value !== "object" || value === null) return;
  if (value instanceof TraceNode) visit(value);
  else if (Array.isArray(value)) {
    if (!isLiteralList(value))
      for (const item of value as readonly TraceArgument<M>[]) visitNodes(item, visit);
  } else if (isTraceTuple<M>(value)) for (const item of value.items) visitNodes(item, visit);
  else if (isTraceDict<M>(value)) for (const [, item] of value.entries) visitNodes(item, visit);
}

/** Calls `visit` for each node that a node reads. */
export function visitOperands<M>({ args, kwargs }: TraceNode<M>, visit: (node: TraceNode<M>) => void): void {
  for (const arg of args) visitNodes(arg, visit);
  for (const key in kwargs) visitNodes(kwargs[key]!, visit);
}

/**
 * Returns whether a node reads a size, a stride, the number of elements or the offset of a tensor.
 */
export const readsSize = ({ target }: { readonly target: string }): boolean =>
  /^aten\.sym_(size|stride|numel|storage_offset)\./.test(target);

/** Adds the node of a symbolic value to the graph that is being traced. */
export type AddScalarNode<M> = (
  target: string,
  args: readonly TraceArgument<M>[],
  val: SymScalar,
  candidate: string,
) => TraceNode<M>;
