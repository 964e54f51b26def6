/** @file Values and arguments of nodes under another dtype. */
import { type Argument, FakeTensor, type Graph, type MetaValue, mapRefs, type Node } from "@sconce/ir";
import type { DType } from "@sconce/tensor";

/** Whether tensors of a dtype go in or come out. */
export function touchesDtype({ meta, args, kwargs }: Node, graph: Graph, dtype: DType): boolean {
  let found = hasDtype(meta.val ?? null, dtype);
  for (const arg of [...args, ...Object.values(kwargs)]) {
    mapRefs(arg, (input) => {
      found ||= hasDtype(graph.node(input.name).meta.val ?? null, dtype);
      return input;
    });
  }
  return found;
}

/** Whether a value is a tensor, or has one among several. */
export const hasTensors = (val: MetaValue): boolean =>
  val instanceof FakeTensor || (Array.isArray(val) && (val as readonly MetaValue[]).some(hasTensors));

const hasDtype = (val: MetaValue, dtype: DType): boolean =>
  val instanceof FakeTensor
    ? val.dtype === dtype
    : Array.isArray(val) && (val as readonly MetaValue[]).some((item) => hasDtype(item, dtype));

/** The recorded sizes and strides with the dtypes of another value; the same object when they are the same. */
export function retyped(recorded: MetaValue, val: MetaValue): MetaValue {
  if (recorded instanceof FakeTensor && val instanceof FakeTensor)
    return recorded.dtype === val.dtype ? recorded : new FakeTensor({ ...recorded, dtype: val.dtype });
  if (!Array.isArray(recorded) || !Array.isArray(val)) return recorded;
  const items = val as readonly MetaValue[];
  const next = (recorded as readonly MetaValue[]).map((item, i) => retyped(item, items[i]!));
  return next.every((item, i) => item === (recorded as readonly MetaValue[])[i]) ? recorded : next;
}

/** The node with its arguments changed; the same node when none is. */
export function mapArguments(node: Node, change: (argument: Argument) => Argument): Node {
  const args = node.args.map(change);
  let same = args.every((arg, i) => arg === node.args[i]);
  const kwargs: Record<string, Argument> = {};
  for (const key in node.kwargs) {
    kwargs[key] = change(node.kwargs[key]!);
    same &&= kwargs[key] === node.kwargs[key];
  }
  return same ? node : { ...node, args, kwargs };
}
