/** @file Numbers of elements of the tensors of a trace, as nodes read them. */
import { FakeTensor } from "@sconce/ir";
import { elementsOf, type OperatorTable } from "@sconce/ops";
import { copyOf, type IntLike, SymExpr } from "@sconce/symbolic";
import { TraceNode } from "../nodes/trace-node.js";

/**
 * Which object is the number of elements of a traced tensor. Shape rules have separate objects,
 * which results may share.
 */
export class ElementCounts<M> {
  readonly #operators: OperatorTable;
  readonly #counts = new WeakMap<FakeTensor, IntLike>();
  /** Tensors of whose number of elements views have the object. */
  readonly #anew = new WeakSet<FakeTensor>();

  constructor(operators: OperatorTable) {
    this.#operators = operators;
  }

  /** Returns the number of elements of a tensor. */
  of(tensor: FakeTensor): IntLike {
    return this.#counts.get(tensor) ?? elementsOf(tensor);
  }

  /** Returns that of a tensor which a node gives. */
  note(tensor: FakeTensor, node: TraceNode<M>): IntLike {
    const elements = elementsOf(tensor);
    if (!(elements instanceof SymExpr)) return elements;
    const isShared = this.#isMadeAnew(tensor, node);
    if (isShared) this.#anew.add(tensor);
    const count = isShared || tensor.shape.includes(elements) ? elements : copyOf(elements);
    this.#counts.set(tensor, count);
    return count;
  }

  /**
   * Returns whether PyTorch computes a view of a tensor anew, with its number of elements: it
   * traces twice, and then takes the shapes of the results from its cache. Strides that a factory
   * computed are other objects in the second trace, so that the cache has no view of such a tensor.
   */
  #isMadeAnew({ strides }: FakeTensor, node: TraceNode<M>): boolean {
    if (node.op !== "call_function" || !strides.some((stride) => stride instanceof SymExpr)) return false;
    const call = node.target === "operator.getitem" ? (node.args[0] as TraceNode<M>) : node;
    if (this.#operators.get(call.target)?.schema.isView !== true) return true;
    // The strides of regrouped dimensions are computed, and found in the cache again.
    const [base] = call.args;
    return (
      call.target !== "aten.view.default" &&
      base instanceof TraceNode &&
      base.val instanceof FakeTensor &&
      this.#anew.has(base.val)
    );
  }
}
