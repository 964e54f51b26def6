import { Dim, exportProgram } from "@sconce/capture";
import type { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { functional as F } from "../nn/functional.js";
import { sym } from "./sym.js";
import { torch } from "./torch.js";

/**
 * What PyTorch names the calls of `(run(x, y), x * 2, x.shape[0] * 3)`, where all sizes of `x` and
 * `y` are dynamic: sizes and functions of sizes that it computes on the way have taken numbers.
 */
const CASES: readonly (readonly [text: string, run: (x: Tensor, y: Tensor) => unknown, names: string])[] = [
  ["x[:, 1]", (x) => x.at(":", 1), "sym_size_int_2 slice_1 select mul mul_1"],
  ["x[:, :, 1:]", (x) => x.at(":", ":", "1:"), "sym_size_int_2 slice_1 slice_2 slice_3 mul mul_1"],
  ["x[:, :, :-1]", (x) => x.at(":", ":", ":-1"), "sym_size_int_3 slice_1 slice_2 slice_3 mul mul_1"],
  ["x[:, ::2]", (x) => x.at(":", "::2"), "sym_size_int_2 slice_1 slice_2 mul mul_1"],
  ["x[..., -1]", (x) => x.at("...", -1), "sym_size_int_2 select mul mul_1"],
  ["x[-1, ..., 0]", (x) => x.at(-1, "...", 0), "sym_size_int_2 select select_1 mul mul_1"],
  ["x[1:3]", (x) => x.at("1:3"), "slice_1 mul sym_size_int mul_1"],
  ["x.contiguous()", (x) => x.contiguous(), "sym_size_int_4 mul_6 mul_7"],
  [
    "x.permute(0, 2, 3, 1).contiguous()",
    (x) => x.permute(0, 2, 3, 1).contiguous(),
    "sym_size_int_4 permute contiguous mul_3 mul_4",
  ],
  [
    "x.transpose(1, 2).contiguous()",
    (x) => x.transpose(1, 2).contiguous(),
    "sym_size_int_4 transpose contiguous mul_3 mul_4",
  ],
  ["x[0].contiguous()", (x) => x.at(0).contiguous(), "sym_size_int_4 select mul_4 mul_5"],
  [
    "x[0, 0].t().contiguous()",
    (x) => x.at(0, 0).t().contiguous(),
    "sym_size_int_4 select select_1 t contiguous mul_1 mul_2",
  ],
  [
    "x.contiguous(memory_format=torch.channels_last)",
    (x) => x.contiguous({ memoryFormat: "channels_last" } as never),
    "sym_size_int_4 contiguous mul_3 mul_4",
  ],
  [
    "F.l1_loss(x, y)",
    (x, y) => F.l1Loss(x, y),
    "sym_size_int_12 broadcast_tensors getitem getitem_1 l1_loss mul mul_1",
  ],
  [
    "F.binary_cross_entropy_with_logits(x, y)",
    (x, y) => F.binaryCrossEntropyWithLogits(x, y),
    "sym_size_int_12 binary_cross_entropy_with_logits mul mul_1",
  ],
  [
    "z = x.clone(); z[:, 0] = 1.0",
    (x) => {
      const z = x.clone();
      z.setAt([":", 0], 1.5);
      return z;
    },
    "sym_size_int_2 clone lift_fresh_copy slice_1 select fill_ mul mul_1",
  ],
];

const dynamic = { 0: Dim.AUTO, 1: Dim.AUTO, 2: Dim.AUTO, 3: Dim.AUTO };

test.each(CASES)("%s", (_, run, names) => {
  const model = (x: Tensor, y: Tensor): unknown => [run(x, y), x.mul(2), sym.mul(x.size(0), 3)];
  const inputs = [torch.ones(2, 3, 4, 5), torch.ones(2, 3, 4, 5)];
  const { graph } = exportProgram(model, inputs, { dynamicShapes: [dynamic, dynamic] });
  const calls = [...graph.nodes()].filter(({ op }) => op === "call_function");
  expect(calls.map(({ name }) => name).join(" ")).toBe(names);
});
