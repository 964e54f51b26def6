/** @file Which values of exported programs ask for gradients (oracle: recorded_gradients.py). */
import { FakeTensor } from "@sconce/ir";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { exportProgram, nn, noGrad, torch } from "../index.js";

type Run = (m: Base, x: Tensor) => Tensor;

class Base extends nn.Module {
  readonly w = new nn.Parameter(Tensor.from([1, 2, 3], [3], "float32"));
  readonly run: Run;
  declare b: Tensor;

  constructor(run: Run) {
    super();
    this.run = run;
    this.registerBuffer("b", Tensor.from([4, 5, 6], [3], "float32"));
  }

  override forward(x: Tensor): Tensor {
    return this.run(this, x);
  }
}

test.each<[name: string, run: Run, asking: readonly string[]]>([
  ["a write to a buffer", (m, x) => x.add(m.b.add_(m.w)), ["p_w", "b_b"]],
  [
    "a write to a view",
    (m, x) => {
      m.b.narrow(0, 0, 2).copy_(m.w.narrow(0, 0, 2));
      return x.add(m.b);
    },
    ["p_w", "b_b"],
  ],
  [
    "a write without gradients",
    (m, x) => {
      noGrad(() => m.b.add_(m.w));
      return x.add(m.b);
    },
    ["p_w"],
  ],
  ["a write to an input", (m, x) => x.mul_(m.w).add(1), ["p_w", "x"]],
  [
    "a write to a view of an input",
    (m, x) => {
      x.view([3, 1]).mul_(m.w.view([3, 1]));
      return x.add(1);
    },
    ["p_w", "x"],
  ],
  [
    "a write to a detached buffer",
    (m, x) => {
      m.b.detach().add_(m.w);
      return x.add(m.b);
    },
    ["p_w"],
  ],
  ["a write of detached values", (m, x) => x.add(m.b.add_(m.w.detach())), ["p_w"]],
  [
    "a buffer detached after it",
    (m, x) => {
      m.b.add_(m.w);
      m.b.detach_();
      return x.add(1);
    },
    ["p_w"],
  ],
  [
    "a chain of writes",
    (m, x) => {
      x.add_(m.w);
      m.b.add_(x);
      return x.add(1);
    },
    ["p_w", "b_b", "x"],
  ],
  [
    "a buffer set to zero after it",
    (m, x) => {
      m.b.add_(m.w);
      m.b.zero_();
      return x.add(1);
    },
    ["p_w", "b_b"],
  ],
  ["a write to a new tensor", (m, x) => x.add(torch.zeros([3]).add_(m.w)), ["p_w"]],
])("%s: results do not ask for gradients, inputs do where PyTorch's do", (_, run, asking) => {
  const { graph } = exportProgram(new Base(run), [Tensor.from([7, 8, 9], [3], "float32")]);
  const values = graph.nodes().filter(({ meta: { val } }) => val instanceof FakeTensor && val.requiresGrad);
  expect(values.map(({ name }) => name)).toEqual(asking);
});
