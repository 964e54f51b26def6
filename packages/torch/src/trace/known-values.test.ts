import { exportProgram } from "@sconce/capture";
import type { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { slice } from "../functions/indexing.js";
import { torch } from "../functions/torch.js";
import { Module } from "../nn/module.js";
import { Buffer } from "../nn/tensors.js";
import { callOperator } from "./dispatch.js";

type Program = ReturnType<typeof exportProgram>;
const calls = (program: Program): string[] =>
  [...program.graph.nodes()]
    .filter(({ op }) => op === "call_function")
    .map(({ target, args }) => `${target}(${args.filter((arg) => typeof arg !== "object").join(", ")})`);
const constants = (program: Program): string[] => [...program.constants.keys()];

// Calls, their numbers and the constants are PyTorch 2.14's.
test("numbers that are read from constants are part of the program", () => {
  class Net extends Module {
    readonly k = torch.tensor(2);
    readonly f = torch.tensor(1.5);

    override forward(x: Tensor): Tensor {
      return x.mul(this.k.item()).add(this.f.item());
    }
  }
  const program = exportProgram(new Net(), [torch.ones(3)]);
  expect(calls(program)).toEqual(["aten.mul.Tensor(2)", "aten.add.Tensor(1.5)"]);
  expect(constants(program)).toEqual([]);
});

test("what is computed of constants is known, and writes to them are followed", () => {
  const program = exportProgram(
    (x: Tensor) => {
      const n = torch.tensor(2);
      n.add_(1);
      n.view(1).mul_(2);
      return x.at(slice(n.item()));
    },
    [torch.ones(9)],
  );
  expect(calls(program)).toEqual([
    "aten.lift_fresh_copy.default()",
    "aten.detach_.default()",
    "aten.add_.Tensor(1)",
    "aten.view.default()",
    "aten.mul_.Tensor(2)",
    "aten.slice.Tensor(0, 0, 6)",
  ]);
});

test("a position in a tensor of the model selects", () => {
  const program = exportProgram((x: Tensor) => x.at(torch.tensor(1)), [torch.ones(3, 2)]);
  expect(calls(program)).toEqual(["aten.select.int(0, 1)"]);
});

test("buffers, inputs, larger constants and what a program writes stay unknown", () => {
  const shared = torch.tensor(2);
  class Net extends Module {
    readonly b = new Buffer(torch.tensor(2));

    override forward(x: Tensor, y: Tensor): Tensor {
      shared.view(1).add_(1);
      const written = torch.tensor(2);
      written.expand(1).copy_(y);
      const items = [this.b, y, torch.tensor([2, 3]).at(0), shared, written];
      return items.reduce((sum, item) => sum.add(item.item()), x);
    }
  }
  const program = exportProgram(new Net(), [torch.ones(3), torch.tensor(4)]);
  expect(calls(program).filter((call) => call.startsWith("aten.item"))).toHaveLength(5);
  expect(shared.toString()).toBe("tensor(2)");
});

test("a float without a fraction stays a float", () => {
  const program = exportProgram(
    (x: Tensor) => x.mul(torch.tensor([2]).sum().to("float32").item()).add(torch.full([], 3).item()),
    [torch.ones(3, { dtype: "int64" })],
  );
  expect(program.graph.node("mul").meta.val).toMatchObject({ dtype: "float32" });
  const eager = callOperator("aten.item.default", [torch.tensor(2).to("float32")]);
  expect(eager).toEqual({ kind: "float", value: 2 });
});
