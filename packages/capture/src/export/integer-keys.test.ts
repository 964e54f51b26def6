import type { Tensor } from "@sconce/tensor";
import { torch } from "@sconce/torch";
import { expect, test } from "vitest";
import { exportProgram } from "./export-program.js";

function exported(model: (x: Tensor) => unknown): {
  readonly warnings: string[];
  readonly outputs: string[];
} {
  const warnings: string[] = [];
  const program = exportProgram(model as never, [torch.ones(2)], {
    onWarning: (text) => warnings.push(text),
  });
  return { warnings, outputs: program.userOutputs.map((output) => ("name" in output ? output.name : "")) };
}

test("a warning names the order of integer keys, once", () => {
  const { warnings, outputs } = exported((x) => [
    { "10": x.mul(3), "2": x.add(1) },
    { b: x.sub(1), "1": x.neg() },
  ]);
  expect(outputs).toEqual(["add", "mul", "neg", "sub"]);
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain('have the order "2", "10", whatever its source says. A Map keeps');
});

test("a Map keeps the order of such keys, without a warning", () => {
  const model = (x: Tensor): unknown =>
    new Map([
      ["10", x.mul(3)],
      ["2", x.add(1)],
    ]);
  expect(exported(model)).toEqual({ warnings: [], outputs: ["mul", "add"] });
});

test("no other object is warned of", () => {
  expect(exported((x) => ({ b: x.mul(3), a: { "1": x.add(1) }, "01": x.neg() })).warnings).toEqual([]);
});
