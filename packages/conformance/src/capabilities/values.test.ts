/** @file Capabilities of values and types: what is static, what is dynamic, and containers. */
import { exportProgram, torch } from "@sconce/capture";
import { type FakeTensor, flattenValue } from "@sconce/ir";
import { parseIr, printIr } from "@sconce/ir/text";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { checked, exported, exportedAndRun, saved, sconce } from "./corpus.fixture.js";

describe("static values", () => {
  test("operations on static numbers leave no node [S-015]", async () => {
    const { program } = await exportedAndRun("pm_static_int");
    expect(program.graph.node("add").args[1]).toBe(10);
  });

  test("shapes of inputs are static, and another one is refused [S-017]", async () => {
    const module = await sconce.module(exportProgram((x: Tensor) => x.sin(), [torch.ones(3, 4)]));
    await expect(module.call([torch.ones(4, 4)])).rejects.toMatchObject({
      code: "GUARD_FAILED",
      message: "Guard failed: x.size()[0] == 3",
    });
  });

  test("dtypes are static [S-019]", async () => {
    const module = await sconce.module(exportProgram((x: Tensor) => x.sin(), [torch.ones(3)]));
    await expect(module.call([torch.ones(3, { dtype: "float64" })])).rejects.toMatchObject({
      code: "INPUT_DTYPE",
    });
  });

  test("numbers, booleans, strings and null are static, and other ones are refused [S-020]", async () => {
    await exportedAndRun("pm_static_primitives");
    expect(await checked("call_static_numbers")).toContain("reject another int");
  });

  test("an optional argument that is not passed has its default [S-023]", async () => {
    await exportedAndRun("pm_optional_absent");
    await exportedAndRun("pm_optional_present");
  });

  test("a static loop unrolls, and its unused bound stays a placeholder [S-024]", async () => {
    const { program, rename } = await exportedAndRun("api_static_loop");
    const nodes = [...program.graph.nodes()].map(({ name }) => rename(name));
    expect(nodes).toEqual(["x", "const", "times", "add", "add_1", "add_2", "output"]);
  });

  test("a branch on a static shape leaves no node [S-025]", async () => {
    const { program } = await exportedAndRun("api_shape_if_static");
    expect([...program.opHistogram()]).toEqual([["aten.add.Tensor", 1]]);
  });
});

test("sizes of parameters, buffers and constants are numbers where those of inputs are not [S-018]", async () => {
  const { program } = await exported("api_dynamic_branches");
  const sizes = program.graphSignature.inputSpecs.map(({ kind, arg }) => {
    const { val } = program.graph.node(arg.name).meta;
    return [kind, (val as FakeTensor).shape.every((size) => typeof size === "number")];
  });
  expect(sizes).toHaveLength(7);
  for (const [kind, isStatic] of sizes) expect(isStatic).toBe(kind !== "USER_INPUT");
});

test("dynamic integers, floats and conditions are symbolic arguments and results [S-021]", async () => {
  const kinds = async (name: string): Promise<string[]> => {
    const { program } = await exportedAndRun(name);
    const { inputSpecs, outputSpecs } = program.graphSignature;
    return [...inputSpecs, ...outputSpecs].map(({ arg }) => arg.kind);
  };
  expect(await kinds("shape_int_input")).toContain("symint");
  expect(await kinds("shape_bool_output")).toContain("symbool");
  const { program } = await exportedAndRun("unbacked_float");
  expect(program.graph.node("item").meta.val).toMatchObject({ kind: "SymFloat" });
});

describe("containers", () => {
  test("keys may come in another order, and other structures are refused [S-022]", async () => {
    await exportedAndRun("tree_dict_order");
    await exportedAndRun("tree_nested");
    expect(await checked("call_ordered_dict")).toContain("reject another key");
    expect(await checked("call_deque")).toContain("reject an item is missing");
  });

  test("leaves are tensors, numbers, booleans, strings and null [S-026]", async () => {
    await exportedAndRun("tree_leaf_types");
  });

  test("lists, tuples, dicts, namedtuples, dataclasses and registered classes [S-027]", async () => {
    for (const name of ["tree_nested", "tree_namedtuple", "pm_dataclass", "tree_custom_node"])
      await exportedAndRun(name);
  });

  test("dataclasses as inputs and outputs [S-028]", async () => {
    await exportedAndRun("api_register_dataclass");
    await exportedAndRun("pm_dataclass");
  });

  test("a registered class is stored by its serialized name [S-029]", async () => {
    const { program } = await exportedAndRun("tree_custom_node");
    const node = program.inSpec!.children[0]!.children[0]!;
    expect(node.type).toBe("corpus.CustomNode");
    expect((await saved("tree_custom_node")).inSpec).toEqual(program.inSpec);
    expect(parseIr(printIr(program)).inSpec).toEqual(program.inSpec);
  });

  test("nest in arguments, keyword arguments and results, ordered ones too [S-030]", async () => {
    await exportedAndRun("tree_nested");
    const { program } = await exportedAndRun("tree_ordered_dict");
    expect(program.outSpec!.type).toBe("collections.OrderedDict");
  });

  test("a call gives the structure of the model's result [S-031]", async () => {
    const swap = ({ a, b }: { a: Tensor; b: Tensor }): unknown => ({ b: [a, { c: b.neg() }], n: 3 });
    const input = { a: torch.tensor([0.5]), b: torch.tensor([2.5]) };
    const module = await sconce.module(exportProgram(swap, [input]));
    const [got, wanted] = [await module.call([input]), swap(input)].map(flattenValue);
    expect(got!.spec).toEqual(wanted!.spec);
    expect(got!.leaves.map((leaf) => (leaf instanceof Tensor ? leaf.toArray() : leaf))).toEqual([
      [0.5],
      [-2.5],
      3,
    ]);
  });
});
