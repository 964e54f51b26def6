import type { Argument, MetaValue, ModuleStackEntry, Namespace, Node, NodeMeta, SymScalar } from "@sconce/ir";
import type { RawStack } from "@sconce/source-check";

/** An argument of a node that is still being traced: other nodes are referred to as objects. */
export type TraceArgument = Argument | TraceNode | TraceTuple | readonly TraceArgument[];

/** A tuple of Python: arguments of control flow. */
export interface TraceTuple {
  readonly kind: "tuple";
  readonly items: readonly TraceArgument[];
}

/** Whether an argument is a tuple. */
export const isTraceTuple = (value: TraceArgument): value is TraceTuple =>
  typeof value === "object" && (value as { kind?: unknown } | null)?.kind === "tuple";

/** The metadata of the call that makes a node. */
export interface TraceMeta {
  /** Where the user's code made the call. */
  readonly stack?: RawStack | undefined;
  /** The modules whose `forward` runs, outermost first. */
  readonly moduleStack?: readonly ModuleStackEntry[] | undefined;
  /** The function that was called, and its kind. */
  readonly torchFn?: NodeMeta["torchFn"];
  /** The functions that a strict export notes. */
  readonly sourceFunctions?: NodeMeta["sourceFnStack"] | undefined;
  /** The metadata of the node that is exported again; it has the stack. */
  readonly source?: NodeMeta | undefined;
  /** A stack that is not the user's. */
  readonly stackTrace?: string | undefined;
}

/** A call that a tracer adds. */
export interface PushedNode {
  /** @defaultValue `call_function` */
  readonly op?: "call_function" | "get_attr";
  readonly target: string;
  readonly args?: readonly TraceArgument[];
  readonly kwargs?: Readonly<Record<string, TraceArgument>>;
  readonly val?: MetaValue | undefined;
  /** The name that the node gets if it is free. */
  readonly candidate: string;
  readonly unbacked?: readonly UnbackedBinding[];
  readonly body?: TraceBody;
}

const NONE: readonly never[] = [];

/** A node while its graph is traced. It gets its final name when the graph is complete. */
export class TraceNode {
  /** The name until the graph is complete, and then the node's own. */
  name: string;
  /** What kind of node it is. */
  readonly op: Node["op"];
  /** The operator that it calls, or the name that it reads. */
  readonly target: string;
  /** The arguments by position. */
  args: readonly TraceArgument[];
  /** The arguments by name. */
  readonly kwargs: Readonly<Record<string, TraceArgument>>;
  /** The metadata of the call that made it. */
  readonly meta: TraceMeta;
  /** The fake value: undefined where there is none. */
  val: MetaValue | undefined;
  /** Whether writes to an input made it ask for gradients, or no longer; undefined without such. */
  asksGrad: boolean | undefined;
  /** Symbols that the node makes, with the path of the value that binds each. */
  readonly unbacked: readonly UnbackedBinding[];
  /** The nested graph that a `get_attr` reads. */
  readonly body: TraceBody | undefined;
  /** The node that took its place. */
  replacement: TraceNode | undefined;

  constructor(init: TraceNodeInit) {
    this.name = init.name;
    this.op = init.op;
    this.target = init.target;
    this.args = init.args ?? NONE;
    this.kwargs = init.kwargs ?? {};
    this.meta = init.meta ?? {};
    this.val = init.val;
    this.unbacked = init.unbacked ?? NONE;
    this.body = init.body;
  }

  /** The node that stands in its place now. */
  get current(): TraceNode {
    let node: TraceNode = this;
    while (node.replacement !== undefined) node = node.replacement;
    return node;
  }
}

/** The parts of a {@link TraceNode}. */
export interface TraceNodeInit {
  readonly name: string;
  readonly op: Node["op"];
  readonly target: string;
  readonly args?: readonly TraceArgument[];
  readonly kwargs?: Readonly<Record<string, TraceArgument>> | undefined;
  readonly meta?: TraceMeta;
  readonly val?: MetaValue | undefined;
  readonly unbacked?: readonly UnbackedBinding[] | undefined;
  readonly body?: TraceBody | undefined;
}

/** A nested graph that was traced: a branch of `cond`, the body of a loop. */
export interface TraceBody {
  /** The inputs of the graph. */
  readonly inputs: readonly TraceNode[];
  /** Its nodes, in order. */
  readonly nodes: readonly TraceNode[];
  /** What it returns, flat. */
  readonly results: readonly TraceArgument[];
  /** What the graph returns: a tuple or a list of its results, or its only result. */
  readonly returns: "tuple" | "list" | "value";
  /** Names of nodes that are added later. */
  readonly names: Namespace;
  /** The arguments whose names the inputs take; undefined where inputs are numbered. */
  readonly operands: readonly TraceArgument[] | undefined;
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
export function visitNodes(value: TraceArgument, visit: (node: TraceNode) => void): void {
  if (value instanceof TraceNode) visit(value);
  else if (Array.isArray(value))
    for (const item of value as readonly TraceArgument[]) visitNodes(item, visit);
  else if (isTraceTuple(value)) for (const item of value.items) visitNodes(item, visit);
}

/** Calls `visit` for each node that a node reads. */
export function visitOperands({ args, kwargs }: TraceNode, visit: (node: TraceNode) => void): void {
  for (const arg of args) visitNodes(arg, visit);
  for (const key in kwargs) visitNodes(kwargs[key]!, visit);
}

/** Whether a node reads a size, a stride, the number of elements or the offset of a tensor. */
export const readsSize = ({ target }: TraceNode): boolean =>
  /^aten\.sym_(size|stride|numel|storage_offset)\./.test(target);

/** Adds the node of a symbolic value to the graph that is being traced. */
export type AddScalarNode = (
  target: string,
  args: readonly TraceArgument[],
  val: SymScalar,
  candidate: string,
) => TraceNode;
