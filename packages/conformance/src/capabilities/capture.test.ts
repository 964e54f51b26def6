/** @file Capabilities of capture: what can be exported, and what an export gives. */
import { exportProgram, nn, torch } from "@sconce/capture";
import { codeText, graphText } from "@sconce/ir";
import { verify } from "@sconce/ir/verify";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { exported, exportedAndRun, sconce } from "./corpus.fixture.js";

const floats = (values: readonly (number | readonly number[])[]): Tensor =>
  Tensor.from(values, { dtype: "float32" });

class Scale extends nn.Module {
  readonly factor = new nn.Parameter(floats([1, 2, 3, 4]));

  override forward(x: Tensor): Tensor {
    return x.mul(this.factor).relu();
  }

  shifted(x: Tensor): Tensor {
    return x.add(this.factor);
  }
}

const x = floats([[1, -2, 3, -4]]);
const options = { checkSource: false };

describe("what can be exported", () => {
  test("a module, a function and a bound method [S-001, T-13]", () => {
    const model = new Scale();
    const bound = model.shifted.bind(model);
    expect(codeText(exportProgram(model, [x]).graph)).toContain("def forward(self, p_factor, x):");
    expect(codeText(exportProgram((y: Tensor) => y.sin(), [x]).graph)).toContain("aten.sin.default(y)");
    const { graph, constants } = exportProgram(bound, [x], options);
    expect(graph.node("add").args.map(String)).toHaveLength(2);
    expect([...constants.values()].map((value) => value.toArray())).toEqual([[1, 2, 3, 4]]);
  });

  test("nothing else, and arguments are an array [T-03]", () => {
    const refused = (target: unknown, args: unknown): unknown => {
      try {
        return exportProgram(target as never, args as never);
      } catch (error) {
        return [(error as { code: string }).code, (error as { fix: string }).fix];
      }
    };
    expect(refused({}, [x])).toEqual(["EXPORT_ARGUMENTS", "pass an `nn.Module` or a function of tensors"]);
    expect(refused(new Scale(), x)).toEqual([
      "EXPORT_ARGUMENTS",
      "give the example arguments as an array: `exportProgram(model, [x])`",
    ]);
  });
});

test("a branch on the values of a tensor is refused, and the fix names cond [S-056]", () => {
  const branch = (y: Tensor): Tensor => {
    if (y.sum().gt(0)) return y.sin();
    return y.cos();
  };
  expect(() => exportProgram(branch, [x])).toThrow(
    expect.objectContaining({
      code: "SOURCE_CHECK",
      fix: expect.stringContaining("`torch.where(y.sum().gt(0), a, b)` or `torch.cond(y.sum().gt(0), ...)`"),
    }),
  );
});

describe("what an export gives", () => {
  test("a program that computes what the model computes, on other inputs [S-002]", async () => {
    const model = new Scale();
    const module = await sconce.module(exportProgram(model, [x]));
    for (const values of [
      [5, 6, 7, 8],
      [0, -1, Number.NaN, Number.POSITIVE_INFINITY],
    ]) {
      const other = floats([values]);
      const result = (await module.call([other])) as Tensor;
      expect(result.toArray()).toEqual(model(other).toArray());
    }
  });

  test("the conditions that the traced path met, checked by every call [S-003, S-010]", async () => {
    const { program } = await exportedAndRun("pm_shape_guard_auto");
    expect(program.guardsCode).toEqual(["L['x'].size()[0] > 5"]);
    const module = await sconce.module(program);
    await expect(module.call([torch.ones(5, 2)])).rejects.toMatchObject({
      code: "GUARD_FAILED",
      message: "Guard failed: x.size()[0] >= 6",
    });
  });

  test("host code with side effects runs as it is [S-004]", async () => {
    await exportedAndRun("api_context_manager");
  });

  test("the operators of branches and loops over static values [S-052]", async () => {
    await exportedAndRun("pm_static_control_flow");
  });

  test("the calling convention, keyword arguments too [S-009]", async () => {
    await exportedAndRun("api_conv_relu_pool");
    await exportedAndRun("tree_keyword_order");
  });

  test("one flat graph without calls of modules [S-012, S-059]", async () => {
    const { program } = await exported("net_unet");
    expect(new Set([...program.graph.nodes()].map(({ op }) => op))).toEqual(
      new Set(["placeholder", "call_function", "output"]),
    );
    expect(verify(program)).toEqual([]);
  });

  test("the same graph for other data [S-016]", () => {
    const model = new Scale();
    const texts = [x, torch.zeros(1, 4)].map((input) => graphText(exportProgram(model, [input]).graph));
    expect(texts[1]).toBe(texts[0]);
  });

  test("names of nodes by PyTorch's rule [T-06]", async () => {
    const { program } = await exported("api_custom_module");
    expect([...program.graph.nodes()].map(({ name }) => name)).toContain("add_");
    await exported("text_names");
  });

  test("an export is not strict [T-01]", () => {
    let calls = 0;
    const counting = (y: Tensor): Tensor => {
      calls++;
      return y.neg();
    };
    exportProgram(counting, [x], { ...options, strict: false });
    expect(calls).toBe(1);
    expect(() => exportProgram(counting, [x], { strict: true })).toThrow(
      expect.objectContaining({ code: "STRICT_MODE", message: expect.stringContaining("outer-write") }),
    );
  });
});
