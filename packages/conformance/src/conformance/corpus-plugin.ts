import type { FakeTensor } from "@sconce/ir";
import { FakeTensor as Fake, type PytreeType } from "@sconce/ir";
import { defineOp } from "@sconce/ops";
import type { Plugin } from "@sconce/passes";

/** Returns a class with two children, `first` and `second`; calls give them as an array. */
const pairType = (name: string): PytreeType => ({
  name,
  flatten: (value) => {
    if (Array.isArray(value)) return value as unknown[];
    const pair = value as { readonly first: unknown; readonly second: unknown } | undefined;
    return typeof pair === "object" && "first" in pair ? [pair.first, pair.second] : undefined;
  },
  unflatten: (children) => children,
});

/**
 * The custom operators and registered classes that the corpus's programs use; operators compute by
 * their decompositions.
 */
export const corpusPlugin: Plugin = {
  name: "corpus",
  pytreeTypes: [pairType("corpus.CustomNode"), pairType("call_programs.Pair")],
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
