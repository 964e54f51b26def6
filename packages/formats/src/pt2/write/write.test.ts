import { readFileSync } from "node:fs";
import { isSconceError, type Progress } from "@sconce/errors";
import { type ExportedProgram, edit, FakeTensor, float, GraphBuilder, ref, tuple } from "@sconce/ir";
import { parseIr } from "@sconce/ir/text";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { entriesOf, folderOf, operators, read, saved } from "./saved.fixture.js";
import { pt2Pieces } from "./write.js";

const programs = new URL("../../../../testing/fixtures/programs/", import.meta.url);
const load = (name: string): Promise<ExportedProgram> =>
  read(readFileSync(new URL(`${name}/program.pt2`, programs)));
const decoder = new TextDecoder();
const modelOf = (bytes: Uint8Array): string => decoder.decode(entriesOf(bytes).get("models/model.json"));
const json = (bytes: Uint8Array) => JSON.parse(modelOf(bytes)) as Record<string, never>;
const code = (wanted: string) => expect.toSatisfy((error: unknown) => isSconceError(error, wanted));

/** A program of one input; `body` are lines of IR text that define `%out`. */
function program(body: readonly string[]): ExportedProgram {
  return parseIr(
    [
      "sconce-ir 1",
      "",
      'program "ATEN" {',
      "  input %x: USER_INPUT",
      "  output %out: USER_OUTPUT",
      "}",
      "",
      "graph(%x: f32[2]) {",
      ...body.map((line) => `  ${line}`),
      "  return (%out)",
      "}",
    ].join("\n"),
    { unknownTargets: "allow" },
  );
}

