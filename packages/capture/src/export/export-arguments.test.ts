import { isSconceError } from "@sconce/errors";
import type { Tensor } from "@sconce/tensor";
import { Module, nn, torch } from "@sconce/torch";
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
    [
      "a misspelled keyword",
      (y: Tensor, { scale = 1 } = {}) => y.mul(scale),
      [x],
      { scal: 3 },
      /unexpected keyword argument 'scal'; the model takes scale\. did you mean "scale"\?/,
    ],
    [
      "too many arguments",
      (y: Tensor) => y.relu(),
      [x, x],
      undefined,
      /too many positional arguments: got 2, and the model takes 1 \(y\)/,
    ],
    ["too many arguments of a module", new Net(), [x, x], undefined, /too many positional arguments/],
    [
      "too many arguments of a layer",
      new nn.ReLU(),
      [x, x],
      undefined,
      /too many positional arguments: got 2.* takes 1/,
    ],
    [
      "too many arguments of a pattern",
      (y: Tensor, { scale = 1 } = {}) => y.mul(scale),
      [x, {}, x],
      undefined,
      /takes 2 \(y, \{ scale \}\)/,
    ],
  ])("%s", (_, target, args, kwargs, expected) => {
    expect(problem(target, args, kwargs)).toMatch(expected);
  });

  test("an asynchronous model", () => {
    const model = async (y: Tensor): Promise<Tensor> => y.relu();
    expect(problem(model, [x])).toMatch(/^UNSUPPORTED_OUTPUT: .*make `forward` .* synchronous/);
  });
});

test("nested arrays in the place of a tensor", () => {
  expect(problem((y: Tensor) => y.add(1), [[[1, 2, 3]]])).toMatch(
    /^UNSUPPORTED_INPUT: y\.add is not a function; args\[0\] is nested arrays.*Tensor\.from\(arrays\)/,
  );
  expect(problem(new nn.Linear(3, 2), [[[1, 2, 3]]])).toMatch(/make a tensor of the nested arrays/);
  const named = (y: Tensor, { z }: { z: Tensor }): Tensor => y.add(z.mul(2));
  expect(problem(named, [x], { z: [1] })).toMatch(/^UNSUPPORTED_INPUT: .*; z is nested arrays/);
  const other = (y: readonly number[]): Tensor => x.add(y[0]!).add(y[1]!);
  expect(problem(other, [[1, 2]])).toBe("exported");
});

test("arguments that the source does not name are passed on", () => {
  const rest = (y: Tensor, { scale = 1, ...others }: { scale?: number; z?: Tensor } = {}): Tensor =>
    y.mul(scale).add(others.z!);
  expect(problem(rest, [x], { scale: 2, z: x })).toBe("exported");
  const all = (...ys: Tensor[]): Tensor => ys[0]!.add(ys[1]!);
  expect(problem(all, [x, x.clone()])).toBe("exported");
  function older(y: Tensor): Tensor {
    // biome-ignore lint/complexity/noArguments: what older targets compile a rest to
    return y.add(arguments[1] as Tensor);
  }
  expect(problem(older, [x, x.clone()])).toBe("exported");
  const key = "scale";
  expect(problem((y: Tensor, { [key]: scale = 1 } = {}) => y.mul(scale), [x], { scale: 2 })).toBe("exported");
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
