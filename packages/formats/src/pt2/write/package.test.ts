import { readFileSync } from "node:fs";
import { isSconceError } from "@sconce/errors";
import type { ExportedProgram } from "@sconce/ir";
import { parseIr } from "@sconce/ir/text";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import {
  type LoadPt2Options,
  loadPt2,
  type PT2ArchiveContents,
  pt2ProgramNames,
  readPt2,
} from "../../index.js";
import { joinPieces } from "../../zip/write.js";
import type { PackagePt2Options } from "./options.js";
import { differing, entriesOf, folderOf, operators, saved } from "./saved.fixture.js";
import { type NamedPrograms, packagePieces } from "./write.js";

const folder = new URL("../../../../testing/fixtures/packages/", import.meta.url);
const bytesOf = (name: string): Uint8Array => readFileSync(new URL(`${name}.pt2`, folder));
const load = (bytes: Uint8Array, options?: LoadPt2Options): Promise<PT2ArchiveContents> =>
  loadPt2(bytes, { operators, ...options });
const NAMES: Readonly<Record<string, readonly string[]>> = {
  methods: ["prefill", "decode"],
  overloads: ["decoder:prefill", "decoder:decode", "encoder"],
  "with-model": ["model", "parts/head", "weight_x", "last one"],
};
const ARCHIVES = Object.keys(NAMES);

const SOURCE = [
  "sconce-ir 1",
  "",
  'program "ATEN" {',
  "  input %x: USER_INPUT",
  "  output %out: USER_OUTPUT",
  "}",
  "",
  "graph(%x: f32[2]) {",
  "  CALL",
  "  return (%out)",
  "}",
].join("\n");

async function packaged(programs: NamedPrograms, options: PackagePt2Options = {}): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of packagePieces(programs, { operators, ...options })) pieces.push(piece);
  return joinPieces(pieces);
}

const records = (bytes: Uint8Array, prefix: string): string[] =>
  [...entriesOf(bytes).keys()].filter((name) => name.startsWith(prefix) && !name.endsWith("_config.json"));

const options = (bytes: Uint8Array, { extraFiles }: PT2ArchiveContents): PackagePt2Options => ({
  extraFiles: Object.fromEntries(extraFiles),
  folder: folderOf(bytes),
});

describe("archives of several programs", () => {
  test.each(ARCHIVES)("%s: names, programs and extra files", async (name) => {
    const bytes = bytesOf(name);
    expect(await pt2ProgramNames(bytes)).toEqual(NAMES[name]);
    const { exportedPrograms, extraFiles } = await load(bytes);
    expect([...exportedPrograms.keys()]).toEqual(NAMES[name]);
    expect([...extraFiles].map(([file, text]) => [file, new TextDecoder().decode(text)])).toEqual([
      ["note.txt", name],
    ]);
    for (const [model, program] of exportedPrograms) {
      const alone = await readPt2(bytes, { operators, model });
      expect(await program.hash()).toEqual(await alone.hash());
    }
  });

  test.each(ARCHIVES)("%s: written again, it has PyTorch's bytes", async (name) => {
    const bytes = bytesOf(name);
    const contents = await load(bytes);
    const again = await packaged(contents.exportedPrograms, options(bytes, contents));
    expect(differing(again, bytes)).toEqual([]);
    expect(Buffer.compare(again, bytes)).toBe(0);
  });

  test("a file of one program is an archive of the program `model`", async () => {
    const bytes = await saved((await load(bytesOf("with-model"))).exportedPrograms.get("model")!);
    expect(await pt2ProgramNames(bytes)).toEqual(["model"]);
    expect([...(await load(bytes)).exportedPrograms.keys()]).toEqual(["model"]);
    expect(await packaged((await load(bytes)).exportedPrograms)).toEqual(bytes);
  });

  test("weights are read when they are needed, and copied from the file", async () => {
    const bytes = bytesOf("methods");
    const contents = await load(bytes, { weights: "lazy" });
    const weight = contents.exportedPrograms.get("decode")!.stateDict.get("linear.weight")!;
    expect(weight.isLoaded).toBe(false);
    expect(await packaged(contents.exportedPrograms, options(bytes, contents))).toEqual(
      new Uint8Array(bytes),
    );
    expect(weight.isLoaded).toBe(false);
  });
});

