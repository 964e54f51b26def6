import { existsSync, readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { type ExportedProgram, type FakeTensor, graphText, programText, recordType } from "@sconce/ir";
import { parseIr, printIr } from "@sconce/ir/text";
import { verify } from "@sconce/ir/verify";
import type { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { readSafetensors } from "../index.js";
import { openPt2File } from "../node.js";
import type { ReadPt2Options } from "./options.js";
import { makeModel, makePt2, makeRecords, withModel } from "./pt2.fixture.js";
import { readPt2 } from "./read.js";

const fixtures = new URL("../../../testing/fixtures/", import.meta.url);
const programs = new URL("programs/", fixtures);
const text = (url: URL): string => readFileSync(url, "utf8");

/** The text that PyTorch prints for the loaded program. */
function loadedText(folder: URL, stem: string, kind: "txt" | "graph.txt"): string | undefined {
  const plain = stem === "program" && kind === "graph.txt" ? "graph.txt" : `${stem}.${kind}`;
  const file = [`${stem}.loaded.${kind}`, plain]
    .map((name) => new URL(name, folder))
    .find((url) => existsSync(url));
  return file === undefined ? undefined : text(file);
}

const corpus = readdirSync(programs, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .flatMap(({ name }) =>
    readdirSync(new URL(`${name}/`, programs))
      .filter((file) => file.endsWith(".pt2"))
      .map((file) => [name, file] as const),
  );
/** PyTorch itself cannot load this one; its file lacks the names of two nodes. */
const UNLOADABLE = new Set(["flow_grad_mode/program.pt2"]);

describe("the corpus of programs that PyTorch saved", () => {
  test("is there", () => {
    expect(corpus.length).toBeGreaterThan(200);
  });

  test.each(corpus)("%s/%s prints as PyTorch prints it [S-094, S-095]", async (name, file) => {
    const folder = new URL(`${name}/`, programs);
    const program = await openPt2File(new URL(file, folder));
    const stem = file.slice(0, -".pt2".length);
    expect(verify(program)).toEqual([]);
    if (UNLOADABLE.has(`${name}/${file}`)) return;
    expect(graphText(program.graph)).toBe(loadedText(folder, stem, "graph.txt") ?? graphText(program.graph));
    expect(programText(program)).toBe(loadedText(folder, stem, "txt") ?? programText(program));
  });

  test("sample inputs are the tensors of the example call [S-125]", async () => {
    const folder = new URL("lifted_dtypes/", programs);
    const { exampleInputs } = await openPt2File(new URL("program.pt2", folder));
    const { tensors } = readSafetensors(new Uint8Array(readFileSync(new URL("inputs.safetensors", folder))));
    const leaves = exampleInputs!.leaves as Tensor[];
    expect(leaves.map((leaf) => leaf.toArray())).toEqual(
      leaves.map((_, i) => tensors.get(`i${i}`)!.toArray()),
    );
  });

  describe("sample inputs", () => {
    const leavesOf = async (name: string, options?: ReadPt2Options) =>
      (await openPt2File(new URL(`${name}/program.pt2`, programs), options)).exampleInputs!
        .leaves as Tensor[];

    test("namedtuples and dataclasses come by field, deques and defaultdicts as lists and dicts", async () => {
      expect(await leavesOf("tree_namedtuple")).toHaveLength(2);
      expect(await leavesOf("api_register_dataclass")).not.toHaveLength(0);
      expect(await leavesOf("call_dataclass_nested")).toHaveLength(5);
      expect(await leavesOf("call_deque")).toHaveLength(3);
      expect(await leavesOf("call_defaultdict")).toHaveLength(2);
    });

    test("a registered class needs an entry that flattens it", async () => {
      await expect(leavesOf("call_registered_class")).rejects.toMatchObject({
        code: "UNKNOWN_PYTREE_TYPE",
        message: expect.stringContaining("call_programs.Pair") as string,
      });
      const options = (...fields: string[]) => ({
        pytreeTypes: new Map([["call_programs.Pair", recordType("call_programs.Pair", fields)]]),
      });
      const leaves = await leavesOf("call_registered_class", options("first", "second"));
      const call = await readFile(new URL("call_registered_class/inputs.safetensors", programs));
      const { tensors } = readSafetensors(call);
      expect(leaves.map((leaf) => leaf.toArray())).toEqual(
        ["i0", "i1"].map((name) => tensors.get(name)!.toArray()),
      );
      await expect(leavesOf("call_registered_class", options("first", "third"))).rejects.toMatchObject({
        code: "PICKLE_SYNTAX",
      });
    });
  });

  test("tied parameters and views share one storage", async () => {
    const { stateDict } = await openPt2File(new URL("lifted_shared_storage/program.pt2", programs));
    const storages = new Set([...stateDict.values()].map((tensor) => tensor.storage));
    expect(storages.size).toBeLessThan(stateDict.size);
  });
});

const layouts = new URL("pt2-layouts/", fixtures);
const values = JSON.parse(text(new URL("values.json", layouts))) as Record<string, unknown>;

function expectValues(program: ExportedProgram): void {
  for (const name of ["scale", "linear.bias", "linear.weight", "mask"]) {
    expect(program.tensor(name)!.toArray()).toEqual(values[name]);
  }
  expect(program.tensor("offsets")!.toArray()).toEqual((values["offsets"] as number[]).map(BigInt));
  expect((program.exampleInputs!.leaves[0] as Tensor).toArray()).toEqual(values["x"]);
  expect(program.exampleInputs!.leaves[1]).toBe(3);
  expect([...program.parameterNames].sort()).toEqual(["linear.bias", "linear.weight", "tied"]);
  expect(program.tensor("tied")!.storage).toBe(program.tensor("linear.bias")!.storage);
}

describe("layouts of older versions", () => {
  test.each(["current", "deflated", "flat", "pickled_weights"])("%s", async (name) => {
    const program = await openPt2File(new URL(`${name}.pt2`, layouts));
    expect(programText(program)).toBe(text(new URL("program.txt", layouts)));
    expectValues(program);
  });

  test("older argument kinds mean what they meant; unnamed nodes get the names that PyTorch gives", async () => {
    const program = await openPt2File(new URL("flat_old_schema.pt2", layouts));
    const want = text(new URL("graph.txt", layouts)).replaceAll("%topk", "%topk_default");
    expect(graphText(program.graph)).toBe(want);
    expect(program.torchVersion).toBe("2.7.0");
    expectValues(program);
  });
});

describe("sources", () => {
  const bytes = makePt2();
  const stream = (chunk: number): ReadableStream<Uint8Array> =>
    new ReadableStream({
      start(controller) {
        for (let i = 0; i < bytes.length; i += chunk) controller.enqueue(bytes.slice(i, i + chunk));
        controller.close();
      },
    });
  test.each([
    ["Uint8Array", () => bytes],
    ["ArrayBuffer", () => bytes.slice().buffer],
    ["Blob", () => new Blob([bytes.slice()])],
    ["stream", () => stream(100)],
    [
      "random access",
      () => ({ size: bytes.length, read: async (o: number, n: number) => bytes.slice(o, o + n) }),
    ],
    ["unaligned bytes", () => Uint8Array.from([0, ...bytes]).subarray(1)],
  ])("a program is read from %s [S-122, S-125]", async (_, source) => {
    const program = await readPt2(source());
    expect(program.tensor("w")!.toArray()).toEqual([1, 2, 3]);
    expect(graphText(program.graph).split("\n")).toHaveLength(6);
  });

  test("a stream that sends too much, fails or is given up", async () => {
    await expect(readPt2(stream(100), { limits: { maxStreamBytes: 150 } })).rejects.toMatchObject({
      code: "SOURCE_TOO_LARGE",
    });
    const failing = new ReadableStream<Uint8Array>({
      start: (controller) => controller.error(new Error("gone")),
    });
    await expect(readPt2(failing)).rejects.toThrow("gone");
    const stalled = new ReadableStream<Uint8Array>({});
    const abort = new AbortController();
    setTimeout(() => abort.abort(new Error("enough")), 10);
    await expect(readPt2(stalled, { signal: abort.signal })).rejects.toMatchObject({
      code: "ABORTED",
      cause: { message: "enough" },
    });
  });

  test("weights are views of the given bytes when they are aligned", async () => {
    const file = new Uint8Array(readFileSync(new URL("net_gpt/program.pt2", programs)));
    const copy = new Uint8Array(file);
    const program = await readPt2(copy);
    for (const tensor of program.stateDict.values()) expect(tensor.storage.bytes.buffer).toBe(copy.buffer);
  });
});

describe("details of reading", () => {
  test("other models of an archive are read by name", async () => {
    const records = makeRecords();
    for (const name of [...records.keys()])
      if (name.includes("model")) {
        records.set(
          name.replace(/(models|weights|constants|sample_inputs)\/model/, "$1/other"),
          records.get(name)!,
        );
        records.delete(name);
      }
    await expect(readPt2(makePt2(records))).rejects.toMatchObject({
      code: "PT2_NO_MODEL",
      fix: expect.stringContaining("other"),
    });
    expect((await readPt2(makePt2(records), { model: "other" })).graph.size).toBe(5);
  });

  test("a slice end of 2^63 - 1 survives [S-099]", async () => {
    const json = JSON.stringify(makeModel()).replace('{"as_float":1}', '{"as_int":9223372036854775807}');
    const bytes = makePt2(makeRecords(json));
    const program = await readPt2(bytes);
    expect(program.graph.node("add").args[1]).toBe(9223372036854775807n);
  });

  test("infinite and integral floats stay floats", async () => {
    for (const [json, want] of [
      ["Infinity", Infinity],
      ["-Infinity", -Infinity],
      [2, { kind: "float", value: 2 }],
    ] as const) {
      const program = await readPt2(
        withModel((m) => {
          m["graph_module"]!["graph"]!["nodes"]![1]!["inputs"]![1]!["arg"] = { as_float: json } as never;
        }),
      );
      expect(program.graph.node("add").args[1]).toEqual(want);
    }
  });

  test("metadata of other names is kept, also in IR text [T-15]", async () => {
    const program = await readPt2(
      withModel((m) => {
        m["graph_module"]!["graph"]!["nodes"]![1]!["metadata"] = {
          stack_trace: "File",
          mine: "a text",
        } as never;
      }),
    );
    for (const one of [program, parseIr(printIr(program))])
      expect(one.graph.node("add").meta).toMatchObject({ stackTrace: "File", extra: { mine: "a text" } });
  });

  test("nodes say which data-dependent symbols they bring", async () => {
    const { graph } = await openPt2File(new URL("unbacked_select/program.pt2", programs));
    const bindings = graph
      .nodes()
      .flatMap((node) =>
        node.meta.unbackedBindings === undefined ? [] : [[node.name, node.meta.unbackedBindings]],
      );
    expect(Object.fromEntries(bindings)).toEqual({
      masked_select: { u0: ".size()[0]" },
      item: { u1: "" },
      repeat_interleave: { u2: ".size()[0]" },
    });
  });

  test("symbolic sizes, hints and ranges", async () => {
    const program = await openPt2File(new URL("api_derived_dim/program.pt2", programs));
    const x = program.graph.placeholders()[0]!.meta.val as FakeTensor;
    expect(typeof x.shape[0]).toBe("object");
    expect(program.symbolHints.size).toBeGreaterThan(0);
    expect(program.rangeConstraints.size).toBeGreaterThan(0);
  });
});
