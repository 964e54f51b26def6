import type { OperatorLookup, OpSchema, SchemaArgument, SchemaBase } from "@sconce/ir";
import { describe, expect, test } from "vitest";
import { type Loose, loose, makeModel, makePt2, makeRecords, withModel } from "./pt2.fixture.js";
import { readPt2 } from "./read.js";

const argument = (name: string, base: SchemaBase, hasDefault = false, kwargOnly = false): SchemaArgument => ({
  name,
  type: { base, list: false, optional: false, optionalElements: false },
  kwargOnly,
  hasDefault,
});
const schema = (name: string, args: readonly SchemaArgument[]): OpSchema => {
  const [namespace, op, overload] = name.split(".") as [string, string, string];
  return { namespace, name: op, overload, target: name, args, returns: [], isMutable: false, isView: false };
};
const tensor = argument("self", "Tensor");
const schemas = new Map(
  [
    schema("aten.mul.Tensor", [tensor, argument("other", "Tensor")]),
    schema("aten.add.Tensor", [tensor, argument("other", "Tensor"), argument("alpha", "Scalar", true, true)]),
    schema("aten.relu.default", [tensor]),
  ].map((row) => [row.target, row]),
);
const operators: OperatorLookup = { schemaOf: (target) => schemas.get(target), tagsOf: () => [] };
const add = (change: (node: Loose) => void): Uint8Array =>
  withModel((m) => change(m["graph_module"]!["graph"]!["nodes"]![1]!));

describe("with a table of operators", () => {
  test("known operators load", async () => {
    expect((await readPt2(makePt2(), { operators })).graph.node("add").args).toHaveLength(2);
  });

  test("an unknown operator or overload is named with its node where it is refused [S-064]", async () => {
    const operator = add((n) => {
      n["target"] = loose("torch.ops.mylib.foo.default");
      n["name"] = loose("foo");
    });
    await expect(readPt2(operator, { operators, unknownOperators: "refuse" })).rejects.toMatchObject({
      code: "UNKNOWN_OPERATOR",
      message: expect.stringContaining('"foo" calls "mylib.foo.default"'),
      where: "models/model.json graph_module.graph.nodes[1].target",
      fix: expect.stringContaining("register"),
    });
    const overload = add((n) => {
      n["target"] = loose("torch.ops.aten.relu.Tensor");
    });
    await expect(readPt2(overload, { operators })).rejects.toMatchObject({
      code: "UNKNOWN_OPERATOR",
      message: expect.stringContaining("not this overload"),
    });
  });

  test("unknown operators of other namespaces are kept [S-121]", async () => {
    const custom = add((n) => {
      n["target"] = loose("torch.ops.mylib.foo.default");
      n["name"] = loose("foo");
    });
    const { graph } = await readPt2(custom, { operators });
    expect([...graph.nodes()].some((node) => node.target === "mylib.foo.default")).toBe(true);
    for (const target of ["torch.ops.aten.frob.default", "torch.os.system", "_operator.getattr"]) {
      const odd = add((n) => {
        n["target"] = loose(target);
      });
      await expect(readPt2(odd, { operators })).rejects.toMatchObject({
        code: expect.stringMatching(/UNKNOWN_OPERATOR|PT2_TARGET/),
      });
    }
  });

  test("arguments are checked by the schema", async () => {
    const missing = add((n) => {
      n["inputs"]!.pop();
    });
    await expect(readPt2(missing, { operators })).rejects.toMatchObject({ code: "PT2_ARGUMENT" });
    const unknown = add((n) => {
      n["inputs"]![1]!["name"] = loose("others");
    });
    await expect(readPt2(unknown, { operators })).rejects.toMatchObject({ code: "PT2_ARGUMENT" });
    const twice = add((n) => {
      n["inputs"]!.push(n["inputs"]![1]!);
    });
    await expect(readPt2(twice, { operators })).rejects.toMatchObject({ code: "PT2_ARGUMENT" });
  });

  test.each([[null], [0], [1], [2]])("a keyword-only argument of kind %s goes by keyword", async (kind) => {
    const bytes = add((n) => {
      n["inputs"]!.push(loose({ name: "alpha", arg: { as_int: 2 }, kind }));
      for (const input of [n["inputs"]![0]!, n["inputs"]![1]!])
        if (kind === null) delete (input as Partial<Loose>)["kind"];
    });
    const { args, kwargs } = (await readPt2(bytes, { operators })).graph.node("add");
    expect(args).toHaveLength(2);
    expect(kwargs).toEqual({ alpha: 2 });
  });
});

test("a program of 20,000 nodes", async () => {
  const model = makeModel();
  const graph = model["graph_module"]!["graph"]!;
  const [meta, node] = [graph["tensor_values"]!["add"]!, graph["nodes"]![1]!];
  let previous = "add";
  for (let i = 1; i < 20_000; i++) {
    const name = `add_${i}`;
    graph["nodes"]!.push({
      ...node,
      inputs: [{ name: "self", arg: { as_tensor: { name: previous } }, kind: 1 }, node["inputs"]![1]!],
      outputs: [{ as_tensor: { name } }],
      metadata: { stack_trace: `File "m.py", line ${i}, in forward\n    x = x + 1` },
    } as unknown as Loose);
    graph["tensor_values"]![name] = meta;
    previous = name;
  }
  graph["outputs"]![0] = loose({ as_tensor: { name: previous } });
  model["graph_module"]!["signature"]!["output_specs"]![0] = loose({
    user_output: { arg: { as_tensor: { name: previous } } },
  });
  const bytes = makePt2(makeRecords(model));
  expect((await readPt2(bytes)).graph.size).toBe(20_004);
});
