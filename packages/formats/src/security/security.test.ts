import { Budget } from "@sconce/errors";
import { describe, expect, test } from "vitest";
import { calledNamespaces } from "../pt2/called-namespaces.js";
import { makeZip, utf8 } from "../zip/zip.fixture.js";
import { scanPickle } from "./scan-pickle.js";
import { securityReport } from "./security.js";

/** Bytes of opcodes: texts represent their characters. */
const bytes = (...parts: readonly (number | string)[]): Uint8Array =>
  Uint8Array.from(parts.flatMap((part) => (typeof part === "number" ? [part] : [...utf8(part)])));
const scan = (data: Uint8Array): ReturnType<typeof scanPickle> =>
  scanPickle(data, new Budget(data.length), "a.pkl");
const SYSTEM = bytes(0x80, 2, "cos\nsystem\n", "X", 4, 0, 0, 0, "true", 0x85, "R.");

describe("pickles are walked, never loaded", () => {
  test.each([
    ["a global", SYSTEM, ["os.system"]],
    ["a global of the stack", bytes(0x80, 4, 0x8c, 2, "os", 0x8c, 6, "system", 0x93, ")R."), ["os.system"]],
    [
      "a global of remembered texts",
      bytes(0x80, 4, 0x8c, 2, "os", 0x94, 0x8c, 6, "system", 0x94, "00h", 0, "h", 1, 0x93, "."),
      ["os.system"],
    ],
    ["a global of computed texts", bytes(0x80, 4, ")))", 0x93, "."), ["(computed).(computed)"]],
    ["an old instance", bytes("(ios\nsystem\n."), ["os.system"]],
    ["an old text as name", bytes("S'os'\nS'system'\n", 0x93, "."), ["os.system"]],
    ["an extension", bytes(0x80, 2, 0x82, 7, "."), ["copyreg extension 7"]],
    ["another pickle behind the first", new Uint8Array([...bytes(0x80, 2, "N."), ...SYSTEM]), ["os.system"]],
    [
      "a name behind skipped data",
      bytes(0x80, 4, 0x8e, 3, 0, 0, 0, 0, 0, 0, 0, "cos", "cos\nsystem\n."),
      ["os.system"],
    ],
    ["nothing", bytes(0x80, 2, "N."), []],
  ])("%s", (_, data, globals) => {
    expect(scan(data)).toEqual({ globals, problem: undefined });
  });

  test.each([
    ["no stop", bytes(0x80, 2, "cos\nsystem\n"), /^the data end at byte 13 without a stop$/],
    ["an opcode that none is", bytes(0x80, 2, 0xff), /^byte 2 is not an opcode$/],
    [
      "a text that is cut off",
      bytes(0x80, 2, "X", 9, 0, 0, 0, "a"),
      /^the data end inside of the opcode at byte 2$/,
    ],
    ["a line without an end", bytes("cos"), /^the data end inside of the opcode at byte 0$/],
    [
      "a length beyond all memory",
      bytes(0x8d, 255, 255, 255, 255, 255, 255, 255, 255),
      /inside of the opcode/,
    ],
  ])("%s", (_, data, problem) => {
    expect(scan(data).problem).toMatch(problem);
  });

  test("the walk counts on the budget", () => {
    expect(() =>
      scanPickle(new Uint8Array(1000).fill(0x4e), new Budget(1000, { nodes: 10 }), "a.pkl"),
    ).toThrow(expect.objectContaining({ code: "BUDGET_EXCEEDED" }));
  });
});

const savedFile = (pickle: Uint8Array, ...more: readonly string[]): Uint8Array =>
  makeZip([
    { name: "archive/data.pkl", data: pickle },
    ...more.map((name) => ({ name, data: utf8("x = 1") })),
  ]);
const TENSORS = savedFile(
  bytes(0x80, 2, "ctorch._utils\n_rebuild_tensor_v2\nctorch\nFloatStorage\nccollections\nOrderedDict\n."),
);
const archive = (entries: Readonly<Record<string, Uint8Array | string>>): Uint8Array =>
  makeZip(
    Object.entries(entries).map(([name, data]) => ({
      name: `model/${name}`,
      data: typeof data === "string" ? utf8(data) : data,
    })),
  );
