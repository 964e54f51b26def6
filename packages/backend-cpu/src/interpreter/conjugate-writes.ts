import { eachInPieces, finish, type Work } from "@sconce/errors";
import { FakeTensor, type Graph, isRef, type Node } from "@sconce/ir";
import { argumentAt, type OperatorTable } from "@sconce/ops";
import { isComplexDType } from "@sconce/tensor";
import { conjugateWrite } from "./errors.js";

/**
 * Views of PyTorch that the interpreter computes as copies: its tensors have no conjugate bit and
 * no negative bit. A test compares with what the interpreter does with every view.
 */
export const COPIED_VIEWS: ReadonlySet<string> = new Set(
  ["_conj", "_neg_view", "conj", "adjoint", "mH", "matrix_H"].map((name) => `aten.${name}.default`),
);

/** Conjugates of real tensors are the tensors themselves; negatives are copies in every dtype. */
const isCopied = ({ target, meta: { val } }: Node): boolean =>
  COPIED_VIEWS.has(target) &&
  (target === "aten._neg_view.default" || (val instanceof FakeTensor && isComplexDType(val.dtype)));

/**
 * Refuses a graph that writes to a conjugated or negated view, or to what such a view was taken
 * from: the interpreter's copy would miss the write.
 * @throws SconceError `CONJUGATE_WRITE`
 */
export const refuseConjugateWrites = (graph: Graph, operators: OperatorTable): void =>
  finish(conjugateWriteSteps(graph, operators));

/** As {@link refuseConjugateWrites}, in pieces. */
export function* conjugateWriteSteps(graph: Graph, operators: OperatorTable): Work<void> {
  const roots = new Map<string, string>();
  const copied = new Map<string, Node>();
  yield* eachInPieces(graph.nodes(), (node) => {
    const schema = operators.schemaOf(node.target);
    if (schema === undefined || schema.args.length === 0) return;
    const first = argumentAt(node, schema, 0);
    const root = isRef(first) ? (roots.get(first.name) ?? first.name) : undefined;
    if (root === undefined) return;
    if (isCopied(node)) copied.set(root, node);
    if (schema.isView || schema.isMutable) roots.set(node.name, root);
    if (schema.isMutable && copied.has(root)) {
      throw conjugateWrite(node, copied.get(root)!);
    }
  });
}
