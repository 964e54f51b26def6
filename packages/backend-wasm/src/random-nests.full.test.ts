/** @file Random graphs give what the evaluator gives. */
import { evaluateLoops, lowerToLoops } from "@sconce/codegen";
import { parseGraph } from "@sconce/ir/text";
import { defaultOperators } from "@sconce/ops";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { randomGraph, randomOf } from "./random-nests.fixture.js";
import { runLoops } from "./run-loops.fixture.js";

const operators = defaultOperators();
const GRAPHS = 1500;

function inputOf(shape: readonly number[], seed: number): Tensor {
  const random = randomOf(seed);
  const count = shape.reduce((a, b) => a * b, 1);
  // Quarters, so that sums of them are exact.
  const values = Array.from({ length: count }, () => {
    const value = (random(41) - 20) / 4;
    return random(60) === 0 ? Number.NaN : value;
  });
  return Tensor.from(values, shape, "float32");
}
const isNear = (found: unknown, wanted: unknown): boolean => {
  const [a, b] = [Number(found), Number(wanted)];
  return Object.is(a, b) || Math.abs(a - b) <= 1e-5 + 2e-5 * Math.abs(b);
};

test("random graphs", () => {
  const problems: string[] = [];
  for (let seed = 1; seed <= GRAPHS; seed++) {
    const { text, shape } = randomGraph(seed);
    const inputs = [inputOf(shape, seed), inputOf(shape, seed + 7)];
    const program = lowerToLoops(parseGraph(text), { operators });
    const [found, wanted] = [runLoops(program, inputs), evaluateLoops(program, inputs)];
    wanted.forEach((one, at) => {
      const [a, b] = [found[at], one].map((tensor) => (tensor as Tensor).toArray() as unknown[]);
      const bad = b!.findIndex((value, i) => !isNear(a![i], value));
      if (bad >= 0)
        problems.push(`${seed}: element ${bad} is ${String(a![bad])}, not ${String(b![bad])}\n${text}`);
    });
  }
  expect(problems.slice(0, 2)).toEqual([]);
});
