import { readNumbers } from "@sconce/backend-cpu";
import { exportProgram } from "@sconce/capture";
import type { ExportedProgram } from "@sconce/ir";
import { createSconce } from "@sconce/session";
import { type DType, type NestedValues, Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { sampled } from "../../../../.config/sampled.js";
import { linesOf, type RecordedTensor, recorded, twins } from "./data-dependent.fixture.js";

const sconce = createSconce();

describe("views and sizes that only the data decide", () => {
  test.each(sampled(Object.keys(recorded.twins), 3))(
    "%s exports and lowers to PyTorch's program",
    async (name) => {
      const { program: text, lowered } = recorded.twins[name]!;
      const [model, args, dynamicShapes, more] = twins[name]!;
      const options = {
        checkSource: false,
        ...more,
        ...(dynamicShapes === undefined ? {} : { dynamicShapes }),
      };
      const program = exportProgram(model as never, args, options);
      expect(linesOf(String(program))).toEqual(linesOf(text));
      const low = sconce.runDecompositions(program);
      if (lowered !== null && name !== "view_rows") expect(linesOf(String(low))).toEqual(linesOf(lowered));
      for (const saved of [program, low]) await sconce.load(await sconce.save(saved));
    },
  );
});

const tensorOf = ([dtype, shape, values]: RecordedTensor): Tensor =>
  Tensor.from(values as NestedValues, { dtype: dtype as DType }).reshape(shape);

const numbersOf = (tensor: Tensor): number[] => Array.from(readNumbers(tensor), Number);

async function results(program: ExportedProgram, inputs: readonly RecordedTensor[]): Promise<unknown> {
  const executable = await sconce.compile(program);
  const outputs = (await executable.run(inputs.map(tensorOf))) as readonly Tensor[];
  return outputs.map((tensor) => [tensor.dtype, tensor.shape, numbersOf(tensor)]);
}

const twelve = Array.from({ length: 12 }, (_, i) => i);
const rowsAnd = (index: number): RecordedTensor[] => [
  ["float32", [4, 3], twelve],
  ["int64", [], [index]],
];

describe("programs that PyTorch saved", () => {
  test.each(sampled(Object.keys(recorded.files), 3))(
    "%s reads, lowers and computes as in PyTorch",
    async (name) => {
      const { file, loaded, lowered, inputs, outputs } = recorded.files[name]!;
      const program = await sconce.load(Buffer.from(file, "base64"));
      expect(linesOf(String(program))).toEqual(linesOf(loaded));
      const low = sconce.runDecompositions(program);
      if (lowered !== null) expect(linesOf(String(low))).toEqual(linesOf(lowered));
      const wanted = outputs.map(([dtype, shape, values]) => [
        dtype,
        shape,
        values.map((v) => expect.closeTo(v, 4)),
      ]);
      for (const each of [program, low]) expect(await results(each, inputs)).toEqual(wanted);
    },
  );

  test.each([
    [-1, 3],
    [-4, 0],
    [3, 3],
  ])("a lowered write at %i writes row %i", async (index, row) => {
    const program = await sconce.load(Buffer.from(recorded.files["write_row"]!.file, "base64"));
    const low = sconce.runDecompositions(program);
    const wanted = twelve.map((value, i) => (Math.floor(i / 3) === row ? 7 : value));
    expect(await results(low, rowsAnd(index))).toEqual([["float32", [4, 3], wanted]]);
  });

  test.each([
    [-2, 2],
    [-4, 0],
    [2, 2],
  ])("a narrow from %i begins at row %i, lowered too", async (index, row) => {
    const program = await sconce.load(Buffer.from(recorded.files["narrow"]!.file, "base64"));
    const wanted = twelve.slice(row * 3, row * 3 + 6).map((value) => value + 1);
    for (const each of [program, sconce.runDecompositions(program)])
      expect(await results(each, rowsAnd(index))).toEqual([["float32", [2, 3], wanted]]);
  });

  test.each([-5, 3])("a narrow of two rows from %i is refused when it runs", async (index) => {
    const program = await sconce.load(Buffer.from(recorded.files["narrow"]!.file, "base64"));
    for (const each of [program, sconce.runDecompositions(program)])
      await expect(results(each, rowsAnd(index))).rejects.toThrow(/Runtime assertion failed/);
  });
});
