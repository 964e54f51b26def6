import { distributions as D, torch } from "@sconce/capture";
import { SconceError } from "@sconce/errors";
import type { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { fixtureJson } from "../fixtures.js";

const ERRORS = fixtureJson("capture/distribution-errors.json") as readonly (readonly [
  python: string,
  typescript: string,
  message: string,
])[];
const t = (values: Parameters<typeof torch.tensor>[0]): Tensor => torch.tensor(values, { dtype: "float32" });

test.each(ERRORS)("%s has PyTorch's error", (_, typescript, message) => {
  const run = new Function("D", "t", "nan", `return ${typescript}`);
  let got: unknown;
  try {
    run(D, t, Number.NaN);
  } catch (error) {
    got = error;
  }
  expect(got).toBeInstanceOf(SconceError);
  expect((got as SconceError).message).toBe(message);
});
