import { distributions, exportProgram, torch } from "@sconce/capture";
import type { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";

test("an export that checks arguments is refused, as PyTorch's is", () => {
  const model = (x: Tensor): Tensor => new distributions.Normal(x, x.exp()).rsample();
  expect(() => exportProgram(model, [torch.ones(2)])).toThrow(
    expect.objectContaining({
      code: "TRACED_VALUES",
      fix: expect.stringContaining("validateArgs: false") as string,
    }),
  );
  expect(String(exportProgram(model, [torch.ones(2)], { strict: true }))).toContain("aten.normal_");
});
