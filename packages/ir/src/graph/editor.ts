import type { Argument, NodeRef } from "../values/argument.js";
import type { NodeMeta } from "../values/meta.js";
import type { Graph } from "./graph.js";
import type { Node } from "./node.js";

/** The parts of a node that an edit may change. Names are for good: uses refer to them. */
export type NodePatch = Partial<Omit<Node, "name">>;

/**
 * A node to insert. Without a name it gets the one that `torch.fx` gives to a call of its target
 * (`add_tensor`, `add_tensor_1`), distinct from all names so far.
 */
export type NewNode = Omit<Node, "name" | "kwargs" | "meta"> &
  Partial<Pick<Node, "name" | "kwargs" | "meta">>;

/**
 * What the recipe of {@link edit} works with. Every method but the readers only takes note of a
 * change.
 */
export interface GraphEditor {
  /** The version being edited. It does not change during the edit. */
  readonly graph: Graph;
  /** Returns the node as the edit has it so far: patched, inserted, or of the base. */
  node(name: string): Node;
  /** Returns a new name after PyTorch's rule, distinct from all names so far. */
  freshName(candidate: string): string;
  /** Replaces parts of a node in its place. */
  replaceNode(name: string, patch: NodePatch): void;
  /**
   * Replaces the metadata of a node.
   * @throws SconceError `NODE_NOT_FOUND`
   */
  setMeta(name: string, meta: NodeMeta): void;
  /** Puts a node before the anchor. Several come in the order of the calls. */
  insertBefore(anchor: string, node: NewNode): NodeRef;
  /** Puts a node after the anchor. Several come in the order of the calls. */
  insertAfter(anchor: string, node: NewNode): NodeRef;
  /** Drops a node. When the edit ends, nothing may use it. */
  remove(name: string): void;
  /**
   * Replaces every use of a node, in nodes of the base and in inserted ones. `replacement` itself
   * keeps its uses when it is a reference, and so do the inserted nodes that it is computed from
   * and the nodes named in `except`: that is how a value is wrapped. Where the node is an output,
   * `program.with({ graph })` names the replacement in the signature.
   *
   * Inserted nodes in the replacement, and inserted nodes that they are computed from, take over
   * what they lack of the replaced node's stack trace, module stack, `sourceFnStack`, `torchFn` and
   * `custom`. Their `origin` names the running pass and the replaced node.
   */
  replaceAllUses(name: string, replacement: Argument, except?: Iterable<string>): void;
  /** Replaces the argument of the output node. */
  setOutput(result: Argument): void;
  /** Replaces or adds a nested graph; undefined drops it. */
  setSubgraph(target: string, graph: Graph | undefined): void;
}
