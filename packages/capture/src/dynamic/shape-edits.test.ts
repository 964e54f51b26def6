import { SconceError } from "@sconce/errors";
import type { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { exportProgram, nn, torch } from "../index.js";
import { Dim } from "./index.js";

const t = (...shape: number[]): Tensor => torch.ones(shape);
class Two extends nn.Module {
  override forward(x: Tensor, y: Tensor): Tensor {
    return x.sum().add(y.sum());
  }
}
class Nested extends nn.Module {
  override forward(x: Tensor, batch: { a: Tensor; ids: Tensor[] }): Tensor {
    return x.sum().add(batch.a.sum()).add(batch.ids[1]!.sum());
  }
}
class Related extends nn.Module {
  override forward(x: Tensor, y: Tensor): Tensor {
    return x.add(y.at("1:"));
  }
}
class Fixed extends nn.Module {
  override forward(x: Tensor): Tensor {
    return x.view(2, 3);
  }
}
class Multiple extends nn.Module {
  override forward(x: Tensor): Tensor {
    return x.view(-1, 4);
  }
}

const MODELS = {
  two: [new Two(), [t(4), t(5, 6)]],
  nested: [new Nested(), [t(4), { a: t(4), ids: [t(2), t(3)] }]],
  related: [new Related(), [t(4), t(5)]],
  fixed: [new Fixed(), [t(6)]],
  multiple: [new Multiple(), [t(8)]],
} as const;

/** Exports as a script does, with the option as it stands there. */
function run(name: keyof typeof MODELS, options: string): unknown {
  const [model, args] = MODELS[name];
  const script = new Function("exportProgram", "model", "args", "Dim", "opts", options);
  const dims = Object.fromEntries(["batch", "dx", "dy"].map((dim) => [dim, Dim(dim)]));
  return script(exportProgram, model, args, Dim, dims);
}

const wrap = (option: string): string =>
  `const { batch, dx, dy } = opts; return exportProgram(model, args, { ${option} })`;

function failure(make: () => unknown): SconceError {
  try {
    make();
  } catch (error) {
    if (error instanceof SconceError) return error;
    throw error;
  }
  throw new Error("it is exported");
}

describe("edits of specifications solve what the error says", () => {
  test.each([
    ["two", "dynamicShapes: { x: { 0: batch } }", "dynamicShapes: { y: null, x: { 0: batch } }"],
    ["two", "dynamicShapes: { y: { 0: batch } }", "dynamicShapes: { x: null, y: { 0: batch } }"],
    ["two", "dynamicShapes: [{ 0: batch }]", "dynamicShapes: [{ 0: batch }, null]"],
    [
      "two",
      'dynamicShapes: [{ 0: Dim("n", { max: 9 }) }]',
      'dynamicShapes: [{ 0: Dim("n", { max: 9 }) }, null]',
    ],
    ["two", "dynamicShapes: [[Dim.AUTO]]", "dynamicShapes: [[Dim.AUTO], null]"],
    ["two", "dynamicShapes: [null, [Dim.DYNAMIC]]", "dynamicShapes: [null, [Dim.DYNAMIC, null]]"],
    ["two", "dynamicShapes: { x: null, y: [Dim.AUTO] }", "dynamicShapes: { x: null, y: [Dim.AUTO, null] }"],
    [
      "two",
      "dynamicShapes: { xx: [batch.mul(2)], y: null }",
      "dynamicShapes: { x: [batch.mul(2)], y: null }",
    ],
    [
      "nested",
      "dynamicShapes: { x: [batch] }",
      "dynamicShapes: { batch: { a: null, ids: [null, null] }, x: [batch] }",
    ],
    [
      "nested",
      "dynamicShapes: { x: [batch], batch: null }",
      "dynamicShapes: { x: [batch], batch: { a: null, ids: [null, null] } }",
    ],
    [
      "nested",
      "dynamicShapes: { batch: { a: [dx] }, x: [batch] }",
      "dynamicShapes: { batch: { ids: [null, null], a: [dx] }, x: [batch] }",
    ],
    ["nested", "dynamicShapes: [null, { a: [dx] }]", "dynamicShapes: [null, { a: [dx], ids: [null, null] }]"],
    [
      "nested",
      "dynamicShapes: { batch: { a: [dx], ids: [[dy]] }, x: null }",
      "dynamicShapes: { batch: { a: [dx], ids: [[dy], null] }, x: null }",
    ],
  ] as const)("%s: %s", (name, option, fixed) => {
    const error = failure(() => run(name, wrap(option)));
    expect(error.code).toBe("BAD_DYNAMIC_SHAPES");
    const { edits } = error;
    const text = edits!.reduce(
      (script, { find, replace }) => script.replaceAll(find, replace),
      option as string,
    );
    expect(text).toBe(fixed);
    expect(String(run(name, wrap(text)))).toContain("ExportedProgram");
  });

  test("a specification that is a constant of a module", () => {
    const { edits } = failure(() => run("two", wrap("dynamicShapes: { x: null }")));
    expect(edits).toContainEqual({ find: "dynamicShapes = {", replace: "dynamicShapes = { y: null," });
  });

  test.each([
    ["fixed", '{ 0: Dim("n") }', "{ 0: 6 }"],
    ["multiple", '{ 0: Dim("n", { max: 40 }) }', '{ 0: Dim("_n", { min: 1, max: 10 }).mul(4) }'],
    ["related", '{ 0: Dim("dx") }, { 0: Dim("dy") }', '{ 0: Dim("dx") }, { 0: Dim("dx").add(1) }'],
  ] as const)("a fix of dims: %s: %s", (name, option, fixed) => {
    const error = failure(() => run(name, wrap(`dynamicShapes: [${option}]`)));
    expect(error.code).toBe("CONSTRAINT_VIOLATION");
    const text = error.edits!.reduce(
      (script, { find, replace }) => script.replaceAll(find, replace),
      option as string,
    );
    expect(text).toBe(fixed);
    expect(String(run(name, wrap(`dynamicShapes: [${text}]`)))).toContain("ExportedProgram");
  });

  test.each([
    ["two", "dynamicShapes: { z: { 0: batch } }"],
    ["two", "dynamicShapes: { x: null, y: null, z: null }"],
    ["two", "dynamicShapes: [null, null, null]"],
    ["two", "dynamicShapes: [{ 0: Dim.AUTO({ max: 4 }) }]"],
    ["two", 'dynamicShapes: new Map([["x", null]])'],
    ["nested", "dynamicShapes: { x: null, batch: [null, null] }"],
    ["related", "dynamicShapes: [{ 0: dx }, { 0: dx }]"],
  ] as const)("no edit where none is known: %s: %s", (name, option) => {
    expect(failure(() => run(name, wrap(option)))).not.toHaveProperty("edits");
  });
});
