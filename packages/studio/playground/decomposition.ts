import type { Decomposition, Plugin } from "sconce";

// An entry of the table says what calls of an operator become.
const gelu: Decomposition = (emit, { self: x }) => {
  const cube = emit("aten.pow.Tensor_Scalar", [x, 3]);
  const sum = emit("aten.add.Tensor", [x, emit("aten.mul.Tensor", [cube, 0.044715])]);
  const tanh = emit("aten.tanh.default", [emit("aten.mul.Tensor", [sum, Math.sqrt(2 / Math.PI)])]);
  const half = emit("aten.mul.Tensor", [x, 0.5]);
  return emit("aten.mul.Tensor", [half, emit("aten.add.Tensor", [tanh, 1])]);
};

export default { name: "mine", decompositions: { "aten.gelu.default": gelu } } satisfies Plugin;