/** Kind, place, names and whether it is plain. */
async function findings(entries: Readonly<Record<string, Uint8Array | string>>): Promise<unknown[]> {
  const { findings: found, isPlain } = await securityReport(archive(entries));
  expect(isPlain).toBe(found.every((finding) => finding.isPlain));
  return found.map((finding) => [finding.kind, finding.where, finding.names.join(", "), finding.isPlain]);
}

describe("archives", () => {
  test("pickles are listed with what they import", async () => {
    expect(
      await findings({
        "data/sample_inputs/model.pt": TENSORS,
        "data/weights/model.pt": savedFile(SYSTEM),
        "data/constants/opaque_obj_0": SYSTEM,
        "data/constants/custom_obj_0": savedFile(SYSTEM, "archive/code/a.py"),
        "data/weights/weight_0": SYSTEM,
        "data/weights/weight_1": savedFile(SYSTEM),
        "data/weights/model_weights_config.json":
          '{"config": {"a": {"path_name": "weight_0", "use_pickle": false}, "b": {"path_name": "weight_1", "use_pickle": true}}}',
        "extra/notes.txt": "cos\nsystem\n",
      }),
    ).toEqual([
      [
        "pickle",
        "model/data/sample_inputs/model.pt archive/data.pkl",
        "torch._utils._rebuild_tensor_v2, torch.FloatStorage, collections.OrderedDict",
        true,
      ],
      ["pickle", "model/data/weights/model.pt archive/data.pkl", "os.system", false],
      ["pickle", "model/data/constants/opaque_obj_0", "os.system", false],
      ["pickle", "model/data/constants/custom_obj_0 archive/data.pkl", "os.system", false],
      ["script", "model/data/constants/custom_obj_0 archive/code/a.py", expect.any(String), false],
      ["pickle", "model/data/weights/weight_1 archive/data.pkl", "os.system", false],
    ]);
  });

  test("texts, imports, functions, objects and operators of the JSON are listed once", async () => {
    const tree = JSON.stringify([
      1,
      {
        type: "collections.defaultdict",
        context: JSON.stringify({
          default_factory_module: "os",
          default_factory_name: "getcwd",
          dict_context: [],
        }),
        children_spec: [],
      },
    ]);
    const json = {
      graph_module: {
        nodes: [
          { target: "torch.ops.aten.add.Tensor" },
          { target: "torch.ops.mylib.run.default" },
          { target: "torch.os.system" },
          { target: "_operator.getitem" },
          { size: { as_expr: { expr_str: "Symbol('s0', integer=True)" } } },
          { size: { as_expr: { expr_str: "Symbol('s0', integer=True)" } } },
          { size: { as_expr: { expr_str: "__import__('os').system('true')" } } },
        ],
        objects: { obj: { name: "obj", class_fqn: "__torch__.Secret" } },
        in_spec: tree,
        out_spec: JSON.stringify([
          1,
          { type: null, context: JSON.stringify({ __enum__: true, fqn: "os:Kind", name: "A" }) },
        ]),
      },
      range_constraints: { "exit()": { min_val: 0, max_val: 1 } },
      guards_code: ["L['x'].size()[0] == 2", "print(L['x'])"],
      __proto__: 1,
    };
    const entry = "model/models/model.json";
    expect(await findings({ "models/model.json": JSON.stringify(json) })).toEqual([
      ["custom-operator", `${entry} graph_module.nodes[1].target`, "torch.ops.mylib.run.default", false],
      ["function", `${entry} graph_module.nodes[2].target`, "torch.os.system", false],
      [
        "expression",
        `${entry} graph_module.nodes[4].size.as_expr.expr_str`,
        "Symbol('s0', integer=True)",
        true,
      ],
      [
        "expression",
        `${entry} graph_module.nodes[6].size.as_expr.expr_str`,
        "__import__('os').system('true')",
        false,
      ],
      ["custom-object", `${entry} graph_module.objects.obj.class_fqn`, "__torch__.Secret", false],
      ["import", `${entry} graph_module.in_spec`, "os.getcwd", false],
      ["import", `${entry} graph_module.out_spec`, "os:Kind", false],
      ["expression", `${entry} range_constraints.exit()`, "exit()", false],
      ["guard", `${entry} guards_code[0]`, "L['x'].size()[0] == 2", true],
      ["guard", `${entry} guards_code[1]`, "print(L['x'])", false],
    ]);
  });

  test("compiled code and entries that cannot be looked at are listed", async () => {
    expect(
      await findings({
        "data/aotinductor/model/wrapper.so": "x",
        "data/aotinductor/model/wrapper.cpp": "x",
        "models/model.json": "{",
        "data/sample_inputs/model.pt": "PK\x03\x04 cut off",
      }),
    ).toEqual([
      [
        "native-code",
        "model/data/aotinductor/model/wrapper.so",
        "model/data/aotinductor/model/wrapper.so",
        false,
      ],
      [
        "script",
        "model/data/aotinductor/model/wrapper.cpp",
        "model/data/aotinductor/model/wrapper.cpp",
        false,
      ],
      ["unreadable", "model/models/model.json", expect.any(String), false],
      ["unreadable", "model/data/sample_inputs/model.pt", expect.any(String), false],
    ]);
  });

  test("what is not an archive, and unknown options, are refused", async () => {
    await expect(securityReport(utf8("text"))).rejects.toMatchObject({
      code: expect.stringMatching(/^ZIP_/),
    });
    await expect(securityReport(archive({}), { limit: 1 } as never)).rejects.toMatchObject({
      code: "UNKNOWN_OPTION",
    });
  });

  test("an aborted signal stops it, before and while it reads", async () => {
    const reason = new Error("enough");
    const options = { signal: AbortSignal.abort(reason) };
    const bytes = archive({ "models/model.json": "{}" });
    await expect(securityReport(bytes, options)).rejects.toMatchObject({ code: "ABORTED", cause: reason });
    await expect(calledNamespaces(bytes, options)).rejects.toMatchObject({ code: "ABORTED", cause: reason });
    for (const work of [securityReport, calledNamespaces]) {
      const controller = new AbortController();
      const source = {
        size: bytes.length,
        read: async (offset: number, length: number) => {
          if (offset === 0) controller.abort(reason);
          return bytes.slice(offset, offset + length);
        },
      };
      await expect(work(source, { signal: controller.signal })).rejects.toMatchObject({
        code: "ABORTED",
        cause: reason,
      });
    }
  });
});

