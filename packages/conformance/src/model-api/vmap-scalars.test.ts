import { exportProgram, torch } from "@sconce/capture";
import { createSconce } from "@sconce/session";
import { loadBackend } from "@sconce/session/backends";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { areNear, CALLS, inputsOf, modelOf } from "./call-texts.fixture.js";

const sconce = createSconce({ backends: [await loadBackend("wasm", { threads: 1 })] });

/** Calls along a dimension of a number for each example. */
const SCALARS = CALLS.filter(
  ({ typescript, wanted }) => typescript.startsWith("vmap((r) => r.sum()") && "outputs" in wanted,
);

test("numbers for each example are computed as by PyTorch, eagerly and on wasm", async () => {
  expect(SCALARS.length).toBeGreaterThan(30);
  for (const call of SCALARS) {
    const outputs = "outputs" in call.wanted ? call.wanted.outputs : [];
    const [model, inputs] = [modelOf(call), inputsOf(call)];
    const module = await sconce.module(exportProgram(model, inputs, { checkSource: false }));
    const eager = (model as (...given: Tensor[]) => unknown)(...inputs);
    for (const results of [eager, await module.call(inputs)])
      expect([call.typescript, areNear(results, outputs)]).toEqual([call.typescript, true]);
  }
});

/** Whole numbers, whose sums are exact in any order. */
const whole = (): Tensor =>
  Tensor.from(
    Array.from({ length: 12 }, (_, i) => i - 5),
    [3, 4],
    "float32",
  );

// PyTorch's texts of these differ in the order of their nodes.
test.each([
  ["index_add", (x: Tensor) => x.sum().indexAdd(0, torch.tensor([0]), torch.ones([]))],
  ["index_fill", (x: Tensor) => x.sum().indexFill(0, torch.tensor([0]), 2)],
] as const)("%s of a number for each example gives its numbers", async (_, call) => {
  const given = whole();
  const model = (x: Tensor): Tensor => torch.vmap(call)(x);
  const program = exportProgram(model, [given]);
  const module = await sconce.module(program);
  const results = [sconce.runDecompositions(program).module()(given), await module.call([given])];
  for (const result of results as Tensor[]) expect(result.toArray()).toEqual(model(given).toArray());
});
