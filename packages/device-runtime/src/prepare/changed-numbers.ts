/** @file Programs whose lowered form computes other numbers, as PyTorch's does. */
import {
  type ExportedProgram,
  FakeTensor,
  type Graph,
  isRef,
  type Node,
  type ScalarLiteral,
  toNumber,
} from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";

const graphsOf = (graph: Graph): readonly Graph[] => [
  graph,
  ...[...graph.subgraphs.values()].flatMap(graphsOf),
];

/** Returns whether windows may leave out elements between them. */
function mayHaveGaps({ args, kwargs }: Node): boolean {
  const [size, step] = [kwargs["size"] ?? args[2], kwargs["step"] ?? args[3]];
  return !(typeof size === "number" && typeof step === "number" && step <= size);
}

/** Their parts are views, though their schemas say that they are not. */
const UNSAFE = /^aten\.unsafe_(split|split_with_sizes|chunk)\./;

/** Interpolation between two or four neighbors in each dimension. */
const INTERPOLATES = /^aten\.upsample_(linear1d|bilinear2d|trilinear3d|bicubic2d)\./;

/**
 * Returns whether a call gives scales that do not lead from its sizes to those of its result:
 * lowering places elements by the scales alone, even where the kernel copies them.
 */
function hasOtherScales({ target, args, kwargs, meta: { val } }: Node, graph: Graph): boolean {
  if (!INTERPOLATES.test(target) || target.endsWith(".vec")) return false;
  const self = kwargs["self"] ?? args[0];
  const from = self !== undefined && isRef(self) ? graph.find(self.name)?.meta.val : undefined;
  const isKnown = from instanceof FakeTensor && val instanceof FakeTensor;
  if (!isKnown) return args.length > 3 || Object.keys(kwargs).some((name) => name.startsWith("scales"));
  const names = from.ndim === 3 ? ["scales"] : ["scales_d", "scales_h", "scales_w"].slice(5 - from.ndim);
  return names.some((name, d) => {
    const scale = kwargs[name] ?? args[3 + d] ?? null;
    if (scale === null) return false;
    const [size, wanted] = [from.shape[d + 2], val.shape[d + 2]];
    return typeof size !== "number" || Math.floor(size * toNumber(scale as ScalarLiteral)) !== wanted;
  });
}

/**
 * Returns why the program as it is computes other numbers than the lowered one, whose text is
 * PyTorch's: it writes through a view with gaps, which lowering fills with zeros, or through parts
 * that lowering takes for copies, or resizes bytes, which the operator does in fixed point, or by
 * other scales.
 */
export function changedByLowering(program: ExportedProgram, operators: OperatorTable): string | undefined {
  const graphs = graphsOf(program.graph);
  const calls = graphs.flatMap((one) => one.calls());
  const writes = (): boolean => calls.some(({ target }) => operators.get(target)?.schema.isMutable === true);
  if (calls.some((node) => node.target === "aten.unfold.default" && mayHaveGaps(node)) && writes())
    return "it writes beside a view with gaps, which its lowered form fills with zeros";
  if (calls.some(({ target }) => UNSAFE.test(target)) && writes())
    return "it writes beside parts that share memory, which its lowered form takes for copies";
  // What is not recorded may be bytes.
  const isOfBytes = ({ meta: { val } }: Node): boolean =>
    !(val instanceof FakeTensor) || val.dtype === "uint8";
  if (calls.some((node) => INTERPOLATES.test(node.target) && isOfBytes(node)))
    return "PyTorch interpolates bytes in fixed point";
  if (graphs.some((graph) => graph.calls().some((node) => hasOtherScales(node, graph))))
    return "it gives scales that are not those of its sizes";
  return undefined;
}
