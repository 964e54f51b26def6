/** @file Capabilities of JSON IR: extraction, text, execution, verification. */
import { type Exportable, exportProgram, nn, torch } from "@sconce/capture";
import { isSconceError, type SconceError } from "@sconce/errors";
import type { Value } from "@sconce/ir";
import {
  createSconce,
  type ExecuteIROptions,
  type ExportedProgram,
  executeIR,
  extractIR as extract,
  type JsonIR,
  jsonIRText,
  mermaidText,
  programFromIR,
  readJsonIR,
  verifyIRWithStateDict,
} from "@sconce/session";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { saved } from "./corpus.fixture.js";
import { modelOf, PRINTED, type PrintedModel } from "./json-ir.fixture.js";

const session = createSconce();
const [MASKED, GATHER] = PRINTED as [PrintedModel, PrintedModel];
/** The IR of a program, or of what a model exports. */
const extractIR = (
  model: ExportedProgram | Exportable,
  inputs: readonly unknown[] = [],
  name?: string,
): JsonIR =>
  extract(typeof model === "function" ? exportProgram(model, inputs) : model, { session, modelName: name });
const input = (size: number): Tensor => Tensor.from([Array.from({ length: size }, (_, i) => i / 4 - 0.5)]);
const execute = (
  ir: JsonIR,
  inputs: readonly Value[],
  options: ExecuteIROptions,
): Promise<readonly Tensor[]> => executeIR(ir, inputs, { session, backend: "cpu", ...options });
/** What the model gives, as values. */
const wanted = (model: nn.Module, x: Tensor): unknown[] =>
  (model as unknown as (x: Tensor) => Tensor)(x).toArray();
/** The error that an action throws. */
async function refusal(action: () => unknown): Promise<SconceError> {
  try {
    await action();
  } catch (error) {
    if (isSconceError(error)) return error;
    throw error;
  }
  throw new Error("nothing is refused");
}

const withoutAttributes = (json: string): string => json.replace(/,\n *"attrs": \{.*\}/g, "");

describe("extraction", () => {
  test.each(PRINTED)("$name: the model and its file give one IR [S-141]", async ({ size, file, name }) => {
    const ir = extractIR(modelOf(file), [input(size)], name);
    expect(jsonIRText(ir)).toBe(jsonIRText(extractIR(await saved(file), [], name)));
  });

  test("the text of the first model is the printed one [S-142]", () => {
    expect(jsonIRText(extractIR(modelOf(MASKED.file), [input(4)], "MaskedLinear"))).toBe(MASKED.json);
  });

  test("that of the second is, but for attributes, which are not printed [S-142]", () => {
    expect(
      withoutAttributes(jsonIRText(extractIR(modelOf(GATHER.file), [input(8)], "GatherWithIndex"))),
    ).toBe(GATHER.json);
  });

  test("the third has what is printed, and the other parts [S-142]", () => {
    const { file, json, size } = PRINTED[2]!;
    const text = withoutAttributes(jsonIRText(extractIR(modelOf(file), [input(size)])));
    const printed = json.slice(json.indexOf('  "weight_name_mapping"'));
    expect(text.endsWith(printed)).toBe(true);
    expect(text).toContain('{"name": "offset", "shape": [4], "dtype": "float32"}');
  });

  test("nodes name the producers of their inputs, and arguments by name [S-143]", () => {
    const model = (x: Tensor): Tensor[] => {
      const [first, second] = torch.split(x, 2, 1);
      return [first!.add(second!, { alpha: 2 }).sum([1], true)];
    };
    const ir = extractIR(model, [torch.ones(3, 4)]);
    expect(ir.nodes.map(({ opType }) => opType)).toEqual([
      "aten.split.Tensor",
      "operator.getitem",
      "operator.getitem",
      "aten.add.Tensor",
      "aten.sum.dim_IntList",
    ]);
    const [split, , item, add, sum] = ir.nodes;
    expect(split!.outputs.map(({ name }) => name)).toEqual(["split_0", "split_1"]);
    expect(item!.inputs[1]).toEqual({
      name: "split_1",
      shape: [3, 2],
      dtype: "float32",
      producerNode: "split",
      producerOutputIdx: 1,
    });
    expect([...item!.attrs, ...add!.attrs, ...sum!.attrs]).toEqual([
      ["index", 1],
      ["alpha", 2],
      ["dim", [1]],
      ["keepdim", true],
    ]);
  });

  test("placeholders are mapped to the names of the model [S-146]", () => {
    expect([...extractIR(modelOf(MASKED.file), [input(4)]).weightNameMapping]).toEqual([
      ["p_linear_weight", "linear.weight"],
      ["p_linear_bias", "linear.bias"],
      ["c_mask", "mask"],
    ]);
  });

  test("constants on the meta device are skipped with a warning [S-149]", async () => {
    const program = withoutValues(await saved("lifted_masked_linear"));
    const warnings: string[] = [];
    const ir = extract(program, { onWarning: (message) => warnings.push(message) });
    expect(warnings).toEqual([
      "Skipping 1 meta-device constant(s) (shape/dtype already in weights): ['mask']",
    ]);
    expect([ir.constants.size, ir.weights[2]]).toEqual([0, { name: "mask", shape: [4], dtype: "float32" }]);
  });

  test("gradients as outputs are refused", async () => {
    const program = await saved("api_joint_backward", "joint");
    const { code, message } = await refusal(() => extractIR(program));
    expect([code, message]).toEqual(["JSON_IR_UNSUPPORTED", expect.stringContaining("an output of kind")]);
  });

  test("nested graphs stand beside the nodes that read them [S-141]", async () => {
    const { nodes, subgraphs } = extractIR(await saved("flow_cond_nested"));
    expect(nodes.map(({ opType }) => opType)).toEqual([
      "get_attr",
      "get_attr",
      "higher_order.cond",
      "operator.getitem",
      "aten.add.Tensor",
    ]);
    const [, , cond] = nodes;
    expect(cond!.inputs.map(({ name }) => name)).toEqual([
      "q",
      "x",
      "q",
      "b_shift",
      "p_linear_bias",
      "p_linear_weight",
    ]);
    const operands = [1, 2, 3, 4, 5].map((index) => ({ kind: "input", index }));
    expect(cond!.attrs.get("args")).toEqual([
      { kind: "input", index: 0 },
      { kind: "node", name: "true_graph_0" },
      { kind: "node", name: "false_graph_0" },
      operands,
    ]);
    expect([...subgraphs!.keys()]).toEqual(["true_graph_0", "false_graph_0"]);
    expect([...subgraphs!.get("true_graph_0")!.subgraphs!.keys()]).toEqual(["true_graph_0", "false_graph_0"]);
  });

  test("a model with a branch runs from its text [S-147]", async () => {
    const model = (x: Tensor): Tensor =>
      torch.cond(
        x.sum().gt(0),
        (a: Tensor) => a.sin(),
        (a: Tensor) => a.mul(2),
        [x],
      ) as Tensor;
    const ir = readJsonIR(jsonIRText(extractIR(model, [torch.ones(3)])));
    for (const x of [torch.ones(3), torch.ones(3).neg()])
      expect((await execute(ir, [x], {}))[0]!.toArray()).toEqual(model(x).toArray());
  });
});

