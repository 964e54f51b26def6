import type { Tensor } from "@sconce/tensor";
import { Module, torch } from "@sconce/torch";
import { expect, test } from "vitest";
import { exportProgram } from "./export-program.js";

class Inner extends Module {
  kept: Tensor | undefined;

  constructor() {
    super();
    this.registerBuffer("count", torch.zeros([2]));
  }

  override forward(x: Tensor): Tensor {
    const self = this as unknown as { count: Tensor };
    self.count = self.count.add(1);
    this.kept = x.relu();
    return this.kept;
  }
}

class Net extends Module {
  readonly a = new Inner();
  readonly b = new Inner();

  override forward(x: Tensor): Tensor {
    return this.b(this.a(x));
  }
}

test("one warning names all tensors that are assigned without being buffers [S-104]", () => {
  const warnings: string[] = [];
  const net = new Net();
  exportProgram(net, [torch.ones([2])], { onWarning: (text) => warnings.push(text) });
  expect(warnings).toEqual([
    "The tensor attributes self.a.kept, self.b.kept were assigned during export. Such attributes must be registered as buffers using the `registerBuffer` API.",
  ]);
  expect(net.a.kept).toBeUndefined();
});
