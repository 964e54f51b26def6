import { symbol } from "@sconce/symbolic";
import { expect, test } from "vitest";
import { FakeTensor } from "./meta.js";

test("the text of a fake tensor is its dtype and sizes", () => {
  const fake = new FakeTensor({ dtype: "float32", shape: [2, symbol("s77")], strides: [symbol("s77"), 1] });
  expect(`${fake}`).toBe("float32[2, s77]");
});
