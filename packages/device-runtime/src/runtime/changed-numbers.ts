/** @file Programs whose lowered form computes other numbers, as PyTorch's does. */
import { type ExportedProgram, FakeTensor, type Graph, type Node } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";

const callsOf = (graph: Graph): readonly Node[] => [
  ...graph.nodes().filter(({ op }) => op === "call_function"),
  ...[...graph.subgraphs.values()].flatMap(callsOf),
];

/** Whether windows may leave out elements between them. */
function mayHaveGaps({ args, kwargs }: Node): boolean {
  const [size, step] = [kwargs["size"] ?? args[2], kwargs["step"] ?? args[3]];
  return !(typeof size === "number" && typeof step === "number" && step <= size);
}

/** Their parts are views, though their schemas say that they are not. */
const UNSAFE = /^aten\.unsafe_(split|split_with_sizes|chunk)\./;

/**
 * Why the program as it is computes other numbers than the lowered one, whose text is PyTorch's: it
 * writes through a view with gaps, which lowering fills with zeros, or through parts that lowering
 * takes for copies, or resizes bytes, which the operator does in fixed point.
 */
export function changedByLowering(program: ExportedProgram, operators: OperatorTable): string | undefined {
  const calls = callsOf(program.graph);
  const writes = (): boolean => calls.some(({ target }) => operators.get(target)?.schema.isMutable === true);
  if (calls.some((node) => node.target === "aten.unfold.default" && mayHaveGaps(node)) && writes())
    return "it writes beside a view with gaps, which its lowered form fills with zeros";
  if (calls.some(({ target }) => UNSAFE.test(target)) && writes())
    return "it writes beside parts that share memory, which its lowered form takes for copies";
  const isOfBytes = ({ meta: { val } }: Node): boolean => val instanceof FakeTensor && val.dtype === "uint8";
  const bytes = calls.some((node) => node.target.startsWith("aten.upsample_bilinear2d.") && isOfBytes(node));
  return bytes ? "PyTorch interpolates bytes in fixed point" : undefined;
}
