/** @file Texts to start from in the playground. */

/** A text to start from. */
export interface PlaygroundExample {
  readonly name: string;
  readonly title: string;
  readonly source: string;
}

/** Texts to start from: passes, rules, a decomposition, a model. */
export const PLAYGROUND_EXAMPLES: readonly PlaygroundExample[] = [
  {
    name: "clamp",
    title: "Pass: relu becomes clamp",
    source: `import { definePass, edit, type Plugin } from "sconce";

// A pass is a function from a program to a program.
const reluToClamp = definePass({
  name: "relu-to-clamp",
  doc: "relu(x) becomes clamp_min(x, 0).",
  run: (program) =>
    program.with({
      graph: edit(program.graph, (e) => {
        for (const { name, target, args } of program.graph.nodes()) {
          if (target !== "aten.relu.default") continue;
          e.replaceNode(name, { target: "aten.clamp_min.default", args: [args[0]!, 0] });
          console.log("changed", name);
        }
      }),
    }),
});

export default { name: "mine", passes: [reluToClamp] } satisfies Plugin;
`,
  },
  {
    name: "fusion",
    title: "Rule: fuse x * sigmoid(x)",
    source: `import { defineRule, type Plugin } from "sconce";

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
`,
  },
  {
    name: "decomposition",
    title: "Decomposition: gelu by tanh",
    source: `import type { Decomposition, Plugin } from "sconce";

// An entry of the table says what calls of an operator become.
const gelu: Decomposition = (emit, { self: x }) => {
  const cube = emit("aten.pow.Tensor_Scalar", [x, 3]);
  const sum = emit("aten.add.Tensor", [x, emit("aten.mul.Tensor", [cube, 0.044715])]);
  const tanh = emit("aten.tanh.default", [emit("aten.mul.Tensor", [sum, Math.sqrt(2 / Math.PI)])]);
  const half = emit("aten.mul.Tensor", [x, 0.5]);
  return emit("aten.mul.Tensor", [half, emit("aten.add.Tensor", [tanh, 1])]);
};

export default { name: "mine", decompositions: { "aten.gelu.default": gelu } } satisfies Plugin;
`,
  },
  {
    name: "model",
    title: "Model: export a module",
    source: `import { nn, type Tensor, torch } from "sconce";

// A text with \`model\` and \`args\` is exported, and opened as a new program.
class Net extends nn.Module {
  readonly first = new nn.Linear(8, 16);
  readonly second = new nn.Linear(16, 4);

  override forward(x: Tensor): Tensor {
    return this.second(this.first(x).relu()).softmax(-1);
  }
}

export const model = new Net();
export const args = [torch.randn(2, 8)];
`,
  },
];
