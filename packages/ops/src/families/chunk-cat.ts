/** @file `_chunk_cat`: tensors in equal chunks, padded with zeros, side by side. */
import type { FakeTensor, IntLike } from "@sconce/ir";
import { add, floorDiv, mul, sub } from "@sconce/symbolic";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { dtypeMismatch, invalidArgument, shapeMismatch } from "../rows/errors.js";
import { isEqual, mayDiffer } from "../rules/comparison.js";
import { wrapDim } from "../rules/dims.js";
import { numelOf } from "../rules/fake.js";

function checkTensors(emit: Emit, tensors: readonly FakeTensor[], dim: IntLike, chunks: IntLike): number {
  const [first] = tensors;
  if (Number(chunks) < 1) throw invalidArgument("_chunk_cat expects positive num_chunks");
  if (first === undefined) throw invalidArgument("_chunk_cat expects a non-empty input tensor list");
  const axis = wrapDim(dim, first.ndim);
  for (const tensor of tensors) {
    if (isEqual(emit.env, numelOf(tensor.shape), 0)) {
      throw shapeMismatch("_chunk_cat expects non-empty tensor");
    }
    if (tensor.dtype !== first.dtype) {
      throw dtypeMismatch("_chunk_cat expects all input tensors with the same dtype");
    }
    wrapDim(dim, tensor.ndim);
    if (first.shape.slice(0, axis).some((size, d) => mayDiffer(emit.env, size, tensor.shape[d]!))) {
      throw shapeMismatch("_chunk_cat expects same sizes of 0,...,dim-1 dimensions for all tensors");
    }
  }
  return axis;
}

function chunked(emit: Emit, tensor: FakeTensor, axis: number, chunks: IntLike): FakeTensor {
  const length = tensor.shape[axis]!;
  const whole = mul(floorDiv(add(length, sub(chunks, 1)), chunks), chunks);
  let padded = tensor;
  if (mayDiffer(emit.env, whole, length)) {
    const padding = new Array<IntLike>(2 * (tensor.ndim - axis)).fill(0).with(-1, sub(whole, length));
    padded = emit("aten.constant_pad_nd.default", [tensor, padding]);
  }
  return emit("aten.reshape.default", [padded, [...tensor.shape.slice(0, axis), chunks, -1]]);
}

const chunkCat = defineOp({
  schema: "aten::_chunk_cat(Tensor[] tensors, int dim, int num_chunks) -> Tensor",
  decompose: (emit, { tensors, dim, num_chunks }) => {
    const axis = checkTensors(emit, tensors, dim, num_chunks);
    const parts = tensors.map((tensor) => chunked(emit, tensor, axis, num_chunks));
    return emit("aten.cat.default", [parts, axis + 1]);
  },
});

export const chunkCatOps: readonly OpDefinition[] = [chunkCat];
