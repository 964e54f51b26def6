/**
 * @file Normalizations whose kernels give statistics another dtype than PyTorch's shape rule
 * records: results of the device have the recorded one.
 */
import { type Argument, FakeTensor, type Graph, isRef, type Node } from "@sconce/ir";
import type { DType } from "@sconce/tensor";

/** The positions of parameters and of running statistics, in the order in which they decide. */
const OPERANDS: Readonly<Record<string, readonly string[]>> = {
  "aten.native_layer_norm.default": ["weight 2", "bias 3"],
  "aten.native_group_norm.default": ["weight 1", "bias 2"],
  "aten._native_batch_norm_legit.no_stats": ["weight 1", "bias 2"],
  ...Object.fromEntries(
    [
      "native_batch_norm.default",
      "_native_batch_norm_legit.default",
      "_native_batch_norm_legit_functional.default",
      "_native_batch_norm_legit_no_training.default",
    ].map((name) => [`aten.${name}`, ["weight 1", "bias 2", "running_mean 3", "running_var 4"]]),
  ),
};

/**
 * Returns whether a call is a normalization of halves, of which a result is read that has another
 * dtype in PyTorch than the program records: saved statistics are float32 beside parameters in
 * float32, and running statistics keep their dtype.
 */
export function hasOwnStatistics(node: Node, graph: Graph): boolean {
  const operands = OPERANDS[node.target];
  if (operands === undefined) return false;
  const given = dtypeOf(node.kwargs["input"] ?? node.args[0], graph);
  if (given !== "float16" && given !== "bfloat16") return false;
  const named = operands.map((text) => {
    const [name, at] = text.split(" ") as [string, string];
    return dtypeOf(node.kwargs[name] ?? node.args[Number(at)], graph);
  });
  const first = named.find((dtype) => dtype !== undefined);
  const saved = first === undefined || first === given ? given : "float32";
  const own: readonly (DType | undefined)[] = [undefined, saved, saved, named[2], named[3]];
  return graph.users(node.name).some((user) => {
    if (user.target !== "operator.getitem") return true;
    const { val } = user.meta;
    const dtype = own[Number(user.args[1])];
    if (dtype === undefined || !(val instanceof FakeTensor) || val.dtype === dtype) return false;
    return graph.users(user.name).some((reader) => !isRounded(reader, dtype));
  });
}

/** Returns whether a call rounds what it reads to a dtype of a half, once in any case. */
const isRounded = ({ target, meta: { val } }: Node, dtype: DType): boolean =>
  /^aten\.(_to_copy|copy)\.default$/.test(target) &&
  val instanceof FakeTensor &&
  val.dtype === dtype &&
  dtype !== "float32";

function dtypeOf(value: Argument | undefined, graph: Graph): DType | undefined {
  const val = value !== undefined && isRef(value) ? graph.find(value.name)?.meta.val : undefined;
  return val instanceof FakeTensor ? val.dtype : undefined;
}
