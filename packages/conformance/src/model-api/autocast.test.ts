import { createEvaluator } from "@sconce/backend-cpu";
import { cond, exportProgram, torch } from "@sconce/capture";
import type { ExportedProgram } from "@sconce/ir";
import { createSconce } from "@sconce/session";
import type { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { sampled } from "../../../../.config/sampled.js";
import { outputsOf } from "../twin-spec.fixture.js";
import { AUTOCAST } from "./autocast.fixture.js";

const sconce = createSconce();

const targetsOf = ({ graph }: ExportedProgram): string[] => [...graph.nodes()].map(({ target }) => target);

describe("torch.autocast", () => {
  test.each(sampled(Object.entries(AUTOCAST), 2))(
    "%s is exported again, saved and loaded",
    async (_, make) => {
      const { model, args, options } = make();
      const program = exportProgram(model, [...args], options);
      const targets = targetsOf(program);
      if (options?.strict !== true) {
        const { dynamicShapes } = options ?? {};
        const again = exportProgram(program.module(), [...args], dynamicShapes ? { dynamicShapes } : {});
        expect(targetsOf(again)).toEqual(targets);
      }
      const loaded = await sconce.load(await sconce.save(program));
      expect(targetsOf(loaded)).toEqual(targets);
      expect(outputsOf({ model: loaded.module(), args })).toEqual(outputsOf(make()));
    },
  );

  test("casts what runs at once", () => {
    const x = torch.ones(2, 2);
    const inside = (): Tensor => x.matmul(x);
    expect(torch.autocast("cpu", inside).dtype).toBe("bfloat16");
    expect(torch.autocast("cpu", { dtype: torch.float16 }, inside).dtype).toBe("float16");
    expect(torch.autocast("cuda", inside).dtype).toBe("float32");
    expect(torch.autocast("cpu", () => torch.autocast("cpu", { enabled: false }, inside)).dtype).toBe(
      "float32",
    );
    expect(inside().dtype).toBe("float32");
  });

  test("refuses control flow inside of a region, and what is not a region", () => {
    const x = torch.ones(2, 2);
    const model = (x: Tensor): Tensor =>
      torch.autocast("cpu", () =>
        cond(
          x.sum().gt(0),
          (x: Tensor) => x.sin(),
          (x: Tensor) => x.cos(),
          [x],
        ),
      );
    expect(() => exportProgram(model, [x])).toThrow(
      expect.objectContaining({
        code: "TORCH_ARGUMENT",
        message: expect.stringContaining("torch.cond") as string,
      }),
    );
    expect(() => torch.autocast("cpu", { dtype: "half" as never }, () => x)).toThrow(
      expect.objectContaining({ code: "TORCH_ARGUMENT" }),
    );
    expect(() => torch.autocast("mps" as never, () => x)).toThrow(
      expect.objectContaining({ code: "TORCH_ARGUMENT" }),
    );
  });
});

test("an evaluator casts in the region that it is given", () => {
  const evaluate = createEvaluator();
  const x = torch.ones(2, 2);
  expect(evaluate("aten.mm.default", [x, x], {}, "bfloat16")).toMatchObject({ dtype: "bfloat16" });
  expect(evaluate("aten.mm.default", [x, x])).toMatchObject({ dtype: "float32" });
});
