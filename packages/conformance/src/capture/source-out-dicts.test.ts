import { exportProgram, pythonTuple } from "@sconce/capture";
import { typescriptText } from "@sconce/capture/typescript";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { comparable } from "./harness.fixture.js";
import { exportModule, runModule } from "./source-out.fixture.js";

const x = Tensor.empty([2, 3], "float32");

test.each<[string, (x: Tensor) => unknown]>([
  ["names that are numbers", (a) => ({ "1": a, "2": a.mul(2), 10: a.neg() })],
  ["numbers before words", (a) => ({ "0": a.add(1), word: a.mul(2) })],
  [
    "keys that are numbers",
    (a) =>
      new Map([
        [1, a.add(1)],
        [0, a.mul(2)],
      ]),
  ],
  [
    "keys of several kinds",
    (a) =>
      new Map<unknown, Tensor>([
        [true, a.add(1)],
        ["b", a.mul(2)],
        [3, a.neg()],
      ]),
  ],
  ["dicts inside", (a) => pythonTuple({ "3": [a.add(1)] }, { b: { "7": a.mul(2) } })],
])("dicts with %s are written, and exported again", (_, model) => {
  const program = exportProgram(model as never, [x], { checkSource: false });
  const again = exportModule(runModule(typescriptText(program)));
  expect(comparable(String(again))).toBe(comparable(String(program)));
  expect(again.outSpec).toEqual(program.outSpec);
});
