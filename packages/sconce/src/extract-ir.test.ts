import { expect, test } from "vitest";
import { exportProgram, jsonIR, nn, Tensor, torch } from "./index.js";

class Scaled extends nn.Module {
  readonly scale = new nn.Parameter(torch.ones(2));

  override forward(x: Tensor): Tensor {
    return x.mul(this.scale);
  }
}

const x = Tensor.from([1, 2], { dtype: "float32" });

test("a model, its program and a function give the same graph, with their names [S-141]", () => {
  const model = new Scaled();
  const ir = jsonIR.extract(model, [x], { strict: false });
  expect([ir.modelName, [...ir.weightNameMapping]]).toEqual(["Scaled", [["p_scale", "scale"]]]);
  expect(jsonIR.text(jsonIR.extract(exportProgram(model, [x]), { modelName: "Scaled" }))).toBe(
    jsonIR.text(ir),
  );
  expect(jsonIR.extract(model, [x], { modelName: "other" }).modelName).toBe("other");
  const double = (input: Tensor): Tensor => input.mul(2);
  expect(jsonIR.extract(double, [x]).modelName).toBe("double");
  expect(jsonIR.extract(exportProgram(double, [x])).modelName).toBe("model");
});

test("unknown options and sources are refused", () => {
  expect(() => jsonIR.extract(new Scaled(), [x], { name: "a" } as never)).toThrow(/name/);
  expect(() => jsonIR.extract({} as never, [x])).toThrow(/a module or a function/);
});
