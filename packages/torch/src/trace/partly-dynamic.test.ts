import { inspect } from "node:util";
import { Dim, exportProgram } from "@sconce/capture";
import { SconceError } from "@sconce/errors";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { sym } from "../functions/sym.js";
import { torch } from "../functions/torch.js";
import * as nn from "../nn/index.js";
import type { Size } from "./sym-int.js";

const zeros = (...sizes: number[]): Tensor => Tensor.empty(sizes, "float32");

/** What a model reads of its input, of which dimension 0 is dynamic. */
function reads<T>(read: (x: Tensor) => T, x = zeros(2, 3, 4)): T {
  let result: { value: T } | undefined;
  const model = (input: Tensor): Tensor => {
    result = { value: read(input) };
    return input.add(1);
  };
  exportProgram(model, [x], { dynamicShapes: [{ 0: Dim("batch") }] });
  return result!.value;
}

test("static entries of `shape` and `strides` are numbers beside dynamic ones", () => {
  expect(reads(({ shape }) => [shape.length, shape[1], shape[2], shape.at(-1), shape[3]])).toEqual([
    3,
    3,
    4,
    4,
    undefined,
  ]);
  expect(reads(({ strides }) => [strides.length, ...strides])).toEqual([3, 12, 4, 1]);
  expect(reads((x) => x.permute(1, 2, 0).strides[2])).toBe(12);
  expect(reads((x) => x.transpose(0, 2).shape.slice(0, 2))).toEqual([4, 3]);
  expect(inspect(reads(({ shape }) => shape))).toMatch(/^\[ s\d+, 3, 4 \]$/);
  expect(reads(({ shape }) => Object.isFrozen(shape))).toBe(true);
});

const code = (read: (x: Tensor) => unknown): unknown => {
  try {
    reads(read);
    return undefined;
  } catch (error) {
    return error instanceof SconceError ? [error.code, error.message, error.fix] : error;
  }
};

test("a dynamic entry throws, and the error names the call that reads it", () => {
  const [name, message, fix] = code((x) => x.shape[0]) as string[];
  expect(name).toBe("DYNAMIC_SHAPE");
  expect(message).toMatch(
    /^`shape\[0\]` of a tensor of sizes \[s\d+, 3, 4\] is read, which is s\d+, not a number$/,
  );
  expect(fix).toContain("`x.size(0)`");
  expect(code((x) => [...x.shape])).toEqual([name, message, fix]);
  // Destructuring iterates over all entries, also over those that are left out.
  expect(code(({ shape: [, width] }) => width)).toEqual([name, message, fix]);
  expect(code((x) => x.transpose(0, 2).contiguous().strides[1])).toEqual([
    name,
    expect.stringMatching(
      /^`strides\[1\]` of a tensor of sizes \[4, 3, s\d+\] is read, which is s\d+, not a number$/,
    ),
    expect.stringContaining("`x.stride(1)`"),
  ]);
});

test("the entries follow what an in-place operator makes of the tensor", () => {
  const model = (x: Tensor): Tensor => {
    const y = x.clone();
    y.unsqueeze_(0);
    return torch.zeros(y.shape.length, y.shape[0], y.shape[2]);
  };
  const program = exportProgram(model, [zeros(2, 3, 4)], { dynamicShapes: [{ 0: Dim("batch") }] });
  expect(String(program)).toContain("torch.ops.aten.zeros.default([4, 1, 3]");
});

class Attention extends nn.Module {
  readonly qkv: nn.Linear;
  readonly out: nn.Linear;

  constructor(
    width: number,
    readonly heads: number,
  ) {
    super();
    this.qkv = new nn.Linear(width, 3 * width);
    this.out = new nn.Linear(width, width);
  }

  override forward(x: Tensor): Tensor {
    const [batch, length] = x.size();
    const width = x.shape[2];
    const split = (part: Tensor): Tensor =>
      part.view(batch, length, this.heads, width / this.heads).transpose(1, 2);
    const [q, k, v] = this.qkv(x).chunk(3, -1);
    const scores = split(q)
      .matmul(split(k).transpose(-2, -1))
      .div(Math.sqrt(width / this.heads));
    const mixed = scores.softmax(-1).matmul(split(v));
    return this.out(mixed.transpose(1, 2).reshape(batch, length, width));
  }
}

test("an attention block reads the sizes that it knows", () => {
  const program = exportProgram(new Attention(8, 2), [zeros(2, 5, 8)], {
    dynamicShapes: [{ 0: Dim("batch"), 1: Dim("length") }],
  });
  const views = [...program.graph.nodes()].filter(({ target }) => target === "aten.view.default");
  expect(views.map(({ args }) => (args[1] as unknown[]).slice(2))).toEqual([
    [2, 4],
    [2, 4],
    [2, 4],
  ]);
});

test("`sym.isStatic` separates numbers from dynamic sizes", () => {
  expect(reads((x) => x.size().map(sym.isStatic))).toEqual([false, true, true]);
  const next = (n: Size): Size => (sym.isStatic(n) ? n + 1 : sym.add(n, 1));
  expect(reads((x) => next(x.size(1)))).toBe(4);
  expect(reads((x) => next(x.size(0))).toString()).toMatch(/^s\d+ \+ 1$/);
});
