/** @file Convolutional programs that PyTorch exported, with images channels-last in memory. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { evaluateLoops, LOOP_PIPELINE, type LoopProgram, lowerProgram, sizeOf } from "@sconce/codegen";
import { readPt2 } from "@sconce/formats";
import type { ExportedProgram } from "@sconce/ir";
import { createSconce } from "@sconce/session";
import { isFloatDType, Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { corpusPlugin } from "./conformance/corpus-plugin.js";
import { PROGRAMS } from "./fixtures.js";
import { model } from "./models.js";

const sconce = createSconce({ plugins: [corpusPlugin] });
const { operators } = sconce;

/** The programs that convolve, by the names of their folders. */
const names = readdirSync(PROGRAMS).filter((name) => {
  const text = `${PROGRAMS}${name}/decomposed.txt`;
  return existsSync(text) && readFileSync(text, "utf8").includes("aten.convolution");
});

const prepared = async (name: string): Promise<ExportedProgram> =>
  sconce.transform(await readPt2(readFileSync(`${PROGRAMS}${name}/program.pt2`)), LOOP_PIPELINE);

/** The size of every symbol. */
const SIZE = 8;

/** Numbers for the inputs of a region: whole ones are small, since some are indices. */
function inputsOf({ buffers, inputs }: LoopProgram, symbols: ReadonlyMap<string, number>): Tensor[] {
  let state = 1;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return state / 2 ** 31;
  };
  return inputs.map((id) => {
    if (id === undefined) return undefined as never;
    const { dtype, shape } = buffers[id]!;
    const tensor = Tensor.empty(
      shape.map((size) => sizeOf(size, symbols)),
      dtype,
    );
    const whole = (value: number): number | bigint => (dtype === "int64" ? BigInt(value) : value);
    for (let i = 0; i < tensor.data.length; i++)
      (tensor.data as unknown as (number | bigint)[])[i] = isFloatDType(dtype) ? next() : whole(i % 2);
    return tensor;
  });
}

const symbolsOf = (program: ExportedProgram): ReadonlyMap<string, number> =>
  new Map([...program.rangeConstraints.keys()].map((symbol) => [symbol, SIZE]));

/** Compares every region with and without layouts; returns how many buffers have another order. */
function compare(program: ExportedProgram): number {
  const plain = lowerProgram(program, { operators }).regions;
  const other = lowerProgram(program, { operators, layouts: "channels-last" }).regions;
  let moved = 0;
  for (const [at, { loops }] of plain.entries()) {
    const changed = other[at]!.loops;
    const symbols = symbolsOf(program);
    const inputs = inputsOf(loops, symbols);
    const [want, got] = [evaluateLoops(loops, inputs, symbols), evaluateLoops(changed, inputs, symbols)];
    expect(got).toEqual(want);
    const shapes = ({ buffers }: LoopProgram) =>
      buffers.map(({ node, shape }) => `${node} ${shape.map(({ text }) => text)}`);
    const before = new Set(shapes(loops));
    moved += shapes(changed).filter((shape) => !before.has(shape)).length;
  }
  return moved;
}

test.each(names)("%s has the same numbers", async (name) => {
  compare(await prepared(name));
});

test("a ResNet-18 has all its images channels-last, and no copies of them", () => {
  const program = sconce.transform(model("resnet18-small").program, LOOP_PIPELINE);
  expect(compare(program)).toBe(21);
  const [plain, other] = [{}, { layouts: "channels-last" as const }].map(
    (options) => lowerProgram(program, { operators, ...options }).regions[0]!.loops.nests.length,
  );
  expect(other).toBe(plain);
});
