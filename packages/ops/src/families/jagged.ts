/** @file Rows of different lengths, one after the other, and places of compressed matrices. */
import type { FakeTensor, IntLike } from "@sconce/ir";
import { sub } from "@sconce/symbolic";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import { invalidArgument } from "../rows/errors.js";
import { freshSize, mostOf } from "../rules/data-dependent.js";
import { fake, numelOf } from "../rules/fake.js";

function onlyOffsets(offsets: readonly FakeTensor[]): FakeTensor {
  const [only] = offsets;
  if (only === undefined || offsets.length !== 1)
    throw invalidArgument(`Only one jagged dim is supported, got ${offsets.length} offsets`);
  return only;
}

const toPadded = defineOp({
  schema:
    "aten::_jagged_to_padded_dense_forward(Tensor values, Tensor[] offsets, SymInt[] max_lengths, float padding_value=0.) -> Tensor",
  doc: "Rows between offsets, cut or padded to one length.",
  meta: ({ values, offsets, max_lengths: lengths }) => {
    const rows = sub(onlyOffsets(offsets).shape[0]!, 1);
    return fake({ dtype: values.dtype, shape: [rows, lengths[0]!, ...values.shape.slice(1)], like: values });
  },
});

const toJagged = defineOp({
  schema:
    "aten::_padded_dense_to_jagged_forward(Tensor dense, Tensor[] offsets, SymInt? total_L=None) -> Tensor",
  doc: "The first elements of each row, as many as lie between its offsets.",
  meta: ({ dense, offsets, total_L: total }, { env }) => {
    onlyOffsets(offsets);
    const length = total ?? freshSize(env, mostOf(env, numelOf(dense.shape)));
    return fake({ dtype: dense.dtype, shape: [length, ...dense.shape.slice(2)], like: dense });
  },
});

const indexDType = (isInt32: boolean) => (isInt32 ? "int32" : "int64");

const toCompressed = defineOp({
  schema: "aten::_convert_indices_from_coo_to_csr(Tensor self, int size, *, bool out_int32=False) -> Tensor",
  doc: "Where each row begins, from the sorted row of each element.",
  meta: ({ self, size, out_int32 }) =>
    fake({ dtype: indexDType(out_int32), shape: [Number(size) + 1], like: self }),
});

const fromCompressed = defineOp({
  schema:
    "aten::_convert_indices_from_csr_to_coo(Tensor crow_indices, Tensor col_indices, *, bool out_int32=False, bool transpose=False) -> Tensor",
  doc: "Row and column of each element, from where each row begins.",
  meta: ({ col_indices: columns, out_int32 }) => {
    const shape: readonly IntLike[] = [columns.ndim + 1, numelOf(columns.shape)];
    return fake({ dtype: indexDType(out_int32), shape, like: columns });
  },
});

export const jaggedOps: readonly OpDefinition[] = [toPadded, toJagged, toCompressed, fromCompressed];
