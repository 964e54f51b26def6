import type { Tensor } from "@sconce/tensor";
import { nn, torch } from "@sconce/torch";
import { expect, test } from "vitest";
import { Dim } from "../dynamic/index.js";
import { exportProgram } from "./export-program.js";

const matrix = (): Tensor => torch.zeros(3, 5);

test.each([
  ["cov", (x: Tensor) => torch.cov(x)],
  ["corrcoef", (x: Tensor) => torch.corrcoef(x)],
  ["lstsq", (x: Tensor) => torch.linalg.lstsq(x, x)[0]],
  ["oneHot without classes", (x: Tensor) => nn.functional.oneHot(x.long())],
])("%s is refused, as PyTorch refuses it", (_, call) => {
  expect(() => exportProgram(call, [matrix()])).toThrow(expect.objectContaining({ code: "TRACED_VALUES" }));
});

test("oneHot with classes is exported", () => {
  const program = exportProgram((x: Tensor) => nn.functional.oneHot(x.long(), 4), [matrix()]);
  expect(String(program)).toContain("one_hot.default(to, 4)");
});

test("geqrf needs static sizes", () => {
  const call = (x: Tensor) => torch.geqrf(x)[0];
  expect(String(exportProgram(call, [matrix()]))).toContain("geqrf");
  expect(() => exportProgram(call, [matrix()], { dynamicShapes: { x: [Dim("n"), null] } })).toThrow(
    expect.objectContaining({ code: "NO_FAKE" }),
  );
});
