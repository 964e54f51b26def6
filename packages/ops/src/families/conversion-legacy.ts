/** @file Older and internal ways of changing a tensor's dtype or shape, each made of others. */
import type { FakeTensor, IntLike } from "@sconce/ir";
import { add } from "@sconce/symbolic";
import type { DType } from "@sconce/tensor";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import { convert } from "../rules/decompose.js";
import { wrapDim } from "../rules/dims.js";
import { numelOf } from "../rules/fake.js";

const tags = ["composite"] as const;

const CASTS: Readonly<Record<string, DType>> = {
  Byte: "uint8",
  Char: "int8",
  Double: "float64",
  Float: "float32",
  Half: "float16",
  Int: "int32",
  Long: "int64",
  Short: "int16",
};

const casts = Object.entries(CASTS).map(([name, dtype]) =>
  defineOp({
    schema:
      `aten::_cast_${name}(Tensor self, bool non_blocking=False) -> Tensor` as "aten::x(Tensor self) -> Tensor",
    tags,
    decompose: (emit, { self }) => convert(emit, self, dtype),
  }),
);

const flattenDense = defineOp({
  schema: "aten::flatten_dense_tensors(Tensor[] tensors) -> Tensor",
  tags,
  decompose: (emit, { tensors }) => {
    const flat = tensors.map((tensor) => emit("aten.reshape.default", [tensor, [-1]]));
    return flat.length === 1 ? flat[0]! : emit("aten.cat.default", [flat]);
  },
});

const unflattenDense = defineOp({
  schema: "aten::unflatten_dense_tensors(Tensor flat, Tensor[] tensors) -> Tensor[]",
  tags,
  decompose: (emit, { flat, tensors }) => {
    let start: IntLike = 0;
    return tensors.map((tensor): FakeTensor => {
      const end = add(start, numelOf(tensor.shape));
      const piece = emit("aten.slice.Tensor", [flat, 0, start, end]);
      start = end;
      return emit("aten.view.default", [piece, tensor.shape]);
    });
  },
});

const range = defineOp({
  schema: "aten::_dim_arange(Tensor like, int dim) -> Tensor",
  tags,
  decompose: (emit, { like, dim }) =>
    emit("aten.arange.default", [like.shape[wrapDim(dim, like.ndim)]!], {
      dtype: "int64",
      device: like.device,
    }),
});

const toDense = defineOp({
  schema: "aten::to_dense(Tensor self, ScalarType? dtype=None, *, bool? masked_grad=None) -> Tensor",
  tags,
  doc: "Tensors are dense here: a conversion, if anything.",
  decompose: (emit, { self, dtype }) => (dtype === null ? self : convert(emit, self, dtype)),
});

const halfComplex = defineOp({
  schema: "aten::chalf(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor",
  tags,
  decompose: (emit, { self, memory_format }) =>
    emit("aten.to.dtype", [self, "complex32", false, false, memory_format]),
});

const toCpu = defineOp({
  schema: "aten::_to_cpu(Tensor[] tensors) -> Tensor[]",
  tags,
  decompose: (_emit, { tensors }) => tensors,
});

/** Tensors that are not quantized are in float32 afterwards. */
const dequantize = defineOp({
  schema: "aten::dequantize.self(Tensor self) -> Tensor",
  tags: ["not_in_default_table"],
  decompose: (emit, { self }) => emit("aten.to.dtype", [self, "float32"]),
});

export const conversionLegacyOps: readonly OpDefinition[] = [
  dequantize,
  ...casts,
  flattenDense,
  unflattenDense,
  range,
  toDense,
  halfComplex,
  toCpu,
];
