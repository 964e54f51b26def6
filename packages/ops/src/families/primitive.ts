/** @file The primitives below ATen that PyTorch's own decompositions leave in graphs. */
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import { elementwise } from "../rules/elementwise.js";
import { fake } from "../rules/fake.js";

export const primitiveOps: readonly OpDefinition[] = [
  defineOp({
    schema: "prims::scalar_tensor(Scalar s, *, ScalarType? dtype=None, Device? device=None) -> Tensor",
    tags: ["not_in_default_table"],
    meta: ({ dtype, device }) => fake({ dtype: dtype ?? "float32", shape: [], device }),
    decompose: (emit, { s, dtype, device }) => emit("aten.scalar_tensor.default", [s], { dtype, device }),
  }),
  defineOp({
    schema: "prims::convert_element_type(Tensor a, ScalarType dtype) -> Tensor",
    tags: ["pointwise", "not_in_default_table"],
    meta: ({ a, dtype }, context) => elementwise(context, [a], { dtype }),
    decompose: (emit, { a, dtype }) => emit("aten._to_copy.default", [a], { dtype }),
  }),
  defineOp({
    schema: "prims::copy_strided(Tensor a, SymInt[] stride) -> Tensor",
    doc: "A copy with its own strides.",
    tags: ["not_in_default_table"],
    meta: ({ a, stride }) => fake({ dtype: a.dtype, shape: a.shape, strides: stride, like: a }),
    decompose: (emit, { a, stride }) =>
      emit("aten.copy_.default", [emit("aten.new_empty_strided.default", [a, a.shape, stride]), a]),
  }),
  defineOp({
    // `torch/_inductor/inductor_prims.py`. In branches, PyTorch records `addcmul_`, `addcdiv_` and
    // `add_` with a factor as this call.
    schema: "prims::fma(Tensor a, Tensor b, Tensor c) -> Tensor",
    doc: "A product plus a term. As in PyTorch outside of its compiler, the product is rounded.",
    tags: ["pointwise", "not_in_default_table"],
    meta: ({ a, b, c }, context) => elementwise(context, [elementwise(context, [a, b]), c]),
    decompose: (emit, { a, b, c }) => emit("aten.add.Tensor", [emit("aten.mul.Tensor", [a, b]), c]),
  }),
];
