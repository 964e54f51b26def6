import { codeText, type ExportedProgram, edit, ref } from "@sconce/ir";
import { runDecompositions } from "@sconce/passes";
import type { Tensor } from "@sconce/tensor";
import { Module, nn, torch } from "@sconce/torch";
import { describe, expect, test } from "vitest";
import { Dim } from "../dynamic/index.js";
import { exportProgram } from "../export/export-program.js";
import { GraphModule } from "./graph-module.js";

const { Buffer, Linear } = nn;

class Net extends Module {
  c = new Buffer(torch.zeros([2])) as Tensor;

  override forward(x: Tensor, y: Tensor): Tensor {
    x.add_(1);
    this.c = this.c.add(x);
    return x.mul(y).add(this.c);
  }
}

class Scaled extends Module {
  readonly fc = new Linear(2, 2);

  override forward(x: Tensor, { scale }: { scale: Tensor }): Tensor {
    return this.fc(x).mul(scale);
  }
}

const ones = (): Tensor => torch.ones([2]);
const exported = (): ExportedProgram => exportProgram(new Net(), [ones(), ones()]);
const bodyOf = ({ graph }: { readonly graph: ExportedProgram["graph"] }): string[] =>
  codeText(graph)
    .trim()
    .split("\n")
    .map((line) => line.trim().replace(/; {2}.*$/, ""));

// The texts are PyTorch 2.14's.
describe("the graph of a module", () => {
  test("reads and writes the state", () => {
    expect(bodyOf(runDecompositions(exported()).module())).toEqual([
      "def forward(self, x, y):",
      "c = self.c",
      "add = torch.ops.aten.add.Tensor(x, 1)",
      "add_1 = torch.ops.aten.add.Tensor(c, add)",
      "mul = torch.ops.aten.mul.Tensor(add, y)",
      "add_2 = torch.ops.aten.add.Tensor(mul, add_1)",
      "copy__default = torch.ops.aten.copy_.default(c, add_1)",
      "copy__default_1 = torch.ops.aten.copy_.default(x, add)",
      "return (add_2,)",
    ]);
  });

  test("is exported again, after it was changed [S-014, S-131]", () => {
    const module = exported().module();
    module.graph = edit(module.graph, (editor) => {
      const relu = editor.insertAfter("mul", {
        op: "call_function",
        target: "aten.relu.default",
        args: [ref("mul")],
      });
      editor.replaceAllUses("mul", relu, [relu.name]);
    });
    const again = exportProgram(module, [ones(), ones()]);
    expect(bodyOf(again)).toEqual([
      "def forward(self, b_c, x, y):",
      "add_ = torch.ops.aten.add_.Tensor(x, 1)",
      "add = torch.ops.aten.add.Tensor(b_c, add_)",
      "mul = torch.ops.aten.mul.Tensor(add_, y)",
      "relu = torch.ops.aten.relu.default(mul)",
      "add_1 = torch.ops.aten.add.Tensor(relu, add)",
      "copy_ = torch.ops.aten.copy_.default(b_c, add)",
      "return (add_1,)",
    ]);
    // Edits give a new node the metadata of its neighbor.
    expect(again.graph.node("relu").meta.torchFn).toEqual(["mul_1", "method_descriptor.mul"]);
    expect(again.graph.node("mul").meta.torchFn).toEqual(["mul_1", "method_descriptor.mul"]);
    expect(again.graph.node("mul").meta.stackTrace).toContain("in forward");
  });

  test("is part of a module that calls it", () => {
    class Outer extends Module {
      readonly m = exported().module();
      readonly l = new Linear(2, 2);

      override forward(x: Tensor, y: Tensor): Tensor {
        return this.l(this.m(x, y) as Tensor);
      }
    }
    const warnings: string[] = [];
    const outer = exportProgram(new Outer(), [ones(), ones()], { onWarning: (text) => warnings.push(text) });
    expect(warnings).toEqual([]);
    expect(bodyOf(outer).at(-2)).toBe("linear = torch.ops.aten.linear.default(add_1, p_l_weight, p_l_bias)");
    expect(outer.moduleCallGraph.map(({ fqn }) => fqn)).toEqual(["", "m", "m._guards_fn", "l"]);
    expect(outer.graph.node("add").meta.torchFn).toEqual(["add.Tensor_1", "OpOverload.add.Tensor"]);
    expect(outer.graph.node("add").meta.nnModuleStack).toEqual([["L__self__", "", "__main__.Outer"]]);
  });
});

describe("the module of a program", () => {
  test("is called as the model was, and keeps its buffers [S-129]", () => {
    const program = exported();
    const module = program.module();
    const model = new Net();
    for (let i = 0; i < 2; i++) {
      const [here, there] = [ones(), ones()];
      expect(String(module(here, ones()))).toBe(String(model(there, ones())));
      expect(String(here)).toBe(String(there));
    }
    expect(String(module.buffers()[0])).toBe("tensor([4., 4.])");
    expect(String(program.tensor("c"))).toBe("tensor([0., 0.])");
  });

  test("checks its inputs [S-010, S-130]", () => {
    const x = torch.ones([3, 2]);
    const scale = torch.tensor(2);
    const batch = Dim("batch", { max: 4 });
    const program = exportProgram(new Scaled(), [x], {
      kwargs: { scale },
      dynamicShapes: { x: { 0: batch }, scale: null },
    });
    const module = program.module();
    const unguarded = program.module({ checkGuards: false });
    expect((module(torch.ones([4, 2]), { scale }) as Tensor).shape).toEqual([4, 2]);
    const failure = (call: GraphModule, ...args: readonly unknown[]): string => {
      try {
        call(...args);
      } catch (error) {
        return (error as Error).message.split("\n")[0]!;
      }
      return "none";
    };
    expect(failure(module, torch.ones([5, 2]), { scale })).toBe("Guard failed: x.size()[0] <= 4");
    expect(failure(module, torch.ones([2, 3]), { scale })).toBe("Guard failed: x.size()[1] == 2");
    expect(failure(module, x)).toContain("Got the following keywords [] but expected ['scale']");
    expect(failure(unguarded, torch.ones([2, 3]), { scale })).toContain(
      "Expected input at *args[0].shape[1] to be equal to 2, but got 3",
    );
    const names = (call: GraphModule): string[] => call.namedModules().map(([path]) => path);
    expect(names(module)).toEqual(["", "fc", "_guards_fn"]);
    expect(names(unguarded)).toEqual(["", "fc"]);
  });

  test("loads values without changing the program", () => {
    const program = exportProgram(new Scaled(), [torch.ones([1, 2])], { kwargs: { scale: torch.tensor(1) } });
    const before = String(program.tensor("fc.bias"));
    const module = program.module();
    module.loadStateDict({ "fc.weight": torch.ones([2, 2]), "fc.bias": torch.ones([2]) });
    expect(String(module(torch.ones([1, 2]), { scale: torch.tensor(1) }))).toBe("tensor([[3., 3.]])");
    expect(String(program.tensor("fc.bias"))).toBe(before);
  });

  test.each(["train", "eval"] as const)("refuses %s()", (method) => {
    expect(() => exported().module()[method]()).toThrow(`Calling ${method}() is not supported yet`);
  });
});

test("a program is called directly, with one state [S-129, T-12]", () => {
  const program = exported();
  program.call(ones(), ones());
  expect(String(program.call(ones(), ones()))).toBe("tensor([6., 6.])");
  expect(program.module()).toBeInstanceOf(GraphModule);
});