describe("weights that several programs share", () => {
  test.each(["methods-once", "overloads-once", "with-model-once"])(
    "%s: one memory, one record",
    async (name) => {
      const bytes = bytesOf(name);
      const { exportedPrograms } = await load(bytes);
      const again = await packaged(exportedPrograms);
      for (const prefix of ["data/weights/", "data/constants/"])
        expect(records(again, prefix)).toHaveLength(records(bytes, prefix).length);
      const [first, ...rest] = [...exportedPrograms.values()].flatMap(
        ({ stateDict }) => stateDict.get("linear.weight") ?? [],
      );
      for (const other of rest) expect(other.storage).toBe(first!.storage);
      const back = await load(again);
      for (const [model, program] of back.exportedPrograms)
        expect(await program.hash()).toEqual(await exportedPrograms.get(model)!.hash());
    },
  );

  test.each(ARCHIVES)("%s: equal weights of different programs are written once", async (name) => {
    const [bytes, once] = [bytesOf(name), bytesOf(`${name}-once`)];
    for (const weights of ["eager", "lazy"] as const) {
      const contents = await load(bytes, { weights });
      const again = await packaged(contents.exportedPrograms, { sharedWeights: "content" });
      for (const prefix of ["data/weights/", "data/constants/"])
        expect(records(again, prefix)).toHaveLength(records(once, prefix).length);
      const back = await load(again);
      for (const [model, program] of back.exportedPrograms)
        expect(await program.hash()).toEqual(await contents.exportedPrograms.get(model)!.hash());
    }
  });

  test("equal weights of one program stay separate: PyTorch ties tensors of one record", async () => {
    const program = (await load(bytesOf("methods"))).exportedPrograms.get("prefill")!;
    const zeros = (): Map<string, Tensor> =>
      new Map(
        ["low", "high", "linear.bias"].map((name) => [name, Tensor.from([0, 0, 0, 0], { dtype: "float32" })]),
      );
    const stateWith = (other: ReadonlyMap<string, Tensor>): ExportedProgram =>
      program.with({ stateDict: new Map([...program.stateDict, ...other]) });
    const equal = stateWith(zeros());
    const programs = new Map([
      ["a", equal],
      ["b", stateWith(zeros())],
    ]);
    const alone = records(await packaged(new Map([["a", equal]])), "data/weights/").length;
    const both = await packaged(programs, { sharedWeights: "content" });
    expect(records(both, "data/weights/")).toHaveLength(alone);
    const { exportedPrograms } = await load(both);
    for (const { stateDict } of exportedPrograms.values())
      expect(new Set([...stateDict.values()].map(({ storage }) => storage)).size).toBe(alone);
    expect(records(await packaged(programs), "data/weights/").length).toBeGreaterThan(alone);
  });
});

describe("what is refused", () => {
  const one = async (): Promise<NamedPrograms> => (await load(bytesOf("with-model"))).exportedPrograms;

  test.each(["", "../up", "/abs", "a\\b", "a//b", "a/", "C:x", "a\0b", "./a"])(
    "a program named %j",
    async (name) => {
      const programs = new Map([[name, (await one()).get("model")!]]);
      await expect(packaged(programs)).rejects.toMatchObject({
        code: "OPTION_VALUE",
        where: "the programs of packagePt2",
      });
    },
  );

  test("names that are one file, no programs, an unknown way to share", async () => {
    const program = (await one()).get("model")!;
    const twice = new Map([
      ["Decode", program],
      ["decode", program],
    ]);
    await expect(packaged(twice)).rejects.toThrow('"decode", which is the same file as "Decode"');
    await expect(packaged(new Map())).rejects.toMatchObject({ code: "OPTION_VALUE" });
    const sharedWeights = "all" as "memory";
    await expect(packaged(await one(), { sharedWeights })).rejects.toMatchObject({ code: "OPTION_VALUE" });
  });

  test("an error and a warning name the program", async () => {
    const programs = await one();
    const warnings: string[] = [];
    const onWarning = (message: string): void => void warnings.push(message);
    const calling = (body: string): NamedPrograms =>
      new Map([
        ...programs,
        ["parts/bad", parseIr(SOURCE.replace("CALL", body), { unknownTargets: "allow" })],
      ]);
    await expect(packaged(calling('%out: f32[2] = aten.pad.default(%x, [1, "a"])'))).rejects.toMatchObject({
      code: "NOT_SAVABLE",
      where: expect.stringMatching(/^program "parts\/bad": node /) as string,
    });
    const named = SOURCE.replaceAll("%out", '%"a-b"').replace(
      "CALL",
      '%"a-b": f32[2] = aten.relu.default(%x)',
    );
    await packaged(new Map([...programs, ["named", parseIr(named)]]), { onWarning });
    expect(warnings).toEqual([
      expect.stringMatching(/^program "named": names that are not Python identifiers are renamed/),
    ]);
  });

  test("a damaged program of an archive, with its file", async () => {
    const bytes = new Uint8Array(bytesOf("methods"));
    const text = new TextDecoder("latin1").decode(bytes);
    bytes[text.indexOf('"torch.ops.aten.tanh.default"') + 3]! ^= 1;
    const error = await load(bytes).catch((caught: unknown) => caught);
    expect(isSconceError(error) && error.where).toContain("models/decode.json");
    expect((await readPt2(bytesOf("methods"), { operators, model: "prefill" })).graph.size).toBeGreaterThan(
      0,
    );
  });
});
