import { describe, expect, test } from "vitest";
import { programOf, run, textOf } from "../programs.fixture.js";
import { sinkTransposes as pass } from "./sink-transposes.js";

/** A program of x, y: f32[2, 3], its lines after the pass, and the result. */
function after(lines: readonly string[], result: string): string[] {
  const program = programOf(
    `graph(%x: f32[2, 3], %y: f32[2, 3], %z: f32[3, 2], %s: f32[], %c: f32[2, 3, 4], %q: f32[2, 2]) {\n${lines.join("\n")}\nreturn (${result})\n}`,
  );
  const next = run(pass, program);
  if (next === program) return ["unchanged"];
  const text = textOf(next).split("\n").slice(1, -1);
  return text.map((line) => line.trim());
}

const TX = "%t: f32[3, 2]{1, 3} = aten.permute.default(%x, [1, 0])";
const TY = "%u: f32[3, 2]{1, 3} = aten.permute.default(%y, [1, 0])";

describe("sink-transposes", () => {
  test("permutations around pointwise calls cancel", () => {
    expect(
      after(
        [
          TX,
          "%r: f32[3, 2]{1, 3} = aten.relu.default(%t)",
          "%m: f32[3, 2]{1, 3} = aten.mul.Tensor(%r, %s)",
          "%b: f32[2, 3] = aten.permute.default(%m, [1, 0])",
          "%e: f32[2, 3] = aten.exp.default(%b)",
        ],
        "%e",
      ),
    ).toMatchInlineSnapshot(`
      [
        "%relu: f32[2, 3] = aten.relu.default(%x)",
        "%mul: f32[2, 3] = aten.mul.Tensor(%relu, %s)",
        "%e: f32[2, 3] = aten.exp.default(%mul)",
        "return (%e)",
      ]
    `);
  });

  test("two operands with one permutation need one behind", () => {
    expect(
      after([TX, TY, "%a: f32[3, 2]{1, 3} = aten.add.Tensor(%t, %u, alpha=2)"], "%a"),
    ).toMatchInlineSnapshot(`
      [
        "%add: f32[2, 3] = aten.add.Tensor(%x, %y, alpha=2)",
        "%a: f32[3, 2]{1, 3} = aten.permute.default(%add, [1, 0])",
        "return (%a)",
      ]
    `);
  });

  test("a permutation that follows and does not cancel becomes one with the first", () => {
    expect(
      after(
        [
          "%t: f32[3, 4, 2]{4, 1, 12} = aten.permute.default(%c, [1, 2, 0])",
          "%r: f32[3, 4, 2]{4, 1, 12} = aten.relu.default(%t)",
          "%u: f32[4, 2, 3]{1, 12, 4} = aten.permute.default(%r, [1, 2, 0])",
          "%e: f32[4, 2, 3]{1, 12, 4} = aten.neg.default(%u)",
        ],
        "%e",
      ),
    ).toMatchInlineSnapshot(`
      [
        "%relu: f32[2, 3, 4] = aten.relu.default(%c)",
        "%u: f32[4, 2, 3]{1, 12, 4} = aten.permute.default(%relu, [2, 0, 1])",
        "%e: f32[4, 2, 3]{1, 12, 4} = aten.neg.default(%u)",
        "return (%e)",
      ]
    `);
  });

  test("shapes: view, unsqueeze and squeeze", () => {
    expect(
      after(
        [
          "%v: f32[6] = aten.view.default(%x, [6])",
          "%r: f32[6] = aten.relu.default(%v)",
          "%w: f32[3, 2] = aten.view.default(%r, [3, 2])",
          "%a: f32[3, 2] = aten.add.Tensor(%w, %z)",
        ],
        "%a",
      ),
    ).toMatchInlineSnapshot(`
      [
        "%relu: f32[2, 3] = aten.relu.default(%x)",
        "%w: f32[3, 2] = aten.view.default(%relu, [3, 2])",
        "%a: f32[3, 2] = aten.add.Tensor(%w, %z)",
        "return (%a)",
      ]
    `);
    expect(
      after(
        [
          "%v: f32[2, 1, 3]{3, 3, 1} = aten.unsqueeze.default(%x, 1)",
          "%r: f32[2, 1, 3]{3, 3, 1} = aten.relu.default(%v)",
          "%w: f32[2, 3] = aten.squeeze.dim(%r, 1)",
          "%a: f32[2, 3] = aten.neg.default(%w)",
        ],
        "%a",
      ),
    ).toMatchInlineSnapshot(`
      [
        "%relu: f32[2, 3] = aten.relu.default(%x)",
        "%a: f32[2, 3] = aten.neg.default(%relu)",
        "return (%a)",
      ]
    `);
  });

  test("a second round goes on where the first has moved a view", () => {
    expect(
      after(
        [
          TX,
          "%r: f32[3, 2]{1, 3} = aten.relu.default(%t)",
          "%b: f32[2, 3] = aten.permute.default(%r, [1, 0])",
          "%e: f32[2, 3] = aten.exp.default(%b)",
          "%g: f32[3, 2]{1, 3} = aten.permute.default(%e, [1, 0])",
          "%n: f32[3, 2]{1, 3} = aten.neg.default(%g)",
          "%h: f32[2, 3] = aten.permute.default(%n, [1, 0])",
          "%a: f32[2, 3] = aten.add.Tensor(%h, %y)",
        ],
        "%a",
      ),
    ).toMatchInlineSnapshot(`
      [
        "%relu: f32[2, 3] = aten.relu.default(%x)",
        "%e: f32[2, 3] = aten.exp.default(%relu)",
        "%neg: f32[2, 3] = aten.neg.default(%e)",
        "%a: f32[2, 3] = aten.add.Tensor(%neg, %y)",
        "return (%a)",
      ]
    `);
  });

  test.each<[name: string, lines: string[], result: string]>([
    ["one view stays one", [TX, "%r: f32[3, 2]{1, 3} = aten.relu.default(%t)"], "%r"],
    [
      "an operand without the view",
      [
        TX,
        "%a: f32[3, 2] = aten.add.Tensor(%t, %z)",
        "%b: f32[2, 3]{1, 2} = aten.permute.default(%a, [1, 0])",
      ],
      "%b",
    ],
    [
      "as many views as before",
      [
        TX,
        "%r: f32[3, 2]{1, 3} = aten.relu.default(%t)",
        "%b: f32[2, 3] = aten.permute.default(%r, [1, 0])",
        "%m: f32[3, 3]{3, 1} = aten.mm.default(%r, %b)",
        "%n: f32[3, 3]{3, 1} = aten.mm.default(%t, %b)",
      ],
      "%m, %n",
    ],
    [
      "a view of a call that belongs with it",
      [
        "%t: f32[2, 2]{1, 2} = aten.permute.default(%q, [1, 0])",
        "%r: f32[2, 2]{1, 2} = aten.relu.default(%t)",
        "%u: f32[2, 2] = aten.permute.default(%r, [1, 0])",
        "%m: f32[2, 2]{1, 2} = aten.mul.Tensor(%r, %u)",
      ],
      "%m",
    ],
    [
      "no pointwise call between",
      [TX, "%b: f32[2, 3] = aten.permute.default(%t, [1, 0])", "%e: f32[2, 3] = aten.exp.default(%b)"],
      "%e",
    ],
    [
      "another shape behind a permutation",
      [
        TX,
        "%r: f32[3, 2]{1, 3} = aten.relu.default(%t)",
        "%v: f32[3, 1, 2]{1, 6, 3} = aten.unsqueeze.default(%r, 1)",
      ],
      "%v",
    ],
    [
      "a copy for its layout",
      [
        TX,
        "%r: f32[3, 2] = aten.clone.default(%t, memory_format=format(contiguous_format))",
        "%b: f32[2, 3]{1, 2} = aten.permute.default(%r, [1, 0])",
      ],
      "%b",
    ],
    [
      "random numbers",
      [
        TX,
        "%r: f32[3, 2]{1, 3} = aten.bernoulli.default(%t)",
        "%b: f32[2, 3] = aten.permute.default(%r, [1, 0])",
      ],
      "%b",
    ],
  ])("leaves alone: %s", (_, lines, result) => {
    expect(after(lines, result)).toEqual(["unchanged"]);
  });

  test("refuses programs that write", () => {
    const program = programOf("graph(%x: f32[2]) {\n%a: f32[2] = aten.relu_.default(%x)\nreturn (%a)\n}");
    expect(() => run(pass, program)).toThrow("sink-transposes needs a functional program");
  });
});
