import { type Argument, forEachRef } from "../values/argument.js";
import type { NodeMeta } from "../values/meta.js";

export type NodeOp = "placeholder" | "get_attr" | "call_function" | "output";

/**
 * One node, plain and frozen.
 *
 * - `placeholder`: target is the input's name as PyTorch prints it in the signature line.
 * - `get_attr`: target names a subgraph of the graph.
 * - `call_function`: target is `aten.add.Tensor`, `higher_order.cond`, `mylib.sin.default`, `operator.getitem`,
 *   `torch.sym_max`, `math.ceil`, ...
 * - `output`: one argument, the tuple of results (or a bare value in a subgraph that returns one).
 */
export interface Node {
  /** Unique in its graph. References are by name. */
  readonly name: string;
  readonly op: NodeOp;
  readonly target: string;
  readonly args: readonly Argument[];
  readonly kwargs: Readonly<Record<string, Argument>>;
  readonly meta: NodeMeta;
}

export const NO_KWARGS: Readonly<Record<string, Argument>> = Object.freeze({});
export const NO_META: NodeMeta = Object.freeze({});

/** Nodes with more inputs than this remember them in a set: a list is quicker for few and quadratic for many. */
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
