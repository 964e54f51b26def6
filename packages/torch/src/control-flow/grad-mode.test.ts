import { exportProgram, type InterpreterModule, nn, unflatten } from "@sconce/capture";
import { graphText } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { torch } from "../functions/torch.js";
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

function lines(run: (x: Tensor, w: Tensor) => unknown, strict = false): string[] {
  const text = String(exportProgram(new Net(run), [torch.ones(4, 3)], { strict }));
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

test("a region belongs to the module that changes the mode, and its results to those that make them", () => {
  class Frozen extends nn.Module {
    readonly l = new nn.Linear(3, 3);

    override forward(x: Tensor): Tensor {
      return noGrad(() => this.l(x)).add(x);
    }
  }
  const model = new nn.Sequential(new Frozen());
  const x = torch.ones(2, 3);
  const program = exportProgram(model, [x]);
  const paths = (name: string): unknown =>
    program.graph.node(name).meta.nnModuleStack?.map(([, path]) => path);
  expect([paths("submod_3"), paths("linear"), paths("getitem")]).toEqual([
    ["", "0"],
    ["", "0"],
    ["", "0", "0.l"],
  ]);
  const name = "wrap_with_set_grad_enabled";
  expect(program.graph.node("linear").meta.torchFn).toEqual([name, `WrapWithSetGradEnabled.${name}`]);
  const modules = unflatten(program);
  expect(
    graphText((modules.getSubmodule("0.l") as InterpreterModule).graph)
      .split("\n")
      .slice(1),
  ).toEqual([
    "    %linear : [num_users=1] = placeholder[target=linear]",
    "    %getitem : [num_users=1] = call_function[target=operator.getitem](args = (%linear, 0), kwargs = {})",
    "    return getitem",
  ]);
  expect(String(modules(x))).toBe(String(model(x)));
});

test("a strict export makes one region of those between which nothing runs", () => {
  const found = lines((x, w) => {
    noGrad(() => w.add_(1));
    const y = noGrad(() => x.mul(w));
    enableGrad(() => undefined);
    return noGrad(() => y.add(1)).mul(w);
  }, true);
  expect(found.slice(3, 8)).toEqual([
    "submod_3 = self.submod_1",
    "wrap_with_set_grad_enabled = torch.ops.higher_order.wrap_with_set_grad_enabled(False, submod_3, p_w, x)",
    'add: "f32[4, 3]" = wrap_with_set_grad_enabled[0]',
    'add_: "f32[3]" = wrap_with_set_grad_enabled[1]',
    'mul_1: "f32[4, 3]" = torch.ops.aten.mul.Tensor(add, add_)',
  ]);
});

test.each<readonly [string, (run: () => Promise<unknown>) => unknown]>([
  ["noGrad", (run) => torch.noGrad(run)],
  ["enableGrad", (run) => torch.enableGrad(run)],
  ["setGradEnabled", (run) => torch.setGradEnabled(false, run)],
  ["inferenceMode", (run) => torch.inferenceMode(run)],
  ["autocast", (run) => torch.autocast("cpu", run)],
  ["cached", (run) => nn.utils.parametrize.cached(run)],
])("%s refuses an asynchronous function, at once and in an export", (name, call) => {
  const refused = expect.objectContaining({
    code: "TORCH_ARGUMENT",
    message: expect.stringContaining(`${name}: the function is asynchronous`) as string,
  });
  const throws = async (): Promise<void> => {
    await Promise.resolve();
    throw new Error("late");
  };
  expect(() => call(throws)).toThrow(refused);
  expect(() => exportProgram((x: Tensor) => [call(async () => x.sin()), x][1], [torch.ones(2)])).toThrow(
    refused,
  );
  expect(torch.ones(2, 2).matmul(torch.ones(2, 2)).dtype).toBe("float32");
});
