import { SconceError } from "@sconce/errors";
import { expect, test } from "vitest";
import { manualSeed } from "../trace/eager.js";
import * as nn from "./index.js";

const thrown = (run: () => unknown): SconceError => {
  try {
    run();
  } catch (error) {
    if (error instanceof SconceError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
};

test("containers of modules refuse what is not a module", () => {
  const linear = new nn.Linear(2, 2);
  const sequential = thrown(() => new nn.Sequential(linear, nn.functional.relu as never));
  expect(sequential.message).toMatch(/is not a Module subclass$/);
  expect(sequential.fix).toMatch(/`new nn.ReLU\(\)`/);
  expect(thrown(() => new nn.ModuleList([3 as never])).code).toBe("LAYER_ARGUMENTS");
  expect(thrown(() => new nn.ModuleDict({ a: null as never, b: "c" as never })).where).toBe("ModuleDict");
  expect(thrown(() => new nn.ModuleList(linear as never)).fix).toMatch(/array/);
});

test("a seed is an integer", () => {
  expect(thrown(() => manualSeed("1" as never)).message).toBe('manualSeed: the string "1" is not an integer');
  expect(thrown(() => manualSeed(1.5)).code).toBe("TORCH_ARGUMENT");
  expect(() => manualSeed(-1n)).not.toThrow();
});

test("layers say which of their sizes is missing or wrong", () => {
  type Layer = new (...args: unknown[]) => unknown;
  const [Linear, Conv2d, Embedding] = [nn.Linear, nn.Conv2d, nn.Embedding] as unknown as [
    Layer,
    Layer,
    Layer,
  ];
  expect(thrown(() => new Linear(3)).message).toBe("Linear needs outFeatures, which is not given");
  expect(thrown(() => new Linear("3", 2)).message).toBe(
    'inFeatures of Linear must be a whole number from 0 on, got the string "3"',
  );
  expect(thrown(() => new Conv2d(3, 8)).message).toBe("Conv2d needs kernelSize, which is not given");
  expect(thrown(() => new Conv2d(3, 8, [3, 1.5])).message).toMatch(/^kernelSize of Conv2d .* got 1.5$/);
  expect(thrown(() => new Embedding(-1, 8)).where).toBe("Embedding");
});
