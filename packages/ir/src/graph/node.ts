import { type Argument, forEachRef } from "../values/argument.js";
import type { NodeMeta } from "../values/meta.js";

/** Kinds of nodes, as torch.fx names them. */
export type NodeOp = "placeholder" | "get_attr" | "call_function" | "call_module" | "output";

/**
 * One node, plain and frozen.
 *
 * - `placeholder`: target is the input's name as PyTorch prints it in the signature line.
 * - `get_attr`: target names a subgraph of the graph.
 * - `call_function`: target is `aten.add.Tensor`, `higher_order.cond`, `mylib.sin.default`,
 *   `operator.getitem`, `torch.sym_max`, `math.ceil`, ...
 * - `call_module`: target is the path of a module. Graphs of modules have it (`unflatten`), graphs
 *   of programs do not.
 * - `output`: one argument, the tuple of results (or a bare value in a subgraph that returns one).
 */
export interface Node {
  /** Unique in its graph. References are by name. */
  readonly name: string;
  /** What kind of node it is. */
  readonly op: NodeOp;
  /** What is called or read: `aten.add.Tensor`, the name of an input or of an attribute. */
  readonly target: string;
  /** Positional arguments; references name nodes that come before. */
  readonly args: readonly Argument[];
  /** Keyword arguments by name. */
  readonly kwargs: Readonly<Record<string, Argument>>;
  /** Metadata; see {@link NodeMeta}. */
  readonly meta: NodeMeta;
}

/** The keyword arguments of a call that has none; nodes share it. */
export const NO_KWARGS: Readonly<Record<string, Argument>> = Object.freeze({});
/** The metadata of a node that has none; nodes share it. */
export const NO_META: NodeMeta = Object.freeze({});

/**
 * Nodes with more inputs than this remember them in a set: a list is quicker for few and quadratic
 * for many.
 */
const FEW_INPUTS = 8;

/** Calls `visit` for each distinct input node's name, args before kwargs, in order of first use. */
export function forEachInput(node: Node, visit: (name: string) => void): void {
  let few: string[] | undefined;
  let many: Set<string> | undefined;
  const once = (name: string): void => {
    if (many === undefined ? few?.includes(name) === true : many.has(name)) return;
    if (many !== undefined) many.add(name);
    // A literal takes the room of one name, and most nodes have one or two inputs.
    else if (few === undefined) few = [name];
    else if (few.push(name) > FEW_INPUTS) many = new Set(few);
    visit(name);
  };
  for (const arg of node.args) forEachRef(arg, once);
  for (const key in node.kwargs) forEachRef(node.kwargs[key]!, once);
}

/** Distinct input names in order of first use. */
export function inputsOf(node: Node): string[] {
  const names: string[] = [];
  forEachInput(node, (name) => names.push(name));
  return names;
}
