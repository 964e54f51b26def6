/**
 * @file The greatest and the least, with zeros of both signs and NaN, are those of the interpreter.
 */
import { cpuBackend } from "@sconce/backend-cpu";
import { parseIr } from "@sconce/ir/text";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { wasmBackend } from "../backend/backend.js";
import { randomOf } from "../random-nests.fixture.js";
import { computesFour } from "./vector/operations.js";

const ROWS = 21;
const COLUMNS = 67;
const WHOLE = `f32[${ROWS}, ${COLUMNS}]`;
const CHOICES = [
  [0, -0],
  [0, -0, Number.NaN],
  [0, -0, -1, -2, -3, -4, -5, -6, -7],
  [0, -0, 1, 2, 3, 4, 5, 6, 7],
  [0, -0, 1, -1, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
];

test.each([
  ["aten.amax.default(%x, [1])", `f32[${ROWS}]`],
  ["aten.amin.default(%x, [1])", `f32[${ROWS}]`],
  ["aten.amax.default(%x, [0])", `f32[${COLUMNS}]`],
  ["aten.amin.default(%x, [0, 1])", "f32[]"],
  ["aten.max.default(%x)", "f32[]"],
  ["aten.relu.default(%x)", WHOLE],
  ["aten.maximum.default(%x, %y)", WHOLE],
  ["aten.minimum.default(%x, %y)", WHOLE],
  ["aten.fmax.default(%x, %y)", WHOLE],
  ["aten.clamp.default(%x, -0.0, 0.0)", WHOLE],
] as const)("%s", async (call, type) => {
  const program = parseIr(`sconce-ir 1
program "ATEN" { input %x: USER_INPUT input %y: USER_INPUT output %z: USER_OUTPUT }
graph(%x: ${WHOLE}, %y: ${WHOLE}) {
  %z: ${type} = ${call}
  return (%z)
}`);
  const [expected, wasm] = [
    await cpuBackend().compile(program),
    await wasmBackend({ threads: 1 }).compile(program),
  ];
  expect(wasm.placement!().nodes.every(({ place }) => place === "device")).toBe(true);
  const random = randomOf(1);
  for (let run = 0; run < 20; run++) {
    const values = CHOICES[run % CHOICES.length]!;
    const tensor = (): Tensor =>
      Tensor.fromData(
        Float32Array.from({ length: ROWS * COLUMNS }, () => values[random(values.length)]!),
        "float32",
        [ROWS, COLUMNS],
      );
    const inputs = [tensor(), tensor()];
    const [want] = (await expected.run(inputs)) as [Tensor];
    const [got] = (await wasm.run(inputs)) as [Tensor];
    expect(got.toArray()).toEqual(want.toArray());
  }
  wasm.dispose();
});
test.each(["max", "min"])("%s is computed four at a time", (op) => {
  expect(computesFour(op, "float32", "float32")).toBe(true);
});