describe("a saved program", () => {
  test("lies in the folder `archive`, or in a given one", async () => {
    const ir = await load("ir_add");
    expect(folderOf(await saved(ir))).toBe("archive");
    expect(folderOf(await saved(ir, { folder: "model" }))).toBe("model");
  });

  test("has the versions of the program, or those that are given [S-124]", async () => {
    const ir = await load("ir_add");
    expect(json(await saved(ir))).toMatchObject({
      opset_version: { aten: 10 },
      schema_version: { major: 8, minor: 20 },
      torch_version: "2.14.1+debian",
    });
    const own = await saved(ir, { opsetVersion: { mylib: 3 } });
    expect(json(own)).toMatchObject({ opset_version: { mylib: 3, aten: 10 } });
    expect((await read(own)).opsetVersion).toEqual({ mylib: 3, aten: 10 });
    await expect(saved(ir, { opsetVersion: { aten: 1.5 } })).rejects.toEqual(code("OPTION_VALUE"));
  });

  test("names PyTorch's version where the program has none", async () => {
    const ir = (await load("ir_add")).with({ torchVersion: undefined, opsetVersion: {} });
    expect(json(await saved(ir))).toMatchObject({ torch_version: "2.14.1", opset_version: { aten: 10 } });
  });

  test("holds extra files, texts and bytes [S-123]", async () => {
    const extraFiles = { "note.txt": "h\u00e9", "deep/data.bin": Uint8Array.of(0, 255) };
    const entries = entriesOf(await saved(await load("ir_add"), { extraFiles }));
    expect(decoder.decode(entries.get("extra/note.txt"))).toBe("h\u00e9");
    expect(entries.get("extra/deep/data.bin")).toEqual(Uint8Array.of(0, 255));
  });

  test.each(["../up.txt", "/etc/passwd", "a/../../b", "a\\b", "C:x", "", "a//b", "folder/", "a\0b", "./a"])(
    "refuses an extra file named %j",
    async (name) => {
      const given = saved(await load("ir_add"), { extraFiles: { [name]: "x" } });
      await expect(given).rejects.toMatchObject({ code: "OPTION_VALUE", where: "the options of save" });
    },
  );

  test("takes names such as __proto__ and constructor as they are", async () => {
    const extraFiles = JSON.parse('{"__proto__": "a", "constructor": "b"}') as Record<string, string>;
    const entries = entriesOf(await saved(await load("ir_add"), { extraFiles }));
    expect([...entries.keys()].filter((name) => name.startsWith("extra/"))).toEqual([
      "extra/__proto__",
      "extra/constructor",
    ]);
  });

  test("escapes what texts of a program hold", async () => {
    const stackTrace = 'File "a\u2028\u0007.py"\n\u{1f600}';
    const ir = await load("ir_add");
    const name = ir.graph.nodes().find(({ op }) => op === "call_function")!.name;
    const graph = edit(ir.graph, (draft) => draft.setMeta(name, { ...ir.graph.node(name).meta, stackTrace }));
    const bytes = await saved(ir.with({ graph }));
    expect(modelOf(bytes)).toContain(String.raw`File \"a\u2028\u0007.py\"\n\ud83d\ude00`);
    expect((await read(bytes)).graph.node(name).meta.stackTrace).toBe(stackTrace);
  });

  test("keeps what annotations say, numbers with a fraction of zero included", async () => {
    const ir = await load("ir_add");
    const name = ir.graph.nodes().find(({ op }) => op === "call_function")!.name;
    const annotated = (meta: object): Promise<Uint8Array> => {
      const own = { ...ir.graph.node(name).meta, ...meta };
      return saved(ir.with({ graph: edit(ir.graph, (draft) => draft.setMeta(name, own)) }));
    };
    const text = '{"a": 1.0, "1": [2e-05], "b": 12345678901234567890}';
    const first = await annotated({ custom: JSON.parse(text) as object, extra: { custom: text } });
    expect(modelOf(first)).toContain(JSON.stringify(text));
    expect(modelOf(await saved(await read(first)))).toBe(modelOf(first));
    const changed = await annotated({ custom: { a: 2 }, extra: { custom: text } });
    expect(modelOf(changed)).toContain(String.raw`"custom": "{\"a\": 2}"`);
  });

  test("writes integers past 2^53 with all their digits", async () => {
    const ir = program(["%out: f32[2] = aten.clamp.default(%x, -1, 1)"]);
    const clamped = (min: number, max: number) =>
      ir.with({ graph: edit(ir.graph, (draft) => draft.replaceNode("out", { args: [ref("x"), min, max] })) });
    const bytes = await saved(clamped(-(2 ** 63), 2 ** 60));
    expect(modelOf(bytes)).toContain('{"as_int": -9223372036854775808}');
    expect(modelOf(bytes)).toContain('{"as_int": 1152921504606846976}');
    expect(modelOf(await saved(await read(bytes)))).toBe(modelOf(bytes));
    for (const most of [2 ** 64, -(2 ** 64)])
      await expect(saved(clamped(0, most))).rejects.toEqual(code("NOT_SAVABLE"));
  });

  test("writes floats as Python does", async () => {
    const values = [1, -0, 1e-5, 1e16, 1e22, 0.1, 5e-324, Number.NaN, -Infinity];
    const val = new FakeTensor({ dtype: "float32", shape: [2], strides: [1] });
    const builder = new GraphBuilder({ unknownTargets: "allow" });
    const args = [builder.placeholder("x", { val }), values.map((value) => float(value))];
    const meta = { val, callForm: { argNames: ["x", "values"] } };
    builder.output(tuple([builder.call("out", "mylib.floats.default", args, {}, meta)]));
    const graph = builder.build();
    const bytes = await saved(program(["%out: f32[2] = aten.relu.default(%x)"]).with({ graph }));
    expect(modelOf(bytes)).toContain(
      '"as_floats": [1.0, -0.0, 1e-05, 1e+16, 1e+22, 0.1, 5e-324, "NaN", "-Infinity"]',
    );
  });

  test("merges getitem nodes that read one result, as PyTorch does", async () => {
    const twice = program([
      "%s: (f32[1], f32[1]) = aten.split.Tensor(%x, 1)",
      "%a: f32[1] = operator.getitem(%s, 0)",
      "%b: f32[1] = operator.getitem(%s, 0)",
      "%out: f32[1] = aten.add.Tensor(%a, %b)",
    ]);
    const again = await read(await saved(twice));
    expect(again.graph.nodes().map(({ name }) => name)).toEqual([
      "x",
      "s",
      "a",
      "s_unused_1",
      "out",
      "output",
    ]);
    expect(again.graph.node("out").args).toEqual([ref("a"), ref("a")]);
  });

  test("names a symbolic int by its first getitem node, wherever it is used", async () => {
    const bytes = await saved(
      program([
        "%s: (int(3), f32[2]) = higher_order.f(%x)",
        "%a: int(3) = operator.getitem(%s, 0)",
        "%b: int(3) = operator.getitem(%s, 0)",
        "%out: f32[2] = aten.mul.Tensor(%x, %b)",
      ]),
    );
    expect(modelOf(bytes)).toContain('{"name": "other", "arg": {"as_sym_int": {"as_name": "a"}}, "kind": 1}');
  });

  test("shares the storage of tied weights, and keeps views", async () => {
    const ir = await load("lifted_shared_storage");
    const again = await read(await saved(ir));
    const storages = (one: ExportedProgram) =>
      new Set([...one.stateDict.values()].map(({ storage }) => storage));
    expect(storages(again).size).toBe(storages(ir).size);
    expect(storages(ir).size).toBeLessThan(ir.stateDict.size);
  });

  test("marks tensors without values as those of the meta device", async () => {
    const ir = await load("lifted_masked_linear");
    const stateDict = new Map(
      [...ir.stateDict].map(([name, { dtype, shape }]) => [name, Tensor.withoutValues({ dtype, shape })]),
    );
    const bytes = await saved(ir.with({ stateDict }));
    const config = decoder.decode(entriesOf(bytes).get("data/weights/model_weights_config.json"));
    expect(config).toContain('"device": {"type": "meta", "index": null}');
    expect([...(await read(bytes)).stateDict.values()].every(({ hasValues }) => !hasValues)).toBe(true);
  });
});

