/** @file `runDecompositions` against PyTorch's, call by call, and the default table against PyTorch's. */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { defaultOperators } from "@sconce/ops";
import { defaultDecompositions } from "@sconce/passes";
import { createSconce } from "sconce";
import { describe, expect, test } from "vitest";
import { type DecompositionFile, decompositionProblem } from "./conformance/decompositions.js";

const packed = readFileSync(new URL("../fixtures/decompositions/pytorch.json.gz", import.meta.url));
const file = JSON.parse(gunzipSync(packed).toString()) as DecompositionFile;
const sconce = createSconce();

describe("the same operators, order, arguments and results as PyTorch", () => {
  test.each(file.cases.map((one, i) => [i, one.name, one] as const))("%i %s", (_, __, one) => {
    expect(decompositionProblem(one, sconce)).toBeUndefined();
  });
});

describe("the same with symbolic sizes", () => {
  test.each(file.dynamic_cases.map((one, i) => [i, one.name, one] as const))("%i %s", (_, __, one) => {
    expect(decompositionProblem(one, sconce)).toBeUndefined();
  });
});

describe("a difference is told", () => {
  const linear = file.cases.find(({ name }) => name === "nn.Linear (bias)")!;
  const changed = (from: string, to: string): typeof linear => ({
    ...linear,
    core: linear.core!.map((line) => line.replace(from, to)),
  });
  test.each([
    ["an argument", changed("[1, 0]", "[0, 1]")],
    ["an operator", changed("aten.addmm", "aten.addmv")],
    ["operands", changed("%p_bias, %input", "%input, %p_bias")],
    ["a call less", { ...linear, core: linear.core!.filter((line) => !line.startsWith("permute")) }],
    [
      "strides",
      {
        ...linear,
        core_nodes: linear.core_nodes!.map((node) =>
          node.name === "permute"
            ? { ...node, val: { dtype: "float32" as const, shape: [3, 4], stride: [4, 1] } }
            : node,
        ),
      },
    ],
  ])("%s", (_, one) => {
    expect(decompositionProblem(one, sconce)).toBeTypeOf("string");
  });
});

describe("the default table", () => {
  const pytorch = new Set([...file.default_table.post_autograd, ...file.default_table.cia_decomposed]);
  const table = defaultDecompositions();

  test("has no entry that PyTorch's lacks", () => {
    expect([...table.keys()].filter((target) => !pytorch.has(target))).toEqual([]);
  });

  /** In PyTorch's table, and yet its lowering keeps them. */
  const NEVER_APPLIED = [
    "aten._upsample_nearest_exact1d.default",
    "aten._upsample_nearest_exact2d.default",
    "aten._upsample_nearest_exact3d.default",
    "aten.mish_backward.default",
    "aten.silu_backward.default",
    "aten.silu_backward.grad_input",
    "aten.upsample_nearest1d.default",
    "aten.upsample_nearest2d.default",
    "aten.upsample_nearest3d.default",
  ];

  /** What reads a size or a property gives a number, and no graph holds it after tracing. */
  const READS =
    /^aten\.(sym_\w+|size|stride|can_cast|get_device|is_\w+|_is_zerotensor|promote_types|result_type)\.\w+$/;

  test("has an entry for every operator of PyTorch's table that Sconce knows", () => {
    const operators = defaultOperators();
    const missing = [...pytorch].filter(
      (target) => !table.has(target) && operators.get(target) !== undefined && !READS.test(target),
    );
    expect(missing.sort()).toEqual([...NEVER_APPLIED].sort());
  });
});
