import { isSconceError } from "@sconce/errors";
import type { Tensor } from "@sconce/tensor";
import { guard, Module, nn, type SymInt, sym, torch } from "@sconce/torch";
import { describe, expect, test } from "vitest";
import { Dim } from "../dynamic/index.js";
import { type Exportable, exportProgram } from "./export-program.js";

const { Linear } = nn;

const x = torch.ones([4, 3]);
const dynamicShapes = [{ 0: Dim("batch") }];

function refused(fn: (x: Tensor) => unknown): string {
  try {
    exportProgram(fn, [x], { dynamicShapes, onWarning: () => undefined });
  } catch (error) {
    if (isSconceError(error)) return `${error.code} ${error.fix}`;
    throw error;
  }
  return "exported";
}

describe("values that only the data decide", () => {
  // PyTorch: DataDependentOutputException and GuardOnDataDependentSymNode.
  test.each<[string, (x: Tensor) => boolean]>([
    ["equal", (y) => y.equal(y.add(0))],
    ["allclose", (y) => torch.allclose(y, y)],
    ["isNonzero", (y) => y.sum().isNonzero()],
  ])("%s", (_, decide) => {
    expect(refused((y) => (decide(y) ? y.add(1) : y))).toMatch(/^TRACED_VALUES .*`x.eq\(y\).all\(\)`/);
  });

  test("JSON of traced values", () => {
    expect(refused((y) => y.add(JSON.stringify({ n: y.size(0) }).length))).toMatch(/^SYMBOLIC_COERCION/);
    expect(refused((y) => y.add(JSON.stringify([y]).length))).toMatch(/^TRACED_VALUES/);
  });
});

describe("size-like symbols of a data-dependent guard", () => {
  // PyTorch names those of operators whose results have as many rows as the data say.
  test.each<[string, (x: Tensor) => SymInt | number, string]>([
    ["nonzero", (y) => y.nonzero().size(0), "u0"],
    ["mask", (y) => y.at(y.gt(0)).size(0), "u0"],
    ["unique", (y) => torch.unique(y).size(0), "u0"],
    ["a half", (y) => sym.floorDiv(y.nonzero().size(0), 2), "u0"],
    ["a number that is read", (y) => y.sum().to("int64").item(), "none"],
    ["a size that is read", (y) => torch.arange(y.sum().to("int64").item()).size(0), "none"],
  ])("%s", (_, size, names) => {
    const message = `(Size-like symbols: ${names})`;
    expect(() => exportProgram((y: Tensor) => (guard(sym.gt(size(y), 2)) ? y : y.add(1)), [x])).toThrow(
      message,
    );
  });
});

test("a refusal that the model catches is a warning", () => {
  const warnings: string[] = [];
  const fn = (y: Tensor): Tensor => {
    let rows = 1;
    try {
      rows = y.shape[0]!;
    } catch {
      rows = 7;
    }
    return y.mul(rows);
  };
  exportProgram(fn, [x], { dynamicShapes, onWarning: (text) => warnings.push(text) });
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toMatch(/^The model caught an error of the trace.*`shape\[0\]` of a tensor/);
});

test("a function without return gives None", () => {
  const fn = (y: Tensor): void => void y.add(1);
  const program = exportProgram(fn, [x]);
  expect(program.graphSignature.outputSpecs.map(({ arg }) => arg)).toEqual([
    { kind: "constant", name: "", value: null },
  ]);
  expect(String(program)).toContain("return (None,)");
});

describe("warnings of what a program may not be meant to be", () => {
  const warningsOf = (target: Exportable, args: Tensor[]): string[] => {
    const warnings: string[] = [];
    exportProgram(target, args, { onWarning: (text) => warnings.push(text), checkSource: false });
    return warnings;
  };

  test("two inputs that are one tensor", () => {
    const fn = (a: Tensor, b: Tensor): Tensor => a.sub(b);
    expect(warningsOf(fn, [x, x])).toEqual([
      expect.stringMatching(/^The example inputs a, b are one tensor/),
    ]);
    expect(warningsOf(fn, [x, torch.ones([4, 3])])).toEqual([]);
  });

  test("parameters that no property of a module holds", () => {
    class Hidden extends Module {
      readonly layers = [new Linear(3, 2)];
      override forward(y: Tensor): Tensor {
        return this.layers[0]!(y);
      }
    }
    expect(warningsOf(new Hidden(), [x])).toEqual([
      expect.stringMatching(/holds 2 parameters .*\(\[2, 3\], \[2\]\).*`nn\.ModuleList`/),
    ]);
    expect(warningsOf(new Linear(3, 2), [x])).toEqual([]);
    const layer = new Linear(3, 2);
    expect(warningsOf((y: Tensor) => layer(y), [x])).toEqual([]);
  });
});
