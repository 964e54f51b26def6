import type { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { exportProgram } from "../export/export-program.js";
import { nn } from "../index.js";
import { torch } from "../torch/torch.js";
import { enableGrad, noGrad } from "../trace/grad-mode.js";
import { associativeScan } from "./associative-scan.js";
import { cond } from "./cond.js";
import { map } from "./map.js";
import { whileLoop } from "./while-loop.js";

class Net extends nn.Module {
  readonly w = new nn.Parameter(torch.ones(3));
  readonly run: (x: Tensor, w: Tensor) => unknown;

  constructor(run: (x: Tensor, w: Tensor) => unknown) {
    super();
    this.run = run;
  }

  override forward(x: Tensor): unknown {
    return this.run(x, this.w);
  }
}

function lines(run: (x: Tensor, w: Tensor) => unknown): string[] {
  const text = String(exportProgram(new Net(run), [torch.ones(4, 3)]));
  return text
    .split("\n")
    .map((line) => line.trim().replace(/;.*/, ""))
    .filter((line) => /^[^#]/.test(line));
}

const counter = (): Tensor => torch.zeros([], { dtype: "int64" });

// Lines and messages are those of PyTorch 2.14 for the same functions.
test("a region that calls graphs stays in the program, and reads the graphs first", () => {
  const found = lines((x, w) =>
    noGrad(() => {
      const z = x.add(1);
      return map((row: Tensor) => row.mul(w), z);
    }).mul(w),
  );
  expect(found.slice(3, 7)).toEqual([
    "body_graph_0 = self.body_graph_0",
    'add: "f32[4, 3]" = torch.ops.aten.add.Tensor(x, 1)',
    "map_impl = torch.ops.higher_order.map_impl(body_graph_0, [add], [p_w])",
    'getitem: "f32[4, 3]" = map_impl[0]',
  ]);
});

test("a region in a function becomes a graph of that function", () => {
  const found = lines((x, w) =>
    cond(
      x.sum().gt(0),
      () => noGrad(() => x.mul(w)).add(w),
      () => x.sub(w),
    ),
  );
  expect(found).toContain("submod_3 = self.submod_1");
  expect(found).toContain("mul = torch.ops.higher_order.wrap_with_set_grad_enabled(False, submod_3, x, p_w)");
});

test("a mode that is set already begins no region", () => {
  const found = lines((x, w) =>
    whileLoop(
      (i: Tensor) => i.lt(3),
      (i: Tensor, a: Tensor) => {
        const next = enableGrad(() => noGrad(() => a.mul(w)).add(w));
        return [i.add(1), next];
      },
      [counter(), x.sin()],
    ),
  );
  expect(found).toContain(
    "mul = torch.ops.higher_order.wrap_with_set_grad_enabled(False, submod_3, arg1_1, arg2_1)",
  );
  expect(found).toContain('getitem_2: "f32[4, 3]" = mul[0]');
});

test("a loop that records gradients counts its rounds, and carries no integers", () => {
  const loop = (i: unknown) => (x: Tensor, w: Tensor) =>
    whileLoop(
      (n: Tensor) => n.sum().lt(3),
      (n: Tensor, a: Tensor) => [n.add(1), a.add(w)],
      [i as Tensor, x.sin()],
    );
  expect(lines((x, w) => loop(counter())(x, w)).at(-1)).toBe("Range constraints: {u0: VR[1, int_oo]}");
  expect(lines((x, w) => noGrad(() => loop(counter())(x, w))).at(-1)).toBe("Range constraints: {}");
  const integers = (x: Tensor, w: Tensor): unknown =>
    whileLoop(
      () => x.sum().lt(3),
      (_: number, a: Tensor) => [1, a.add(w)],
      [0, x.sin()],
    );
  expect(() => exportProgram(new Net(integers), [torch.ones(4, 3)])).toThrow(
    "all carried_inputs must be tensors",
  );
});

test("prefixes are not combined with a parameter where gradients are recorded", () => {
  const run = (x: Tensor, w: Tensor): Tensor =>
    associativeScan((a: Tensor, b: Tensor) => a.mul(b).mul(w), x, { dim: 0 });
  expect(() => exportProgram(new Net(run), [torch.ones(4, 3)])).toThrow("gradients for lifted parameters");
  expect(() => exportProgram(new Net((x, w) => noGrad(() => run(x, w))), [torch.ones(4, 3)])).not.toThrow();
});