/** The program as an export on the meta device gives it. */
function withoutValues(program: ExportedProgram): ExportedProgram {
  const bare = (tensors: ReadonlyMap<string, Tensor>): ReadonlyMap<string, Tensor> =>
    new Map([...tensors].map(([name, { dtype, shape }]) => [name, Tensor.withoutValues({ dtype, shape })]));
  return program.with({ stateDict: bare(program.stateDict), constants: bare(program.constants) });
}

describe("execution", () => {
  test("a call that writes leaves the given state as it is [S-147]", async () => {
    class Counter extends nn.Module {
      declare readonly count: Tensor;

      constructor() {
        super();
        this.registerBuffer("count", torch.zeros(2));
      }

      override forward(x: Tensor): Tensor {
        this.count.add_(1);
        return x.add(this.count);
      }
    }
    const model = new Counter();
    const x = Tensor.from([1, 2], { dtype: "float32" });
    const ir = readJsonIR(jsonIRText(extractIR(model, [x])));
    const weights = { count: Tensor.from([5, 5], { dtype: "float32" }) };
    for (let i = 0; i < 2; i++) expect((await execute(ir, [x], { weights }))[0]!.toArray()).toEqual([7, 8]);
    expect(weights.count.toArray()).toEqual([5, 5]);
    const lowered = session.runDecompositions(exportProgram(model, [x]));
    const functional = readJsonIR(jsonIRText(extractIR(lowered)));
    expect(functional.mutations).toMatchObject([{ kind: "BUFFER_MUTATION", target: "count" }]);
    expect((await execute(functional, [x], { weights }))[0]!.toArray()).toEqual([7, 8]);
    expect(weights.count.toArray()).toEqual([5, 5]);
  });

  test.each(PRINTED)("$name runs from its text [S-147]", async ({ file, size }) => {
    const model = modelOf(file);
    const ir = readJsonIR(jsonIRText(extractIR(model, [input(size)])));
    const [got] = await execute(ir, [input(size)], { weights: model.stateDict() });
    expect(got!.toArray()).toEqual(wanted(model, input(size)));
  });

  test.each(["net_lstm", "net_quantized", "ops_norms"])(
    "%s, from a file, runs from its text [S-147]",
    async (file) => {
      const program = await saved(file);
      const inputs = program.exampleInputs!.leaves as readonly Value[];
      const ir = readJsonIR(jsonIRText(extractIR(program)));
      const got = await execute(ir, inputs, { weights: program.stateDict });
      const want = await (await session.compile(program, "cpu")).run(inputs);
      expect(got.map((tensor) => tensor.toArray())).toEqual(want.map((value) => (value as Tensor).toArray()));
    },
  );

  test("lists of tensors with absent items run from JSON alone [S-144]", async () => {
    const model = modelOf(GATHER.file);
    const text = jsonIRText(extractIR(model, [input(8)]));
    expect(text).toContain(
      '"attrs": {"_tensor_list_sizes": [1], "_tensor_list_none_masks": [[true, false]]}',
    );
    const [got] = await execute(readJsonIR(text), [input(8)], { weights: model.stateDict() });
    expect(got!.toArray()).toEqual(wanted(model, input(8)));
    // Without them the index would be that of the rows, which the sizes contradict.
    const bare = readJsonIR(text.replace(/"attrs": \{"_tensor.*\}/, '"attrs": {}'));
    const { code } = await refusal(() => execute(bare, [input(8)], { weights: model.stateDict() }));
    expect(code).toBe("JSON_IR_GRAPH");
  });

  test("optional tensors keep their places [S-144]", async () => {
    const bias = torch.tensor([1, 2, 3], { dtype: "float32" });
    const model = (x: Tensor): Tensor => nn.functional.layerNorm(x, [3], null, bias);
    const x = Tensor.from([[0.5, 1, 4]]);
    const ir = readJsonIR(jsonIRText(extractIR(model, [x])));
    const [got] = await execute(ir, [x], {});
    expect(got!.toArray()).toEqual(model(x).toArray());
  });

  test("constants are exact [S-145]", () => {
    const values = {
      big: Tensor.from([9007199254740993n, -9223372036854775808n, 9223372036854775807n], { dtype: "int64" }),
      floats: Tensor.from(
        [
          [0.1, 1e-45, 3.4028234663852886e38],
          [-0, Infinity, NaN],
        ],
        { dtype: "float32" },
      ),
      halves: Tensor.from([0.1, 65504], { dtype: "float16" }),
      brains: Tensor.from([0.1, 3.3895313892515355e38], { dtype: "bfloat16" }),
      doubles: Tensor.from([0.1, 5e-324], { dtype: "float64" }),
      truths: Tensor.from([true, false]),
      scalar: Tensor.from(7, { dtype: "uint8" }),
      none: Tensor.from([], { dtype: "float32" }),
    };
    const weights = Object.entries(values).map(([name, { shape, dtype }]) => ({ name, shape, dtype }));
    const ir: JsonIR = {
      modelName: "constants",
      graphInputs: [],
      graphOutputs: [],
      weights,
      weightNameMapping: new Map(weights.map(({ name }) => [`c_${name}`, name])),
      nodes: [],
      constants: new Map(Object.entries(values)),
    };
    const text = jsonIRText(ir);
    expect(text).toContain('"big": {"data": [9007199254740993, -9223372036854775808, 9223372036854775807]');
    expect(text).toContain('"floats": {"data": [[0.1, 1e-45, 3.4028235e+38], [-0.0, "Infinity", "NaN"]]');
    expect(text).toContain('"halves": {"data": [0.1, 65504.0]');
    const read = readJsonIR(text).constants;
    for (const [name, tensor] of Object.entries(values)) {
      expect(read.get(name)!.toArray()).toEqual(tensor.toArray());
      expect([name, read.get(name)!.dtype, read.get(name)!.shape]).toEqual([
        name,
        tensor.dtype,
        tensor.shape,
      ]);
    }
  });

  test("integers and floats stay different [S-145]", () => {
    const text = jsonIRText(extractIR((x: Tensor) => x.mul(2), [Tensor.from([1n, 2n])]));
    expect(text).toContain('"attrs": {"other": 2}');
    const floats = text.replace('"other": 2', '"other": 2.0');
    expect(readJsonIR(floats).nodes[0]!.attrs.get("other")).toEqual({ kind: "float", value: 2 });
    expect(jsonIRText(readJsonIR(floats))).toBe(floats);
  });

  test("integers of attributes keep all their digits, and fit 64 bits [S-145]", async () => {
    const x = Tensor.from([1n, 2n]);
    const text = jsonIRText(extractIR((x: Tensor) => x.add(2 ** 60), [x]));
    expect(text).toContain('"attrs": {"other": 1152921504606846976}');
    const [sum] = await execute(readJsonIR(text), [x], {});
    expect(sum!.toArray()).toEqual([2n ** 60n + 1n, 2n ** 60n + 2n]);
    const past = readJsonIR(text.replace("1152921504606846976", String(2n ** 63n)));
    expect(() => programFromIR(past, session)).toThrow(/"other" does not fit aten.add.Tensor/);
  });

  test("constants without elements have the shape of their weight [S-145]", async () => {
    for (const shape of [
      [0, 3],
      [2, 0, 3],
    ]) {
      const rows = torch.zeros(...shape);
      const model = (x: Tensor): Tensor => rows.add(x);
      const read = readJsonIR(jsonIRText(extractIR(model, [torch.ones(1)])));
      expect((await execute(read, [torch.ones(1)], {}))[0]!.shape).toEqual(shape);
    }
    const other = { mask: Tensor.from([], { dtype: "float32" }) };
    const ir = { ...extractIR(modelOf(MASKED.file), [input(4)]), constants: new Map(Object.entries(other)) };
    expect(() => programFromIR(ir, session)).toThrow(/the value is float32\[0\]/);
  });

  test.each(["mask", "c_mask"])("constants of the caller win, by the name %s [S-148]", async (name) => {
    const model = modelOf(MASKED.file);
    const real = extractIR(model, [input(4)]);
    const meta = { ...real, constants: new Map() };
    const constants = { [name]: Tensor.from([0, 0, 0, 2], { dtype: "float32" }) };
    const weights = model.stateDict();
    for (const ir of [real, meta]) {
      const [got] = await execute(ir, [input(4)], { weights, constants });
      const values = got!.toArray() as number[];
      expect(values.slice(0, 3).map(Math.abs)).toEqual([0, 0, 0]);
      expect(values[3]).not.toBe(0);
    }
  });

  test("overrides replace weights, and unknown names are refused [S-148]", async () => {
    const model = modelOf(MASKED.file);
    const ir = extractIR(model, [input(4)]);
    const zeros = Tensor.from([0, 0, 0, 0], { dtype: "float32" });
    const bias = Tensor.from([1, 1, 1, 1], { dtype: "float32" });
    const overrides = { "linear.weight": Tensor.empty([4, 4], "float32"), p_linear_bias: bias };
    const weights = { ...Object.fromEntries(model.stateDict()), unused: zeros };
    const [got] = await execute(ir, [input(4)], { weights, overrides });
    expect(got!.toArray()).toEqual([1, 0, 1, 0]);
    const { code, fix } = await refusal(() =>
      execute(ir, [input(4)], { weights, constants: { musk: zeros } }),
    );
    expect([code, fix]).toEqual(["UNKNOWN_STATE", expect.stringContaining("mask")]);
  });

  test("a missing weight is named with its node [S-150]", async () => {
    const model = modelOf(MASKED.file);
    const ir = { ...extractIR(model, [input(4)]), constants: new Map() };
    const { code, message } = await refusal(() => execute(ir, [input(4)], { weights: model.stateDict() }));
    expect([code, message]).toEqual([
      "MISSING_WEIGHT",
      "Weight/input 'c_mask' not found in registry for node 'mul'.",
    ]);
  });
});

test.each(PRINTED)("$name: the flowchart is the printed one [S-151]", async ({ file, mermaid, size }) => {
  expect(mermaidText(await saved(file))).toBe(mermaid);
  const ir = readJsonIR(jsonIRText(extractIR(modelOf(file), [input(size)])));
  expect(mermaidText(programFromIR(ir, session))).toBe(mermaid);
});

describe("verification", () => {
  test("compares the outputs of the IR with those of the model [S-128]", async () => {
    const model = modelOf(MASKED.file);
    const ir = extractIR(model, [input(4)]);
    const request = {
      ir,
      stateDict: model.stateDict(),
      originalModel: model as never,
      testInputs: [input(4)],
      session,
    };
    const { isValid, report } = await verifyIRWithStateDict(request);
    expect([isValid, report.outputs]).toEqual([
      true,
      [
        {
          index: 0,
          name: "mul",
          dtype: "float32",
          shape: [1, 4],
          maxAbsoluteDifference: 0,
          maxRelativeDifference: 0,
          differing: 0,
        },
      ],
    ]);
    const other = await verifyIRWithStateDict({
      ...request,
      constants: { mask: Tensor.from([1, 0, 1.5, 0]) },
    });
    const expected = wanted(model, input(4))[2] as number;
    expect(other.isValid).toBe(false);
    expect(other.report.maxRelativeDifference).toBeCloseTo(0.5, 5);
    expect(other.report.maxAbsoluteDifference).toBeCloseTo(Math.abs(expected) / 2, 5);
    expect(other.report.outputs[0]!.differing).toBe(1);
  });

  test("takes a program in place of the model [S-128]", async () => {
    const program = await saved("net_lstm");
    const { isValid } = await verifyIRWithStateDict({
      ir: extractIR(program),
      stateDict: program.stateDict,
      originalModel: program,
      testInputs: program.exampleInputs!.leaves as readonly Value[],
      session,
    });
    expect(isValid).toBe(true);
  });
});
