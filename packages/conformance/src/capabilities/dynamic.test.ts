/** @file Capabilities of dynamic shapes, guards and assertions. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  check,
  constrainAsSize,
  constrainAsValue,
  Dim,
  type DynamicShapes,
  exportProgram,
  guard,
  refineDynamicShapesFromSuggestedFixes,
  type SymInt,
  sym,
  torch,
} from "@sconce/capture";
import { rangeConstraintsText } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { exported, exportedAndRun, sconce } from "./corpus.fixture.js";

const guarded = (x: Tensor): Tensor => (guard(sym.le(x.size(0), 5)) ? x.mul(2) : x);

function failure(run: () => unknown): { code: string; message: string; where?: string } {
  try {
    run();
  } catch (error) {
    return error as { code: string; message: string; where?: string };
  }
  throw new Error("nothing failed");
}

describe("specifications", () => {
  test("a named dimension is shared by several inputs, and in all shapes [S-032, S-035]", async () => {
    const { program, text } = await exportedAndRun("api_dynamic_branches");
    expect(rangeConstraintsText(program.rangeConstraints)).toMatch(/^\{s\d+: VR\[0, int_oo\]\}$/);
    expect(text.match(/"f32\[s\d+, \d+\]"/g)!.length).toBeGreaterThan(5);
  });

  test("names, positions, objects, Maps and lists give the same program [S-033]", () => {
    const batch = Dim("batch");
    const spellings: DynamicShapes[] = [
      { x: { 0: batch }, y: { 0: batch } },
      [{ 0: batch }, { 0: batch }],
      { x: [batch, null], y: [batch, null] },
      [
        [batch, 3],
        [batch, 3],
      ],
      new Map([
        ["x", new Map([[0, batch]])],
        ["y", new Map([[0, batch]])],
      ]),
    ];
    const add = (x: Tensor, y: Tensor): Tensor => x.add(y);
    const texts = spellings.map((dynamicShapes) => {
      const program = exportProgram(add, [torch.ones(4, 3), torch.ones(4, 3)], { dynamicShapes });
      return String(program) + program.guardsCode.join();
    });
    expect(texts[0]).toContain("VR[0, int_oo]");
    expect(new Set(texts).size).toBe(1);
  });

  test("derived dimensions have derived sizes and ranges [S-034, S-036]", async () => {
    const { program } = await exportedAndRun("api_derived_dim");
    expect(rangeConstraintsText(program.rangeConstraints)).toBe("{s77: VR[3, 6], s77 + 1: VR[4, 7]}");
    await exportedAndRun("api_derived_multiples");
  });

  test("a collection gives specifications by tensor [S-038]", async () => {
    await exportedAndRun("api_shapes_collection");
  });

  test("sizes of inputs and sizes that depend on data have other symbols [S-043]", async () => {
    const { text } = await exportedAndRun("pm_unbacked_sizes");
    expect(text).toMatch(/nonzero: "i64\[u0, 1\]"/);
    const { text: backed } = await exportedAndRun("pm_cat_shapes");
    expect(backed).not.toMatch(/\bu\d/);
  });

  test("sizes of results are expressions, arguments are their nodes [S-044, S-071]", async () => {
    const { program, text } = await exportedAndRun("pm_cat_shapes");
    expect(text).toMatch(/cat: "f32\[s\d+ \+ s\d+, s\d+\]"/);
    expect(program.opHistogram().get("aten.sym_size.int")).toBeGreaterThan(0);
    await exportedAndRun("shape_reshapes");
  });

  test("ranges of sizes start at 0, as in PyTorch 2.14, and floats print as oo [T-07]", async () => {
    const { text } = await exported("unbacked_float");
    expect(text).toContain("zuf0: VR[-oo, oo]");
    const program = exportProgram((x: Tensor) => x.sin(), [torch.ones(4)], {
      dynamicShapes: [{ 0: Dim("n") }],
    });
    expect(rangeConstraintsText(program.rangeConstraints)).toBe("{s77: VR[0, int_oo]}");
  });
});

describe("suggested fixes", () => {
  const dynamicShapes: DynamicShapes = { x: { 0: Dim("dim0_x") } };
  const refused = failure(() => exportProgram(guarded, [torch.ones(4, 2)], { dynamicShapes }));

  test("are text that makes the export work [S-039, S-040, S-046]", () => {
    expect(refused.code).toBe("CONSTRAINT_VIOLATION");
    expect(refused.message).toContain("Suggested fixes:\n  dim0_x = Dim('dim0_x', max=5)");
    const refined = refineDynamicShapesFromSuggestedFixes(refused.message, dynamicShapes);
    const program = exportProgram(guarded, [torch.ones(4, 2)], { dynamicShapes: refined });
    expect(rangeConstraintsText(program.rangeConstraints)).toBe("{s77: VR[0, 5]}");
  });

  test("are applied to derived dimensions as PyTorch does [S-040]", async () => {
    await exportedAndRun("api_refine_dynamic_shapes");
  });
});

describe("guards", () => {
  test("a condition that follows from an earlier one is not recorded again [S-045]", () => {
    const program = (model: (x: Tensor) => Tensor): readonly string[] =>
      exportProgram(model, [torch.ones(8)], { dynamicShapes: [{ 0: Dim.AUTO }] }).guardsCode;
    const once = program((x) => (guard(sym.gt(x.size(0), 5)) ? x.sin() : x.cos()));
    const twice = program((x) => {
      const y = guard(sym.gt(x.size(0), 5)) ? x.sin() : x.cos();
      return guard(sym.gt(y.size(0), 4)) ? y : y.neg();
    });
    expect(once).toHaveLength(1);
    expect(twice).toEqual(once);
  });

  test("inputs outside of the specification are refused before anything runs [S-047]", async () => {
    const model = (x: Tensor): Tensor => x.sin();
    const program = exportProgram(model, [torch.ones(4)], { dynamicShapes: [{ 0: Dim("n", { max: 6 }) }] });
    const executable = await sconce.compile(program);
    const ran: string[] = [];
    const run = (size: number): Promise<unknown> =>
      executable.run([torch.ones(size)], { onProgress: ({ item }) => ran.push(item) });
    await run(6);
    expect(ran.length).toBeGreaterThan(0);
    ran.length = 0;
    await expect(run(7)).rejects.toMatchObject({ message: "Guard failed: x.size()[0] <= 6" });
    expect(ran).toEqual([]);
  });
});

describe("values that are read from tensors", () => {
  test("a condition on them is refused, with the user's line [S-048]", () => {
    const model = (x: Tensor): Tensor => (guard(sym.gt(x.nonzero().size(0), 0)) ? x.sin() : x); // decided here
    const { code, message, where } = failure(() => exportProgram(model, [torch.ones(3)]));
    expect([code, message.split(" (")[0]]).toEqual([
      "DATA_DEPENDENT_GUARD",
      "Could not guard on data-dependent expression u0 > 0",
    ]);
    const file = fileURLToPath(import.meta.url);
    const lines = readFileSync(file, "utf8").split("\n");
    expect(where).toBe(`${file}:${1 + lines.findIndex((line) => line.endsWith("// decided here"))}`);
  });

  test("a check decides it, and stays as an assertion behind the size [S-049, S-050]", async () => {
    const { program } = await exportedAndRun("pm_nonzero_check");
    const names = [...program.graph.nodes()].map(({ name }) => name);
    const places = ["nonzero", "sym_size_int_1", "ge", "_assert_scalar_default", "sin"];
    expect(names.filter((name) => places.includes(name))).toEqual(places);
  });

  test("are bounded by checks, and by the older names of these [S-051]", async () => {
    await exportedAndRun("old_constrain_as_size");
    await exportedAndRun("old_constrain_as_value");
    const model = (x: Tensor, y: Tensor): unknown => {
      const [n, v] = [x.max().item(), y.item()] as unknown as [SymInt, SymInt];
      constrainAsSize(n, { min: 2, max: 8 });
      constrainAsValue(v, { min: -2, max: 5 });
      check(sym.le(n, 7));
      return [torch.ones(n, 2), x.add(v)];
    };
    const program = exportProgram(model, [torch.tensor([2, 4]), torch.tensor(3)]);
    const ranges = rangeConstraintsText(program.rangeConstraints);
    expect(ranges).toBe("{u0: VR[2, 7], u1: VR[-2, 5]}");
  });
});
