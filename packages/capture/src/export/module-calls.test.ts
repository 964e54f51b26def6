import { moduleCallRepr, pythonTuple } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import { Module, nn, Parameter, torch } from "@sconce/torch";
import { describe, expect, test } from "vitest";
import { Dim } from "../dynamic/index.js";
import { exportForTraining, exportProgram } from "./export-program.js";

const { Linear, ReLU } = nn;

class Inner extends Module {
  readonly fc = new Linear(4, 4);

  override forward(
    x: Tensor,
    n: number,
    d: { readonly v: Tensor },
  ): readonly [Tensor, readonly [Tensor, number]] {
    return pythonTuple(this.fc(x.add(d.v)).mul(n), pythonTuple(x.sum(), 3));
  }
}

class Net extends Module {
  readonly a = new Inner();
  readonly c = new Linear(4, 4);
  readonly d = new ReLU();
  readonly w = new Parameter(torch.ones([4]));

  override forward(x: Tensor): readonly Tensor[] {
    const t = x.split(1);
    const [y, [z]] = this.a(x, 5, { v: this.w });
    const u = y.split(1);
    const [w] = this.a(y, 5, { v: x });
    return pythonTuple(this.d(this.d(this.c(w))).add(z), t[0]!.add(u[1]!), this.d(x));
  }
}

const x = torch.ones([2, 4]);

// The texts are PyTorch 2.14's.
describe("preserveModuleCallSignature [S-011]", () => {
  test("keeps what calls take and give, and the names that PyTorch gives", () => {
    const program = exportProgram(new Net(), [x], { preserveModuleCallSignature: ["a"] });
    const specs =
      "in_spec=TreeSpec(tuple, None, [TreeSpec(tuple, None, [*,\n    *,\n    TreeSpec(dict, ['v'], [*])]),\n  TreeSpec(dict, [], [])]), out_spec=TreeSpec(tuple, None, [*,\n  TreeSpec(tuple, None, [*,\n    *])]), forward_arg_names=None";
    expect(program.moduleCallGraph.slice(1).map(moduleCallRepr)).toEqual([
      `ModuleCallEntry(fqn='a', signature=ModuleCallSignature(inputs=[TensorArgument(name='x'), ConstantArgument(name='', value=5), TensorArgument(name='p_w')], outputs=[TensorArgument(name='mul'), TensorArgument(name='sum_1'), ConstantArgument(name='', value=3)], ${specs}))`,
      "ModuleCallEntry(fqn='a.fc', signature=None)",
      "ModuleCallEntry(fqn='c', signature=None)",
      "ModuleCallEntry(fqn='d', signature=None)",
      `ModuleCallEntry(fqn='a@1', signature=ModuleCallSignature(inputs=[TensorArgument(name='mul'), ConstantArgument(name='', value=5), TensorArgument(name='x')], outputs=[TensorArgument(name='mul_1'), TensorArgument(name='sum_2'), ConstantArgument(name='', value=3)], ${specs}))`,
    ]);
    expect([...program.graph.nodes()].map(({ name }) => name).slice(6, -1)).toEqual(
      "split getitem getitem_1 add linear mul sum_1 split_1 getitem_8 getitem_9 add_1 linear_1 mul_1 sum_2 linear_2 relu relu_1 add_2 add_3 relu_2".split(
        " ",
      ),
    );
  });

  test("numbers further calls of each module", () => {
    const program = exportProgram(new Net(), [x], { preserveModuleCallSignature: ["c", "a.fc", "d"] });
    const calls = program.moduleCallGraph.flatMap(({ fqn, signature }) =>
      fqn === "" || signature === null
        ? []
        : [[fqn, ...[...signature.inputs, ...signature.outputs].map(({ name }) => name)].join(" ")],
    );
    expect(calls).toEqual([
      "a.fc add linear",
      "c mul_1 linear_2",
      "d linear_2 relu",
      "a.fc@1 add_1 linear_1",
      "d@1 relu relu_1",
      "d@2 x relu_2",
    ]);
  });

  class Sizes extends Module {
    readonly a = new (class extends Module {
      override forward(n: unknown): unknown {
        return n;
      }
    })();

    override forward(input: Tensor): Tensor {
      this.a(input.size(0));
      return input.neg();
    }
  }

  class Varied extends Module {
    readonly a = new (class extends Module {
      override forward(one: Tensor, _other?: Tensor): Tensor {
        return one.neg();
      }
    })();

    override forward(input: Tensor): Tensor {
      return this.a(this.a(input), input);
    }
  }

  test("refuses paths and values as PyTorch does", () => {
    const preserve = (...paths: readonly string[]) => ({ preserveModuleCallSignature: paths });
    expect(() => exportProgram(new Net(), [x], preserve("nope"))).toThrow(
      "'Net' object has no attribute 'nope'",
    );
    expect(() => exportProgram(new Net(), [x], preserve(""))).toThrow("'Net' object has no attribute ''");
    const dynamicShapes = [{ 0: Dim.AUTO }];
    expect(() => exportProgram(new Sizes(), [x], { ...preserve("a"), dynamicShapes })).toThrow(
      "Only Tensors or scalars are supported as pytree flattened inputs, got: ",
    );
    expect(() => exportProgram(new Varied(), [x], preserve("a"))).toThrow(
      "in_spec mismatch for a: TreeSpec(tuple, None, [TreeSpec(tuple, None, [*]),",
    );
  });
});

test("exportForTraining gives the same program [T-02]", () => {
  const net = new Net();
  expect(String(exportForTraining(net, [x]))).toBe(String(exportProgram(net, [x])));
});
