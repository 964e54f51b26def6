import { expect, test } from "vitest";
import { nn, torch } from "../../index.js";

test("a lazy layer becomes one of its class with the first input", () => {
  const layer = new nn.LazyLinear(3);
  expect(String(layer)).toBe("LazyLinear(uninitialized)");
  expect([...layer.stateDict().keys()]).toEqual([]);
  expect(layer(torch.ones(2, 4)).shape).toEqual([2, 3]);
  expect(String(layer)).toBe("Linear(in_features=4, out_features=3, bias=True)");
  expect(layer).toBeInstanceOf(nn.Linear);
  expect([...layer.stateDict().keys()]).toEqual(["weight", "bias"]);
  expect(layer.weight.shape).toEqual([3, 4]);
});

test("hooks and the mode stay, and lazy layers stay in their places", () => {
  const model = new nn.Sequential(new nn.LazyConv2d(3, 1), new nn.ReLU(), new nn.LazyBatchNorm2d()).eval();
  let calls = 0;
  model[0]!.registerForwardHook(() => {
    calls += 1;
  });
  model(torch.ones(1, 2, 2, 2));
  model(torch.ones(1, 2, 2, 2));
  expect(calls).toBe(2);
  expect(model[2]!.training).toBe(false);
  expect([...model.stateDict().keys()].slice(0, 3)).toEqual(["0.weight", "0.bias", "2.weight"]);
});

test("inputs without channels are refused", () => {
  const refused = expect.objectContaining({ code: "LAYER_ARGUMENTS" });
  expect(() => new nn.LazyConv2d(3, 3)(torch.ones(4))).toThrow(refused);
  expect(() => new nn.LazyBatchNorm1d()(torch.ones(4))).toThrow(refused);
});
