/** @file A call that gave several results, to record again for one of them. */
import { FakeTensor, isSymScalar } from "@sconce/ir";
import { type IntLike, symEquals } from "@sconce/symbolic";
import { callName } from "../names/naming.js";
import { TraceNode, visitOperands } from "../nodes/trace-node.js";

/**
 * The nodes that a call with an operand was recorded as. On a like operand it gives the same nodes,
 * so that those of one result can be made without the others: PyTorch makes all, and drops the
 * unused ones. They count for names.
 */
export class RecordedCall<M> {
  /** How many nodes ask for each name. */
  readonly names: ReadonlyMap<string, number>;
  /** The operand, in whose place another one is read. */
  readonly operand: TraceNode<M>;
  readonly #base: FakeTensor;
  readonly #results: readonly TraceNode<M>[];
  /** How many nodes before a node asked for its name. */
  readonly #before: ReadonlyMap<TraceNode<M>, number>;

  private constructor(
    operand: TraceNode<M>,
    base: FakeTensor,
    nodes: readonly TraceNode<M>[],
    results: readonly TraceNode<M>[],
  ) {
    this.operand = operand;
    this.#base = base;
    this.#results = results;
    const names = new Map<string, number>();
    const before = new Map<TraceNode<M>, number>();
    for (const node of nodes) {
      const name = candidateOf(node);
      const count = names.get(name) ?? 0;
      before.set(node, count);
      names.set(name, count + 1);
    }
    this.names = names;
    this.#before = before;
  }

  /**
   * Returns what was recorded, or undefined where more than the operand decides what is: nodes of
   * sizes, metadata of a decomposition, other tensors.
   *
   * @param operand the node of the tensor that the call reads
   * @param nodes the nodes that the call added
   * @param results the nodes of its results
   * @param meta the metadata of the call
   */
  static of<M>(
    operand: TraceNode<M>,
    nodes: readonly TraceNode<M>[],
    results: readonly (TraceNode<M> | undefined)[],
    meta: M,
  ): RecordedCall<M> | undefined {
    const { val: base } = operand;
    if (!(base instanceof FakeTensor)) return undefined;
    const known = new Set([operand]);
    for (const node of nodes) {
      if (node.op !== "call_function" || node.meta !== meta || !givesTensors(node)) return undefined;
      if (!readsOnly(node, known)) return undefined;
      known.add(node);
    }
    known.delete(operand);
    const isOwn = (node: TraceNode<M> | undefined): node is TraceNode<M> =>
      node !== undefined && known.has(node);
    return results.every(isOwn) ? new RecordedCall(operand, base, nodes, results) : undefined;
  }

  /** Returns whether a tensor is like the operand. */
  fits(tensor: FakeTensor): boolean {
    const base = this.#base;
    return (
      tensor.dtype === base.dtype &&
      symEquals(tensor.storageOffset, base.storageOffset) &&
      tensor.device === base.device &&
      tensor.layout === base.layout &&
      isEqualList(tensor.shape, base.shape) &&
      isEqualList(tensor.strides, base.strides)
    );
  }

  /** Returns the nodes that one result is made of, in order. */
  partsOf(result: number): readonly RecordedPart<M>[] {
    const needed = new Set<TraceNode<M>>();
    const need = (node: TraceNode<M>): void => {
      if (node === this.operand || needed.has(node) || isSymScalar(node.val)) return;
      visitOperands(node, need);
      needed.add(node);
    };
    need(this.#results[result]!);
    return Array.from(needed, (node) => ({ node, name: candidateOf(node), at: this.#before.get(node)! }));
  }
}

/** One node of a {@link RecordedCall}. */
export interface RecordedPart<M> {
  readonly node: TraceNode<M>;
  /** The name that it asked for. */
  readonly name: string;
  /** How many nodes of the call asked for it before. */
  readonly at: number;
}

const candidateOf = <M>({ target }: TraceNode<M>): string =>
  target === "operator.getitem" ? "getitem" : callName(target);

const isEqualList = (a: readonly IntLike[], b: readonly IntLike[]): boolean =>
  a.length === b.length && a.every((value, i) => symEquals(value, b[i]!));

/** Returns whether a node gives tensors, and makes no symbols. */
function givesTensors<M>({ val, unbacked }: TraceNode<M>): boolean {
  const isTensor = (value: unknown): boolean => value instanceof FakeTensor;
  return unbacked.length === 0 && (Array.isArray(val) ? val.every(isTensor) : isTensor(val));
}

/**
 * Returns whether a node reads sizes that were there before, and else known nodes alone, each as an
 * argument by position.
 */
function readsOnly<M>(node: TraceNode<M>, known: ReadonlySet<TraceNode<M>>): boolean {
  let count = 0;
  let all = true;
  visitOperands(node, (operand) => {
    if (isSymScalar(operand.val)) return;
    count++;
    all &&= known.has(operand);
  });
  const isTensor = (arg: unknown): boolean => arg instanceof TraceNode && !isSymScalar(arg.val);
  return all && count === node.args.filter(isTensor).length;
}
