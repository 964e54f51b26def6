import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { Module } from "../nn/module.js";
import { torch } from "../torch/torch.js";
import { exportProgram } from "./export-program.js";

interface Options {
  readonly scale: number;

  readonly isCausal: boolean;
}

class Attention extends Module {
  readonly options: Options = { scale: 2, isCausal: true };

  override forward(x: Tensor, mask?: Tensor): Tensor {
    const scaled = this.options.isCausal ? torch.mul(x, this.options.scale) : x;
    return mask ? torch.add(scaled, mask) : scaled; // the wrong line
  }
}

class Net extends Module {
  readonly attention = new Attention();

  override forward(x: Tensor, mask?: Tensor): Tensor {
    return this.attention(x, mask);
  }
}

const x = torch.ones([2, 3]) as Tensor;
const file = fileURLToPath(import.meta.url);
const line =
  1 +
  readFileSync(file, "utf8")
    .split("\n")
    .findIndex((text) => text.includes("// the wrong line"));

test("a tensor that is used as a condition is refused, with the user's line", () => {
  expect(() => exportProgram(new Net(), [x, x])).toThrow(
    expect.objectContaining({
      code: "SOURCE_CHECK",
      where: `${file}:${line}`,
      message: expect.stringContaining(
        `${file}:${line}: \`mask\` is a tensor, and JavaScript takes every tensor for true`,
      ),
      fix: expect.stringContaining("compare it with undefined or null"),
    }),
  );
});

test("the same model without the tensor is right", () => {
  const { graph } = exportProgram(new Net(), [x]);
  expect([...graph.nodes()].map(({ name }) => name)).toEqual(["x", "mul", "output"]);
});

test("the check can be left out", () => {
  const { graph } = exportProgram(new Net(), [x, x], { checkSource: false });
  expect(graph.node("add").target).toBe("aten.add.Tensor");
});

/** A function of the module: the engine's inspector shows it. */
function masked(y: Tensor, mask?: Tensor): Tensor {
  return mask ? torch.add(y, mask) : y; // wrong in a function
}

test("functions that the model closes over are checked, too", () => {
  const text = readFileSync(file, "utf8").split("\n");
  const place = `${file}:${1 + text.findIndex((one) => one.includes("// wrong in a function"))}`;
  expect(() => exportProgram((y: Tensor) => masked(torch.relu(y), y), [x])).toThrow(
    expect.objectContaining({ code: "SOURCE_CHECK", where: place }),
  );
  expect(exportProgram((y: Tensor) => masked(torch.relu(y)), [x]).graph.size).toBe(3);
});

test("what the check cannot follow is handed out", () => {
  const isLarge = ((value: unknown): boolean => value === undefined).bind(null);
  const unchecked: string[] = [];
  exportProgram((y: Tensor) => (isLarge(y) ? y : torch.relu(y)), [x], {
    onUnchecked: ({ construct, code, message }) => unchecked.push(`${construct} ${code}: ${message}`),
  });
  expect(unchecked).toEqual(["?: isLarge(y): `bound ` has no source"]);
});