describe("what cannot be saved", () => {
  test.each([
    [
      "an operator whose argument names are not known",
      ["%out: f32[2] = mylib.f.default(%x)"],
      "the names of the arguments of mylib.f.default are not known",
    ],
    [
      "a function that PyTorch has no form for",
      ["%n: int(3) = torch.sym_sum([1, 2])", "%out: f32[2] = aten.add.Tensor(%x, %n)"],
      "PyTorch has no form for calls of torch.sym_sum in files",
    ],
    [
      "results that are used as a whole",
      ["%s: (f32[1], f32[1]) = aten.split.Tensor(%x, 1)", "%out: f32[2] = aten.cat.default(%s)"],
      "its results are used as a whole by out",
    ],
    [
      "a list of values that do not go together",
      ['%out: f32[2] = aten.pad.default(%x, [1, "a"])'],
      "an argument is a list of values that do not go together",
    ],
    ["a call without a value", ["%out = aten.relu.default(%x)"], "it has no value that says what it gives"],
  ])("is refused with the node: %s", async (_, body, message) => {
    const given = saved(program(body));
    await expect(given).rejects.toMatchObject({
      code: "NOT_SAVABLE",
      message: expect.stringContaining(message) as string,
      where: expect.stringMatching(/^node /) as string,
    });
  });

  test("a symbolic bool in the signature is refused, as PyTorch refuses it", async () => {
    const ir = program(["%out: f32[2] = aten.relu.default(%x)"]);
    const outputSpecs = [
      { kind: "USER_OUTPUT", arg: { kind: "symbool", name: "out" }, target: null },
    ] as const;
    const given = saved(ir.with({ graphSignature: { ...ir.graphSignature, outputSpecs } }));
    await expect(given).rejects.toMatchObject({ code: "NOT_SAVABLE", where: "node out" });
  });

  test.each([
    ["tree_string_output", "returns a text"],
    ["flow_grad_mode", 'node "wrap_with_set_grad_enabled" is a region without results'],
  ])("of %s, PyTorch does not load its own file: a warning says so", async (name, message) => {
    const warnings: string[] = [];
    await saved(await load(name), { onWarning: (text) => warnings.push(text) });
    expect(warnings).toEqual([expect.stringContaining(message) as string]);
  });

  test("leaves out no warning: operators that PyTorch does not have are named", async () => {
    const warnings: string[] = [];
    await saved(await load("pm_custom_op"), { onWarning: (message) => warnings.push(message) });
    expect(warnings).toEqual([expect.stringContaining("mylib.sin.default") as string]);
  });
});

