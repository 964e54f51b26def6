import type { FakeTensor } from "@sconce/ir";
import type { EmitArg } from "@sconce/ops";
import { DecompositionTable } from "@sconce/passes";
import type { Sconce } from "@sconce/session";

/** Returns the decomposition tables of the corpus's variants, as their `how` describes them. */
export function variantTable(sconce: Sconce, name: string): DecompositionTable | undefined {
  const table = sconce.defaultDecompositions();
  switch (name) {
    case "empty_table":
      return new DecompositionTable();
    case "keep_conv2d":
      table.delete("aten.conv2d.default");
      return table;
    case "custom_relu":
      table.set("aten.relu.default", (emit, args) =>
        emit("aten.clamp.default", [args["self"] as FakeTensor, 0]),
      );
      return table;
    case "custom_conv2d":
      table.set("aten.conv2d.default", (emit, args) => {
        const { input, weight, bias, stride, padding, dilation, groups } = args as Readonly<
          Record<string, EmitArg>
        >;
        const convolution = emit("aten.convolution.default", [
          input,
          weight,
          bias,
          stride,
          padding,
          dilation,
          false,
          [0, 0],
          groups,
        ]);
        return emit("aten.mul.Tensor", [convolution, 2]);
      });
      return table;
    default:
      return undefined;
  }
}
