import { codeText } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { nn, torch } from "../index.js";
import { exportProgram } from "./export-program.js";

type Forward = (self: { w: Tensor; buf: Tensor; t: Tensor }, x: Tensor) => unknown;

class State extends nn.Module {
  readonly run: Forward;
  w: Tensor = new nn.Parameter(torch.ones(3));
  buf: Tensor = new nn.Buffer(torch.zeros(3));
  t: Tensor = torch.ones(3);

  constructor(run: Forward) {
    super();
    this.run = run;
  }

  override forward(x: Tensor): unknown {
    return this.run(this, x);
  }
}

const lines = (run: Forward): readonly string[] => {
  const program = exportProgram(new State(run), [torch.ones(3)], { onWarning: () => undefined });
  return codeText(program.graph)
    .split("\n")
    .map((line) => line.trim().replace(/;.*/, ""))
    .filter((line) => line !== "" && !line.startsWith("def"));
};

// The lines are those of `torch.export` for the same modules.
test("a parameter or a buffer that is made of a traced tensor is its detached alias", () => {
  const wanted = [
    "add = torch.ops.aten.add.Tensor(x, 1)",
    "detach = torch.ops.aten.detach.default(add)",
    "mul = torch.ops.aten.mul.Tensor(detach, 2)",
    "return (mul,)",
  ];
  expect(lines((_, x) => new nn.Parameter(x.add(1)).mul(2))).toEqual(wanted);
  expect(lines((_, x) => new nn.Buffer(x.add(1)).mul(2))).toEqual(wanted);
});

test("a new buffer in place of one is copied into it", () => {
  const run: Forward = (self, x) => {
    self.buf = new nn.Buffer(self.buf.add(x));
    return self.buf.mul(2);
  };
  expect(lines(run)).toEqual([
    "add = torch.ops.aten.add.Tensor(b_buf, x)",
    "detach = torch.ops.aten.detach.default(add)",
    "mul = torch.ops.aten.mul.Tensor(detach, 2)",
    "copy__default = torch.ops.aten.copy_.default(b_buf, detach)",
    "return (mul,)",
  ]);
});

test("a parameter takes a parameter, and nothing else", () => {
  const assign =
    (make: (tensor: Tensor) => Tensor): Forward =>
    (self, x) => {
      self.w = make(self.w.add(1));
      return x.add(self.w);
    };
  expect(lines(assign((tensor) => new nn.Parameter(tensor)))).toEqual([
    "add = torch.ops.aten.add.Tensor(p_w, 1)",
    "detach = torch.ops.aten.detach.default(add)",
    "add_1 = torch.ops.aten.add.Tensor(x, detach)",
    "return (add_1,)",
  ]);
  const message = "cannot assign a tensor as parameter 'w' (nn.Parameter or null expected)";
  const refused = { code: "ASSIGNED_PARAMETER", message };
  expect(() => lines(assign((tensor) => tensor))).toThrow(expect.objectContaining(refused));
});

test("a buffer is copied as it was assigned, a constant is what was written to it last", () => {
  const both: Forward = (self, x) => {
    self.buf = self.buf.add(x);
    self.buf.add_(1);
    return x;
  };
  expect(lines(both)).toEqual([
    "add = torch.ops.aten.add.Tensor(b_buf, x)",
    "add_ = torch.ops.aten.add_.Tensor(add, 1)",
    "copy__default = torch.ops.aten.copy_.default(b_buf, add)",
    "return (x,)",
  ]);
  const constant: Forward = (self, x) => {
    self.t.add_(x);
    return x.add(self.t);
  };
  expect(lines(constant)).toEqual([
    "add_ = torch.ops.aten.add_.Tensor(c_t, x)",
    "add = torch.ops.aten.add.Tensor(x, add_)",
    "return (add,)",
  ]);
});

test("a property that is a buffer takes tensors, by the types as well", () => {
  class Counter extends nn.Module {
    count = new nn.Buffer(torch.zeros(3));
    override forward(x: Tensor): Tensor {
      this.count = this.count.add(x);
      this.count = this.count.mul_(2);
      return this.count.add(1);
    }
  }
  const program = exportProgram(new Counter(), [torch.ones(3)]);
  expect(program.opHistogram().get("aten.copy_.default")).toBe(1);
  const model = new Counter();
  model(torch.ones(3));
  model(torch.ones(3));
  expect(model.stateDict().get("count")!.toArray()).toEqual([6, 6, 6]);
});
