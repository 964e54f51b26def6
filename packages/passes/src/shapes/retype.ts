/** @file Values and arguments of nodes under another dtype. */
import { FakeTensor, type Graph, type IntLike, type MetaValue, mapRefs, type Node } from "@sconce/ir";
import type { DType } from "@sconce/tensor";

/** Returns whether tensors of a dtype go in or come out. */
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

/** Returns whether a value is a tensor, or has one among several. */
export const hasTensors = (val: MetaValue): boolean =>
  val instanceof FakeTensor || (Array.isArray(val) && (val as readonly MetaValue[]).some(hasTensors));

const hasDtype = (val: MetaValue, dtype: DType): boolean =>
  val instanceof FakeTensor
    ? val.dtype === dtype
    : Array.isArray(val) && (val as readonly MetaValue[]).some((item) => hasDtype(item, dtype));

/**
 * Returns the recorded sizes and strides with the dtypes of another value; the same object when
 * they are the same. Some operators give other sizes for other dtypes (`_embedding_bag` returns
 * what its kernel for the dtype keeps): where both sizes are numbers and differ, the other value's
 * hold.
 */
export function retyped(recorded: MetaValue, val: MetaValue): MetaValue {
  if (recorded instanceof FakeTensor && val instanceof FakeTensor) return retypedTensor(recorded, val);
  if (!Array.isArray(recorded) || !Array.isArray(val)) return recorded;
  const items = val as readonly MetaValue[];
  const next = (recorded as readonly MetaValue[]).map((item, i) => retyped(item, items[i]!));
  return next.every((item, i) => item === (recorded as readonly MetaValue[])[i]) ? recorded : next;
}

function retypedTensor(recorded: FakeTensor, val: FakeTensor): FakeTensor {
  const sameSizes =
    recorded.ndim === val.ndim &&
    recorded.shape.every((size, d) => typeof size !== "number" || isSizeOr(size, val.shape[d]!));
  if (!sameSizes) return val;
  return recorded.dtype === val.dtype ? recorded : new FakeTensor({ ...recorded, dtype: val.dtype });
}

/** Returns whether a size is this number, or an expression that may be. */
const isSizeOr = (size: number, other: IntLike): boolean => typeof other !== "number" || other === size;
