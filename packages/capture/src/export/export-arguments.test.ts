import { isSconceError } from "@sconce/errors";
import type { Tensor } from "@sconce/tensor";
import { Module, torch } from "@sconce/torch";
import { describe, expect, test } from "vitest";
import { type Exportable, exportProgram } from "./export-program.js";

const x = torch.ones([2]);

class Net extends Module {
  override forward(y: Tensor): Tensor {
    return y.relu();
  }
}

function problem(target: unknown, args: unknown, kwargs?: unknown): string {
  try {
    exportProgram(target as Exportable, args as unknown[], { kwargs: kwargs as Record<string, unknown> });
  } catch (error) {
    if (isSconceError(error)) return `${error.code}: ${error.message}. ${error.fix}`;
    throw error;
  }
  return "exported";
}

describe("arguments that cannot be used", () => {
  test.each<[string, unknown, unknown, unknown, RegExp]>([
    ["a class", Net, [x], undefined, /got the class Net\. pass an instance: `exportProgram\(new Net/],
    ["a tensor as arguments", new Net(), x, undefined, /Expecting `args` to be an array/],
    ["a list of keywords", new Net(), [x], [x], /Expecting `kwargs` to be an object/],
    ["a tensor as keywords", new Net(), [x], x, /Expecting `kwargs` to be an object/],
    ["keywords of a model that takes none", new Net(), [x], { z: x }, /has 1 parameter, and takes no/],
    ["a positional parameter", (y: Tensor, z: Tensor) => y.add(z), [x], { z: x }, /give z in `args`/],
  ])("%s", (_, target, args, kwargs, expected) => {
    expect(problem(target, args, kwargs)).toMatch(expected);
  });

  test("an asynchronous model", () => {
    const model = async (y: Tensor): Promise<Tensor> => y.relu();
    expect(problem(model, [x])).toMatch(/^UNSUPPORTED_OUTPUT: .*make `forward` .* synchronous/);
  });
});

test("keywords arrive in the pattern that takes them, behind parameters that are left out", () => {
  const model = (y: Tensor, bias?: Tensor, { scale = 1 }: { scale?: number } = {}): Tensor =>
    (bias === undefined ? y : y.add(bias)).mul(scale);
  const program = exportProgram(model, [x], { kwargs: { scale: 3 } });
  const calls = [...program.graph.nodes()].filter(({ op }) => op === "call_function");
  expect(calls.map(({ target, args }) => [target, args[1]])).toEqual([["aten.mul.Tensor", 3]]);
});

test("an export inside of a model is not followed", () => {
  const model = (y: Tensor): Tensor =>
    y.add(exportProgram((z: Tensor) => z.relu(), [torch.ones([1])]).graph.size);
  expect(problem(model, [x])).toBe("exported");
});
