import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { sourceLine } from "@sconce/ir";
import { Tensor } from "@sconce/tensor";
import { callOperator, Module } from "@sconce/torch";
import { expect, test } from "vitest";
import { exportProgram } from "./export-program.js";

class Inner extends Module {
  override forward(x: Tensor): Tensor {
    return callOperator("aten.relu.default", [x]) as Tensor; // in Inner
  }
}

class Net extends Module {
  readonly inner = new Inner();

  override forward(x: Tensor): Tensor {
    const y = this.inner(x);
    return callOperator("aten.neg.default", [y]) as Tensor; // in Net
  }
}

const file = fileURLToPath(import.meta.url);
const lineWith = (text: string): number =>
  readFileSync(file, "utf8")
    .split("\n")
    .findIndex((line) => line.includes(text)) + 1;

test("stack traces of nodes lead from the module to the user's line [S-073]", () => {
  const { graph } = exportProgram(new Net(), [Tensor.from([1, -2])]);
  expect(graph.node("relu").meta.stackTrace).toBe(
    [
      `File "${file}", line ${lineWith("this.inner(x)")}, in forward`,
      "    const y = this.inner(x);",
      `  File "${file}", line ${lineWith("// in Inner")}, in forward`,
      '    return callOperator("aten.relu.default", [x]) as Tensor; // in Inner',
    ].join("\n"),
  );
  expect(sourceLine(graph.node("neg"))).toBe(`${file}:${lineWith("// in Net")}`);
});

test("the printed program shows the user's line [S-073, S-095]", () => {
  const negated = (x: Tensor): unknown => callOperator("aten.neg.default", [x]);
  const text = String(exportProgram(negated, [Tensor.from([1])]));
  const line = lineWith("const negated");
  expect(text).toContain(`# File: ${file}:${line} in negated, code: const negated = (x: Tensor)`);
});
