import type { Tensor } from "@sconce/tensor";
import { Module, nn, torch } from "@sconce/torch";
import { expect, test } from "vitest";
import { exportProgram } from "./export-program.js";

const { Buffer } = nn;

const table = torch.tensor([1, 2]);

class Inner extends Module {
  override forward(x: Tensor): Tensor {
    torch.tensor([5, 6]);
    const y = x.clone();
    y.setAt(0, 3);
    return x
      .mul(y)
      .add(torch.tensor([1, 2]))
      .mul(table);
  }
}

class Net extends Module {
  readonly a = new Inner();
  readonly b = this.a;

  override forward(x: Tensor): Tensor {
    return this.b(this.a(x)).add(torch.tensor(2));
  }
}

// The names are PyTorch 2.14's.
test("constants have the path of the module that uses them first", () => {
  const program = exportProgram(new Net(), [torch.ones(2)]);
  expect([...program.constants.keys()]).toEqual([
    "a.lifted_tensor_0",
    "a.lifted_tensor_1",
    "a.lifted_tensor_2",
    "b.lifted_tensor_3",
    "b.lifted_tensor_4",
    "lifted_tensor_5",
  ]);
  expect(program.graph.node("c_a_lifted_tensor_0").op).toBe("placeholder");
  const again = exportProgram(program.module(), [torch.ones(2)]);
  expect([...again.constants.keys()]).toEqual([...program.constants.keys()]);
});

test("a module has one path in strict mode", () => {
  class Once extends Module {
    override forward(x: Tensor): Tensor {
      return x.add(torch.tensor([1, 2]));
    }
  }
  class Twice extends Module {
    readonly a = new Once();
    readonly b = this.a;

    override forward(x: Tensor): Tensor {
      return this.b(this.a(x)).add(torch.tensor(2));
    }
  }
  const program = exportProgram(new Twice(), [torch.ones(2)], { strict: true });
  expect([...program.constants.keys()]).toEqual([
    "a.lifted_tensor_0",
    "a.lifted_tensor_1",
    "lifted_tensor_2",
  ]);
});

test("a constant does not take the name of other state", () => {
  class Named extends Module {
    readonly lifted_tensor_0 = new Buffer(torch.ones(2));

    override forward(x: Tensor): Tensor {
      return x.add(this.lifted_tensor_0).add(torch.tensor([1, 2]));
    }
  }
  const program = exportProgram(new Named(), [torch.ones(2)]);
  expect([...program.constants.keys()]).toEqual(["lifted_tensor_1"]);
});
