import { exportProgram } from "@sconce/capture";
import type { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { torch } from "../functions/torch.js";
import { Module } from "../nn/module.js";
import { Parameter } from "../nn/tensors.js";
import { noGrad } from "./grad-mode.js";

function outcome(write: (w: Tensor, x: Tensor) => unknown): unknown {
  class Net extends Module {
    readonly weight = new Parameter(torch.zeros(4));

    override forward(x: Tensor): Tensor {
      write(this.weight, x);
      return x.mul(this.weight);
    }
  }
  try {
    exportProgram(new Net(), [torch.ones(3, 4)], { checkSource: false });
    return "exported";
  } catch (error) {
    const { code, message, fix } = error as { code: string; message: string; fix: string };
    return [code, message.replace(/^\S+: /, ""), fix];
  }
}

const FIX =
  "write to parameters within `torch.noGrad(() => ...)`, or keep the value in a buffer (`nn.Buffer`)";
const LEAF = "a leaf Variable that requires grad is being used in an in-place operation.";
const VIEW = "a view of a leaf Variable that requires grad is being used in an in-place operation.";

// What PyTorch 2.14 says to each of these models.
test.each<[string, (w: Tensor, x: Tensor) => unknown, unknown]>([
  ["a write", (w) => w.add_(1), ["LEAF_WRITE", LEAF, FIX]],
  ["a fill", (w) => w.zero_(), ["LEAF_WRITE", LEAF, FIX]],
  ["a write to a part", (w) => w.at(0).add_(1), ["LEAF_WRITE", VIEW, FIX]],
  ["a write to a view of a view", (w) => w.view(2, 2).t().mul_(2), ["LEAF_WRITE", VIEW, FIX]],
  ["an assignment to a part", (w, x) => w.setAt("1:3", x.at(0, "1:3")), ["LEAF_WRITE", VIEW, FIX]],
  [
    "a write after one without gradients",
    (w) => [noGrad(() => w.add_(1)), w.add_(1)],
    ["LEAF_WRITE", LEAF, FIX],
  ],
  ["a write without gradients", (w) => noGrad(() => w.add_(1)), "exported"],
  ["a write to a part without gradients", (w) => noGrad(() => w.at(0).add_(1)), "exported"],
  ["a write to the detached tensor", (w) => w.detach().add_(1), "exported"],
  ["a write to a copy", (w) => w.clone().add_(1), "exported"],
  ["a write to a result", (w) => w.mul(2).add_(1), "exported"],
])("%s of a parameter follows the rules of gradients [S-013, S-106]", (_, write, expected) => {
  expect(outcome(write)).toEqual(expected);
});