describe("saving", () => {
  test("reports its progress in bytes, to the end", async () => {
    const seen: Progress[] = [];
    await saved(await load("net_mlp"), { onProgress: (progress) => seen.push(progress) });
    const [first, last] = [seen[0]!, seen.at(-1)!];
    expect(first).toMatchObject({ phase: "save", done: 0, item: "data/weights/weight_0" });
    expect(last).toMatchObject({ done: last.total, item: "" });
    expect(seen.map(({ done }) => done)).toEqual(seen.map(({ done }) => done).sort((a, b) => a - b));
  });

  test("stops at a signal, also in the middle", async () => {
    const ir = await load("net_mlp");
    await expect(saved(ir, { signal: AbortSignal.abort() })).rejects.toEqual(code("ABORTED"));
    const controller = new AbortController();
    let count = 0;
    const reading = async (): Promise<void> => {
      for await (const _ of pt2Pieces(ir, { operators, signal: controller.signal }))
        if (++count === 3) controller.abort();
    };
    await expect(reading()).rejects.toEqual(code("ABORTED"));
    expect(count).toBe(3);
  });

  test("has one result, however often it is done", async () => {
    const ir = await load("net_gpt");
    expect(Buffer.compare(await saved(ir), await saved(ir))).toBe(0);
  });

  test("refuses an unknown option", async () => {
    await expect(saved(await load("ir_add"), { extra: {} } as never)).rejects.toEqual(code("UNKNOWN_OPTION"));
  });
});

describe("a program from IR text", () => {
  const relu = "%out: f32[2] = aten.relu.default(%x)";

  test("gets the call of its root, without which PyTorch loads none", async () => {
    const written = program([relu]);
    expect(written.moduleCallGraph).toEqual([]);
    const bytes = await saved(written);
    const again = await read(bytes);
    expect(again.inSpec?.children[0]?.children).toHaveLength(1);
    expect(again.outSpec?.children).toHaveLength(1);
    expect(await saved(again)).toEqual(bytes);
  });

  test.each([
    ["custom", '{}"; x'],
    ["custom", '{"a": 1,}'],
    ["from_node", "x"],
    ["nn_module_stack", "x"],
    ["source_fn_stack", "x"],
  ])("with a note %s that PyTorch cannot read is refused", async (key, text) => {
    const plain = program([relu]);
    const meta = { ...plain.graph.node("out").meta, extra: { [key]: text } };
    const graph = edit(plain.graph, (e) => e.setMeta("out", meta));
    await expect(saved(plain.with({ graph }))).rejects.toEqual(code("NOT_SAVABLE"));
  });

  test("with a note of its own that PyTorch cannot read is refused, and others are written", async () => {
    const noted = (custom: string): ExportedProgram => program([relu]).with({ graphMetadata: { custom } });
    await expect(saved(noted('{}"; x'))).rejects.toEqual(code("NOT_SAVABLE"));
    expect((await read(await saved(noted('{"a": NaN}')))).graphMetadata).toEqual({ custom: '{"a": NaN}' });
  });
});
