import { exportProgram } from "@sconce/capture";
import type { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { torch } from "../functions/torch.js";
import { Module } from "../nn/module.js";
import { moduleOf } from "../nn/module-of.js";
import { Buffer } from "../nn/tensors.js";

const targets = (program: ReturnType<typeof exportProgram>): string[] =>
  [...program.graph.nodes()].map(({ target }) => target).filter((target) => target.startsWith("aten."));
const scalar = (value: number): Tensor => torch.tensor(value);
const shown = (values: unknown): string[] => (values as Tensor[]).map((value) => value.toString());

test("reads of two tensors of one layout are two numbers, also after one was read twice", async () => {
  const program = exportProgram(
    (x: Tensor, y: Tensor) => {
      const [a, b, c] = [x.item(), x.item(), y.item()];
      return [torch.full([3], a), torch.full([3], b), torch.full([3], c)];
    },
    [scalar(1), scalar(2)],
  );
  expect(targets(program).filter((target) => target.startsWith("aten.item"))).toHaveLength(2);
  expect(shown(await program.call(scalar(3), scalar(5)))).toEqual([
    "tensor([3, 3, 3])",
    "tensor([3, 3, 3])",
    "tensor([5, 5, 5])",
  ]);
});

test("a read after a write gives another number, through a view too", async () => {
  const program = exportProgram(
    (x: Tensor, y: Tensor) => {
      const x1 = x.clone();
      const [a, other] = [x1.item(), y.item()];
      x1.view(1).add_(1);
      return [
        torch.full([2], a),
        torch.full([2], x1.item()),
        torch.full([2], other),
        torch.full([2], y.item()),
      ];
    },
    [scalar(1), scalar(2)],
  );
  // What is not written to keeps its number.
  expect(targets(program).filter((target) => target.startsWith("aten.item"))).toHaveLength(3);
  expect(shown(await program.call(scalar(3), scalar(7)))).toEqual([
    "tensor([3, 3])",
    "tensor([4, 4])",
    "tensor([7, 7])",
    "tensor([7, 7])",
  ]);
});

test("a constant that was written to has its new shape", async () => {
  const constant = torch.tensor(1);
  const program = exportProgram(
    (x: Tensor) => {
      constant.unsqueeze_(0);
      return x.add(constant);
    },
    [torch.ones([])],
  );
  expect([...program.graph.nodes()].at(-2)?.meta.val).toMatchObject({ shape: [1] });
});

test("a write to what dropout returns does not reach the program's buffer", async () => {
  class Net extends Module {
    readonly b = new Buffer(torch.ones(2));

    override forward(x: Tensor): Tensor {
      torch.dropout(this.b, 0.5, false).add_(1);
      return x.add(this.b);
    }
  }
  const model = new Net().eval();
  const program = exportProgram(model, [torch.zeros(2)]);
  await program.call(torch.zeros(2));
  await program.call(torch.zeros(2));
  expect(String(program.stateDict.get("b"))).toBe("tensor([1., 1.])");
  expect(String(model.b)).toContain("[1., 1.]");
});

test("buffers that exchange their tensors are refused, and copies are not", () => {
  class Net extends Module {
    declare cur: Tensor;
    declare prev: Tensor;

    constructor(readonly copies: boolean) {
      super();
      this.registerBuffer("cur", torch.ones(2));
      this.registerBuffer("prev", torch.zeros(2));
    }

    override forward(x: Tensor): Tensor {
      const old = this.cur;
      this.cur = x.mul(1);
      const result = x.sub(this.prev);
      this.prev = this.copies ? old.clone() : old;
      return result;
    }
  }
  const code = (copies: boolean): unknown => {
    try {
      return targets(exportProgram(new Net(copies), [torch.ones(2)]));
    } catch (error) {
      return (error as { code: string }).code;
    }
  };
  expect(code(false)).toBe("ASSIGNED_BUFFER");
  expect(code(true)).toEqual([
    "aten.mul.Tensor",
    "aten.sub.Tensor",
    "aten.clone.default",
    "aten.copy_.default",
    "aten.copy_.default",
  ]);
});

test("moduleOf refuses what is not a function", () => {
  expect(() => moduleOf(3)).toThrow(expect.objectContaining({ code: "LAYER_ARGUMENTS" }));
});
