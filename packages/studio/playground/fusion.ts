import { defineRule, type Plugin } from "sconce";

// A rule replaces one expression by another. Nodes with more users than the match stay.
const fuseSilu = defineRule({
  name: "fuse-silu",
  doc: "x * sigmoid(x) is silu(x).",
  match: "aten.mul.Tensor($x, aten.sigmoid.default($x))",
  replace: "aten.silu.default($x)",
});

const fuseLinear = defineRule({
  name: "fuse-linear",
  doc: "addmm(bias, x, transposed weight) is linear(x, weight, bias).",
  match: "aten.addmm.default($bias, $x, aten.permute.default($weight, [1, 0]))",
  where: (_, { tensor }) => (tensor("bias").shape.length === 1 ? true : "the bias is not one-dimensional"),
  replace: "aten.linear.default($x, $weight, $bias)",
});

export default { name: "mine", rules: [fuseSilu, fuseLinear] } satisfies Plugin;
export const pipeline = "decompose,rewrite{rules=[fuse-silu,fuse-linear]},dce";
