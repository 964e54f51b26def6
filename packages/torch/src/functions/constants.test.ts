import { exportProgram } from "@sconce/capture";
import { float } from "@sconce/ir";
import { Tensor } from "@sconce/tensor";
import { describe, expect, it } from "vitest";
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

describe("numbers that no int64 holds", () => {
  const argument = (value: number | bigint) => {
    const program = exportProgram(((x: Tensor) => x.mul(value)) as never, [x]);
    return program.graph.nodes().find(({ name }) => name === "mul")!.args[1];
  };

  it("are floats, as `torch.tensor` takes them", () => {
    for (const value of [1e30, -1e30, 2 ** 63]) expect(argument(value)).toEqual(float(value));
    expect([argument(2 ** 60), argument(-(2 ** 63))]).toEqual([2 ** 60, -(2 ** 63)]);
    expect(torch.full([1], 1e30).dtype).toBe("float32");
  });

  it("are rejected as bigints", () => {
    for (const value of [2n ** 64n, -(2n ** 63n) - 1n]) expect(() => argument(value)).toThrow(INVALID);
    expect(argument(2n ** 63n)).toBe(2n ** 63n);
  });
});

describe("functions with Python signatures", () => {
  it("reject an argument that is given twice", () => {
    expect(() => torch.norm(x, 2, { p: 3 })).toThrow(INVALID);
  });
});
