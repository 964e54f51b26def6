/** @file Refuses in-place writes to leaves that require gradients, as autograd does. */
import type { OperatorTable } from "@sconce/ops";
import { leafWrite } from "./errors.js";
import { TraceNode } from "./trace-node.js";
import type { TracedTensor } from "./traced-tensor.js";

/** Knows which tensors of a trace are leaves, also after writes without gradients. */
export class LeafWrites {
  readonly #written = new Set<TracedTensor>();
  readonly #operators: OperatorTable;

  constructor(operators: OperatorTable) {
    this.#operators = operators;
  }

  /**
   * Checks a write to a tensor, whose node is given. @throws SconceError `LEAF_WRITE` when
   * gradients are recorded
   */
  check(target: string, tensor: TracedTensor, node: TraceNode, isGradEnabled: boolean): void {
    if (target === "aten.detach_.default") return;
    const isKnown = this.#written.has(tensor);
    if (!isKnown && !tensor.fake.requiresGrad) return;
    const base = isKnown ? node : this.#baseOf(node);
    if (!isKnown && base.op !== "placeholder") return;
    if (isGradEnabled) throw leafWrite(target, base !== node);
    if (base === node) this.#written.add(tensor);
  }

  /** The node whose memory a chain of views shares, up to a `detach`. */
  #baseOf(node: TraceNode): TraceNode {
    for (let base = node; ; ) {
      const isCall = base.op === "call_function" && base.target !== "aten.detach.default";
      const schema = isCall ? this.#operators.get(base.target)?.schema : undefined;
      const alias = schema?.returns.length === 1 ? schema.returns[0]!.alias : undefined;
      const [first] = base.args;
      const isView = alias !== undefined && !alias.write && schema?.args[0]?.alias?.set === alias.set;
      if (!isView || !(first instanceof TraceNode)) return base;
      base = first;
    }
  }
}
