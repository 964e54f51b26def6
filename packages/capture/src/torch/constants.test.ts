import { Tensor } from "@sconce/tensor";
import { describe, expect, it } from "vitest";
import { exportProgram } from "../export/export-program.js";
import { torch } from "./torch.js";

const INVALID = expect.objectContaining({ code: "TORCH_ARGUMENT" });
const x = Tensor.from([1.5, 2.5]);

describe("tensors of values", () => {
  it("rejects a name that is not a device", () => {
    expect(() => torch.asTensor(x, { device: "gpu" })).toThrow(INVALID);
    expect(() => torch.tensor([1.5], { device: "gpu" })).toThrow(INVALID);
  });

  it("rejects a constant on another device than the CPU in an export", () => {
    const program = (device: string) => () =>
      exportProgram(((x: Tensor) => x.add(torch.tensor([1.5], { device }))) as never, [x]);
    expect(program("cpu")).not.toThrow();
    expect(program("cuda")).toThrow(INVALID);
  });

  it("asks for gradients, of values and of tensors", () => {
    const options = { requiresGrad: true };
    expect(torch.tensor([1.5], options).requiresGrad).toBe(true);
    expect(torch.tensor(x, options).requiresGrad).toBe(true);
    expect(torch.asarray([1.5], options).requiresGrad).toBe(true);
  });
});

describe("functions with Python signatures", () => {
  it("reject an argument that is given twice", () => {
    expect(() => torch.norm(x, 2, { p: 3 })).toThrow(INVALID);
  });
});
