import { exportProgram, nn, torch } from "@sconce/capture";
import { expect, test } from "vitest";

test.each([false, true])("an export refuses a lazy layer without parameters, strict: %s", (strict) => {
  const model = new nn.Sequential(new nn.LazyLinear(2));
  expect(() => exportProgram(model, [torch.ones(1, 3)], { strict })).toThrow(
    expect.objectContaining({
      code: "LAYER_ARGUMENTS",
      fix: expect.stringContaining("dummy batch") as string,
    }),
  );
});
