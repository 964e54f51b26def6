/** @file Calls that nothing reads, and that PyTorch refuses for some values all the same. */
import { type ExportedProgram, FakeTensor, forEachInput, type Graph, type Node } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import { isIntegralDType } from "@sconce/tensor";

/** Operators that refuse some values: of places, classes, probabilities, counts and matrices. */
const REFUSES =
  /^aten\.(_?embedding|gather|(_unsafe_)?index|scatter|take|put|max_unpool|nll_loss|cross_entropy|multi(label)?_margin|binary_cross_entropy|bincount|repeat_interleave|one_hot|_?ctc_loss|(nan)?quantile|_?linalg_|inverse|cholesky|lu_|logdet|multinomial|bernoulli|masked_scatter|_local_scalar|allclose|nonzero_static)/;
/** Operators that refuse to divide integers by zero. */
const DIVIDES = /^aten\.(div|divide|floor_divide|remainder|fmod)_?\./;

/** Calls without recorded results may give integers. */
const isIntegral = ({ meta: { val } }: Node): boolean =>
  !(val instanceof FakeTensor) || isIntegralDType(val.dtype);

/**
 * Why a program may be refused for a call that no result needs: devices do not run it, and PyTorch
 * does.
 */
export function unreadRefusal(program: ExportedProgram, operators: OperatorTable): string | undefined {
  const unread = unreadIn(program.graph, operators).find(
    (node) => REFUSES.test(node.target) || (DIVIDES.test(node.target) && isIntegral(node)),
  );
  return unread && `nothing reads ${unread.name}, whose values may be refused`;
}

function unreadIn(graph: Graph, operators: OperatorTable): readonly Node[] {
  const read = new Set<string>();
  const unread: Node[] = [];
  for (const node of [...graph.nodes()].reverse()) {
    const isPure =
      node.op === "call_function" &&
      (node.target.startsWith("operator.") || operators.get(node.target)?.schema.isMutable === false);
    if (!isPure || read.has(node.name)) forEachInput(node, (name) => read.add(name));
    else unread.push(node);
  }
  return [...unread, ...[...graph.subgraphs.values()].flatMap((one) => unreadIn(one, operators))];
}
