/** @file Refuses in-place writes to leaves that require gradients, as autograd does. */
import type { OperatorTable } from "@sconce/ops";
import { leafWrite } from "./errors.js";
import { sharedOperand } from "./memory-of.js";
import { isDifferentiable } from "./operands.js";
import type { TraceNode } from "./trace-node.js";
import type { TracedTensor } from "./traced-tensor.js";

/** The trace that a write belongs to. */
interface Writer {
  readonly gradEnabled: boolean;
  nodeOf(tensor: TracedTensor): TraceNode;
}

/** Knows which tensors of a trace are leaves, also after writes without gradients. */
export class LeafWrites {
  readonly #written = new Set<TracedTensor>();
  readonly #operators: OperatorTable;

  constructor(operators: OperatorTable) {
    this.#operators = operators;
  }

  /**
   * Checks and notes a write to a tensor.
   *
   * @param asksGrad whether values are written that ask for gradients
   * @throws SconceError `LEAF_WRITE` when gradients are recorded
   */
  write(target: string, tensor: TracedTensor, writer: Writer, asksGrad: boolean): void {
    const node = writer.nodeOf(tensor);
    this.#check(target, tensor, node, writer.gradEnabled);
    this.#note(target, tensor, node, asksGrad);
  }

  #check(target: string, tensor: TracedTensor, node: TraceNode, isGradEnabled: boolean): void {
    if (target === "aten.detach_.default") return;
    const isKnown = this.#written.has(tensor);
    if (!isKnown && !tensor.fake.requiresGrad) return;
    const base = isKnown ? node : this.#baseOf(node);
    if (!isKnown && base.op !== "placeholder") return;
    if (isGradEnabled) throw leafWrite(target, base !== node);
    if (base === node) this.#written.add(tensor);
  }

  /**
   * Notes that a tensor was written with values that ask for gradients: autograd then records the
   * write for the memory that it is a view of, which asks for gradients too. `detach_` takes that
   * back.
   */
  #note(target: string, { fake }: TracedTensor, node: TraceNode, asksGrad: boolean): void {
    const isDetached = target === "aten.detach_.default";
    if (!isDetached && !(asksGrad && isDifferentiable(fake))) return;
    let base = node;
    while (base.target !== "aten.detach.default") {
      const shared = sharedOperand(base, this.#operators);
      if (shared === undefined) break;
      base = shared.operand;
    }
    if (base.op === "placeholder") base.asksGrad = !isDetached;
  }

  /** Returns the node whose memory a chain of views shares, up to a `detach`. */
  #baseOf(node: TraceNode): TraceNode {
    for (let base = node; ; ) {
      const shared = base.target === "aten.detach.default" ? undefined : sharedOperand(base, this.#operators);
      if (shared === undefined || shared.writes) return base;
      base = shared.operand;
    }
  }
}