describe("names that PyTorch would run", () => {
  const BAD = "x = 1; __import__('os').system('true') #";
  const program = (name: string, state: string): string =>
    JSON.stringify({
      graph_module: {
        graph: {
          inputs: [{ as_tensor: { name: "p_w" } }, { as_tensor: { name: "torch" } }],
          outputs: [{ as_tensor: { name } }],
          nodes: [
            {
              target: "torch.ops.aten.add.__init__",
              inputs: [{ name: "self", arg: { as_tensor: { name: "p_w" } }, kind: 1 }],
              outputs: [{ as_tensor: { name } }],
              metadata: { nn_module_stack: `k,${state},torch.nn.Linear`, stack_trace: BAD },
            },
          ],
          tensor_values: {},
        },
        signature: {
          input_specs: [
            { parameter: { arg: { name: "p_w" }, parameter_name: state } },
            { user_input: { arg: { as_tensor: { name: "torch" } } } },
          ],
          output_specs: [],
        },
        module_call_graph: [],
      },
    });

  test("are findings of the kind 'name', each once", async () => {
    const json = program(BAD, 'w"#');
    expect(await findings({ "models/model.json": json })).toEqual([
      [
        "function",
        "model/models/model.json graph_module.graph.nodes[0].target",
        "torch.ops.aten.add.__init__",
        false,
      ],
      ["name", "model/models/model.json graph_module.graph.inputs[1].as_tensor.name", "torch", false],
      ["name", "model/models/model.json graph_module.graph.outputs[0].as_tensor.name", BAD, false],
      ["name", "model/models/model.json graph_module.graph.nodes[0].metadata.nn_module_stack", 'w"#', false],
    ]);
  });

  test("plain names are none", async () => {
    const found = await findings({
      "models/model.json": program("add", "net.0.weight").replaceAll('"torch"', '"x"'),
    });
    expect(found.filter((finding) => (finding as string[])[0] === "name")).toEqual([]);
  });
});
