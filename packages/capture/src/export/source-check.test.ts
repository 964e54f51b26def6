import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Tensor } from "@sconce/tensor";
import { functional, Module, nn, torch } from "@sconce/torch";
import { describe, expect, test } from "vitest";
import { Dim } from "../dynamic/index.js";
import { exportProgram } from "./export-program.js";

const { TransformerEncoder, TransformerEncoderLayer } = nn;

interface Options {
  readonly scale: number;

  readonly isCausal: boolean;
}

class Attention extends Module {
  readonly options: Options = { scale: 2, isCausal: true };

  override forward(x: Tensor, mask?: Tensor): Tensor {
    const scaled = this.options.isCausal ? torch.mul(x, this.options.scale) : x;
    return mask ? torch.add(scaled, mask) : scaled; // the wrong line
  }
}

class Net extends Module {
  readonly attention = new Attention();

  override forward(x: Tensor, mask?: Tensor): Tensor {
    return this.attention(x, mask);
  }
}

const x = torch.ones([2, 3]) as Tensor;
const file = fileURLToPath(import.meta.url);
const text = readFileSync(file, "utf8").split("\n");
const place = (mark: string): string => `${file}:${1 + text.findIndex((one) => one.includes(`// ${mark}`))}`;

test("a tensor that is used as a condition is refused, with the user's line [S-007, S-056]", () => {
  expect(() => exportProgram(new Net(), [x, x])).toThrow(
    expect.objectContaining({
      code: "SOURCE_CHECK",
      where: place("the wrong line"),
      message: expect.stringContaining(
        `${place("the wrong line")}: \`mask\` is a tensor, and JavaScript takes every tensor for true`,
      ),
      fix: expect.stringContaining("compare it with undefined or null"),
    }),
  );
});

test("the same model without the tensor is right", () => {
  const { graph } = exportProgram(new Net(), [x]);
  expect([...graph.nodes()].map(({ name }) => name)).toEqual(["x", "mul", "output"]);
});

test("the check can be left out", () => {
  const { graph } = exportProgram(new Net(), [x, x], { checkSource: false });
  expect(graph.node("add").target).toBe("aten.add.Tensor");
});

/** A function of the module: the engine's inspector shows it. */
function masked(y: Tensor, mask?: Tensor): Tensor {
  return mask ? torch.add(y, mask) : y; // wrong in a function
}

test("functions that the model closes over are checked, too", () => {
  expect(() => exportProgram((y: Tensor) => masked(torch.relu(y), y), [x])).toThrow(
    expect.objectContaining({ code: "SOURCE_CHECK", where: place("wrong in a function") }),
  );
  expect(exportProgram((y: Tensor) => masked(torch.relu(y)), [x]).graph.size).toBe(3);
});

describe("functions that are given away are checked, too", () => {
  function gate(y: Tensor): Tensor {
    return y ? y.relu() : y; // gated
  }
  const options = { distanceFunction: (a: Tensor, b: Tensor): Tensor => (a ? a.sub(b).norm() : b) };
  const wrong = { code: "SOURCE_CHECK", where: place("gated") };
  const input = torch.ones([2, 3, 4]) as Tensor;

  test("to a layer", () => {
    const layer = new TransformerEncoderLayer(4, 2, { activation: gate });
    expect(() => exportProgram(layer, [input])).toThrow(expect.objectContaining(wrong));
    expect(() => exportProgram(new TransformerEncoder(layer, 2), [input])).toThrow(
      expect.objectContaining(wrong),
    );
  });

  test("to a function of Sconce, alone or among options", () => {
    expect(() => exportProgram((y: Tensor) => [y].map(gate)[0], [x])).toThrow(expect.objectContaining(wrong));
    const loss = (a: Tensor, b: Tensor, c: Tensor): unknown =>
      functional.tripletMarginWithDistanceLoss(a, b, c, options);
    expect(() => exportProgram(loss, [x, x, x])).toThrow(expect.objectContaining({ code: "SOURCE_CHECK" }));
  });

  test("and right ones give no warning", () => {
    const warnings: string[] = [];
    const activation = (y: Tensor): Tensor => functional.gelu(y).mul(2);
    const layer = new TransformerEncoderLayer(4, 2, { activation });
    exportProgram(layer, [input], { onWarning: (message) => warnings.push(message) });
    expect(warnings).toEqual([]);
  });
});

describe("what the check cannot follow", () => {
  const isLarge = ((value: unknown): boolean => value === undefined).bind(null);
  function unclear(y: Tensor): Tensor {
    return isLarge(y) ? y : torch.relu(y); // unclear
  }
  function rows(y: Tensor): Tensor {
    const size: unknown = y.relu().size(0);
    return size === 2 ? y : y.neg(); // rows
  }

  test("is handed out", () => {
    const unchecked: string[] = [];
    const warnings: string[] = [];
    exportProgram(unclear, [x], {
      onUnchecked: ({ construct, code, message }) => unchecked.push(`${construct} ${code}: ${message}`),
      onWarning: (message) => warnings.push(message),
    });
    expect(unchecked).toEqual(["?: isLarge(y): `bound ` has no source"]);
    expect(warnings).toEqual([]);
  });

  test("is a warning otherwise", () => {
    const warnings: string[] = [];
    const onWarning = (message: string): number => warnings.push(message);
    exportProgram(unclear, [x], { onWarning });
    exportProgram(rows, [x], { dynamicShapes: [{ 0: Dim.AUTO }], onWarning });
    const head =
      "The source check could not follow the model everywhere. Where one of these places decides on a tensor or a dynamic size, the program has the wrong branch:";
    expect(warnings).toEqual([
      `${head}\n  ${place("unclear")}: \`bound \` has no source: isLarge(y)`,
      `${head}\n  ${place("rows")}: it may be a dynamic size; compare sizes with \`sym.eq\`, \`sym.lt\` and the like: size === 2`,
    ]);
  });

  test("is not reported where the check is left out, or everything is followed", () => {
    const warnings: string[] = [];
    const onWarning = (message: string): number => warnings.push(message);
    exportProgram(unclear, [x], { checkSource: false, onWarning });
    exportProgram(new Net(), [x], { onWarning });
    expect(warnings).toEqual([]);
  });
});
