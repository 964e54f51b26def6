/** @file What the nodes of sizes need of a trace, and what is noted of sizes. */
import type { Argument, FakeTensor, Namespace, Node, NodeMeta, NodeRef, SymScalar } from "@sconce/ir";
import type { SymInt } from "@sconce/symbolic";

/** How a source program computed an expression; followed so that the arithmetic keeps its shape. */
export interface Recipe {
  readonly target: string;
  readonly args: readonly (SymScalar | Argument)[];
}

/** The tensor that first had a size, and the metadata of its call. */
export interface FirstTensor {
  readonly dim: number;
  readonly node: string;
  readonly meta: NodeMeta;
}

export interface SizeRead {
  readonly node: NodeRef;
  readonly dim: number;
  /** Its place among all sizes of the inputs. */
  readonly at: number;
}

/** Adds the nodes that compute sizes to the graph being traced. */
export interface NodeMaker {
  readonly names: Namespace;
  scalarCall(target: string, args: readonly Argument[], scalar: SymScalar, candidate: string): NodeRef;
  sizeOf(node: NodeRef, dim: number): SymInt | undefined;
  readonly currentMeta: NodeMeta;
  nodeOf(tensor: FakeTensor): NodeRef;
  isInput(node: NodeRef): boolean;
  reify<T>(run: () => T): T;
  aside<T>(nodes: Node[], meta: NodeMeta, run: () => T): T;
}
