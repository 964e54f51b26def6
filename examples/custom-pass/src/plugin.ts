/**
 * @file A plugin outside of Sconce's packages: an operator, what it is made of, its kernel, a rule
 * that finds it, and a pass.
 */
import { defineOp, definePass, defineRule, edit, kernels, type Plugin } from "sconce";

/**
 * The operator and its decomposition, which infers shapes and lowers the operator without a kernel.
 */
export const addmmRelu = defineOp({
  schema: "fused::addmm_relu(Tensor bias, Tensor a, Tensor b) -> Tensor",
  tags: ["not_in_default_table"],
  doc: "relu(bias + a @ b) in one call.",
  decompose: (emit, { bias, a, b }) => emit("aten.relu.default", [emit("aten.addmm.default", [bias, a, b])]),
});

/** The kernel: one pass over the output, no value in between. */
export const addmmReluKernel = kernels.define(addmmRelu.schemaText, ({ bias, a, b }, context) => {
  const out = kernels.emptyOutput(context);
  const [left, right, add] = [kernels.readNumbers(a), kernels.readNumbers(b), kernels.readNumbers(bias)];
  const [inner = 0, columns = 0] = b.shape;
  const into = kernels.openOutput(out);
  for (let i = 0; i < into.length; i++) {
    const [row, column] = [Math.floor(i / columns), i % columns];
    let sum = add[column % add.length]!;
    for (let k = 0; k < inner; k++) sum += left[row * inner + k]! * right[k * columns + column]!;
    into[i] = Math.max(sum, 0);
  }
  return kernels.finishOutput(out, into);
});

/**
 * The rule: where the operator represents what is there. One bias for each column is what the
 * kernel knows.
 */
export const fuseAddmmRelu = defineRule({
  name: "fuse-addmm-relu",
  doc: "relu(addmm(bias, a, b)) is addmm_relu(bias, a, b).",
  match: "aten.relu.default(aten.addmm.default($bias, $a, $b))",
  where: (_, match) => (match.tensor("bias").shape.length === 1 ? true : "the bias is not one-dimensional"),
  replace: "fused.addmm_relu.default($bias, $a, $b)",
});

/** The pass: dropout does nothing outside of training. */
const dropDropout = definePass({
  name: "drop-dropout",
  doc: "`dropout(x, p, train=False)` becomes `x`.",
  run: (program) =>
    program.with({
      graph: edit(program.graph, (e) => {
        for (const node of program.graph.nodes()) {
          if (node.target !== "aten.dropout.default" || node.args[2] !== false) continue;
          e.replaceAllUses(node.name, node.args[0]!);
          e.remove(node.name);
        }
      }),
    }),
});

const fused: Plugin = {
  name: "fused",
  ops: [addmmRelu],
  kernels: kernels.table([addmmReluKernel]),
  rules: [fuseAddmmRelu],
  passes: [dropDropout],
};
export default fused;
