import { evaluate } from "@sconce/backend-cpu";
import { ShapeEnv } from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import { describe, expect, it } from "vitest";
import { withTrace } from "../trace/dispatch.js";
import { torch } from "./torch.js";

describe("torch", () => {
  it("selects overloads as PyTorch's argument parser", () => {
    const targets: string[] = [];
    const call = (target: string, args: never, kwargs: never) => {
      targets.push(target);
      return evaluate(target, args, kwargs) as never;
    };
    const x = Tensor.from([[1, 2.5]]);
    const recorder = {
      env: new ShapeEnv(),
      call,
      arithmetic: () => undefined,
      freshConstant: (v: Tensor) => v,
      inFunction: <T>(_n: string, _k: string, run: () => T) => run(),
    };
    withTrace(recorder as never, () => {
      torch.add(x, 1);
      torch.pow(2, x);
      torch.max(x, 1);
      torch.max(x, x);
    });
    expect(targets).toEqual(["aten.add.Tensor", "aten.pow.Scalar", "aten.max.dim", "aten.max.other"]);
  });
});
