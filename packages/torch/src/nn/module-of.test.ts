import { exportProgram } from "@sconce/capture";
import type { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { torch } from "../functions/torch.js";
import * as nn from "./index.js";

class FeedForward extends nn.moduleOf((width: number, factor = 4) => ({
  factor,
  up: new nn.Linear(width, factor * width),
  steps: new nn.Buffer(torch.zeros(1)),
  scale: new nn.Parameter(torch.ones(width)),
})) {
  override forward(x: Tensor): Tensor {
    this.steps.add_(1);
    return this.up(x.mul(this.scale)).relu();
  }
}

test("modules get properties in order, and are called by their forward", () => {
  const module = new FeedForward(2);
  expect(module.factor).toBe(4);
  expect([...module.stateDict().keys()]).toEqual(["scale", "steps", "up.weight", "up.bias"]);
  expect(module(torch.ones(3, 2)).shape).toEqual([3, 8]);
  expect(module.training).toBe(true);
});

test("exports name the class, and see its state", () => {
  const program = exportProgram(new FeedForward(2), [torch.ones(3, 2)]);
  const [mul] = program.graph.nodes().filter(({ target }) => target === "aten.mul.Tensor");
  expect(mul!.meta.nnModuleStack).toEqual([["L__self__", "", "__main__.FeedForward"]]);
  expect(program.graph.nodes().map(({ target }) => target)).toContain("aten.add_.Tensor");
  expect(program.graphSignature.inputSpecs.map(({ target }) => target)).toEqual([
    "scale",
    "up.weight",
    "up.bias",
    "steps",
    null,
  ]);
});
