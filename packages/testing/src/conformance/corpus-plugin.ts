import type { FakeTensor } from "@sconce/ir";
import { FakeTensor as Fake } from "@sconce/ir";
import { defineOp } from "@sconce/ops";
import type { Plugin } from "@sconce/passes";

/** The custom operators that the corpus's programs use; they compute by their decompositions. */
export const corpusPlugin: Plugin = {
  name: "corpus",
  ops: [
    defineOp({
      schema: "mylib::sin(Tensor x) -> Tensor",
      doc: "Element-wise sine.",
      tags: ["not_in_default_table"],
      meta: ({ x }) => new Fake({ ...fields(x), storageOffset: 0 }),
      decompose: (emit, { x }) => emit("aten.sin.default", [x]),
    }),
    defineOp({
      schema: "mylib::custom_nonzero(Tensor x) -> Tensor",
      doc: "Like aten::nonzero.",
      tags: ["not_in_default_table", "dynamic_output_shape"],
      meta: ({ x }, { env }) =>
        new Fake({
          dtype: "int64",
          shape: [env.freshUnbackedInt(), x.ndim],
          strides: [x.ndim, 1],
          device: x.device,
        }),
      decompose: (emit, { x }) => emit("aten.nonzero.default", [x]),
    }),
  ],
};

const fields = ({ dtype, shape, strides, device, layout }: FakeTensor) => ({
  dtype,
  shape,
  strides,
  device,
  layout,
});
