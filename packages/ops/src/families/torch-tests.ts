/** @file Operators that PyTorch's own tests call. */
import { defineOp, type OpDefinition } from "../rows/define-op.js";

type StringSchema = "aten::_test_string_default(Tensor dummy, str a, str b) -> Tensor";

export const torchTestOps: readonly OpDefinition[] = [
  defineOp({
    schema: "aten::_test_serialization_subcmul(Tensor self, Tensor other, Scalar alpha=1) -> Tensor",
    tags: ["composite"],
    decompose: (emit, { self, other, alpha }) =>
      emit("aten.sub.Tensor", [self, emit("aten.mul.Scalar", [other, alpha])]),
  }),
  defineOp({
    schema:
      String.raw`aten::_test_string_default(Tensor dummy, str a="\"\'\\", str b="\"\'\\") -> Tensor` as StringSchema,
    tags: ["composite"],
    decompose: (_, { dummy }) => dummy,
  }),
  defineOp({
    schema: "aten::_test_autograd_multiple_dispatch.ntonly(Tensor self, bool b) -> Tensor",
    tags: ["composite"],
    decompose: (emit, { self }) => emit("aten.clone.default", [self]),
  }),
  defineOp({
    schema: "_test::leaky_relu(Tensor self, float v=0.01) -> Tensor",
    tags: ["composite"],
    decompose: (emit, { self, v }) => emit("aten.leaky_relu.default", [self, v]),
  }),
  defineOp({
    schema: "_test::cat(Tensor[] inputs) -> Tensor",
    tags: ["composite"],
    decompose: (emit, { inputs }) => emit("aten.cat.default", [inputs]),
  }),
];
