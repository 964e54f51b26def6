import type { Argument, MetaValue, ModuleStackEntry, Node, NodeMeta, SymScalar } from "@sconce/ir";
import type { RawStack } from "../source/raw-stack.js";

/** An argument of a node that is still being traced: other nodes are referred to as objects. */
export type TraceArgument = Argument | TraceNode | readonly TraceArgument[];

/** The metadata of the call that makes a node. */
export interface TraceMeta {
  /** Where the user's code made the call. */
  readonly stack?: RawStack | undefined;
  /** The modules whose `forward` runs, outermost first. */
  readonly moduleStack?: readonly ModuleStackEntry[] | undefined;
  /** The function that was called, and its kind. */
  readonly torchFn?: NodeMeta["torchFn"];
  /** The metadata of the node that is exported again; it has the stack. */
  readonly source?: NodeMeta | undefined;
  /** A stack that is not the user's. */
  readonly stackTrace?: string | undefined;
}

const NONE: readonly never[] = [];

/** A node while its graph is traced. It gets its final name when the graph is complete. */
export class TraceNode {
  name: string;
  readonly op: Node["op"];
  readonly target: string;
  args: readonly TraceArgument[];
  readonly kwargs: Readonly<Record<string, TraceArgument>>;
  readonly meta: TraceMeta;
  val: MetaValue | undefined;
  /** Symbols that the node makes, with the path of the value that binds each. */
  readonly unbacked: readonly UnbackedBinding[];
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
}

/** A symbol that a call makes: the call's value itself, or a size of one of its results. */
export interface UnbackedBinding {
  readonly symbol: string;
  /** The result that holds it; undefined where the call has one. */
  readonly item?: number | undefined;
  /** The dimension whose size it is; undefined where it is the value. */
  readonly dim?: number | undefined;
}

/** Calls `visit` for each node among arguments. */
export function visitNodes(value: TraceArgument, visit: (node: TraceNode) => void): void {
  if (value instanceof TraceNode) visit(value);
  else if (Array.isArray(value))
    for (const item of value as readonly TraceArgument[]) visitNodes(item, visit);
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
