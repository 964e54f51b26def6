import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fixture, sconce } from "../command.fixture.js";

let folder: string;
const at = (name: string): string => join(folder, name);
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sconce-convert-"));
});
afterEach(() => rm(folder, { recursive: true }));

describe("sconce convert", () => {
  test("writes .pt2 as IR text, and back to the same bytes", async () => {
    const first = await sconce("convert", fixture("net_mlp"), at("m.sir"));
    expect(first).toEqual({
      code: 0,
      out: `${at("m.sir")}: 18 nodes, dialect TRAINING; tensors in ${at("m.safetensors")}\n`,
      err: "",
    });
    const back = await sconce("convert", at("m.sir"), at("program.pt2"), "--json");
    expect(JSON.parse(back.out)).toEqual({
      output: at("program.pt2"),
      weights: null,
      dialect: "TRAINING",
      nodes: 18,
    });
    expect(await readFile(at("program.pt2"))).toEqual(await readFile(fixture("net_mlp")));
    const hashes = [fixture("net_mlp"), at("m.sir"), at("program.pt2")].map(
      async (file) => JSON.parse((await sconce("info", "--json", file)).out).hash,
    );
    expect(new Set((await Promise.all(hashes)).map(({ program }) => program)).size).toBe(1);
  });

  test("warns of what a .pt2 file does not hold, and of what PyTorch needs", async () => {
    const { code, err } = await sconce("convert", fixture("pm_custom_op"), at("m.pt2"));
    expect([code, err]).toEqual([0, expect.stringContaining("mylib.sin.default")]);
    const dropped = await sconce("convert", fixture("pm_dataclass"), at("m.pt2"));
    expect(dropped.err).toContain("the example inputs are left out of the file");
  });

  test("leaves what was there when the program cannot be written", async () => {
    await writeFile(at("m.pt2"), "old");
    await writeFile(
      at("m.sir"),
      'sconce-ir 1\nprogram "ATEN" { input %x: USER_INPUT output %y: USER_OUTPUT }\n' +
        "graph(%x: f32[2]) { %y: f32[2] = mylib.f.default(%x) return (%y) }\n",
    );
    const { code, err } = await sconce("convert", at("m.sir"), at("m.pt2"));
    expect(code).toBe(2);
    expect(err).toContain("error NOT_SAVABLE: the program cannot be written as .pt2");
    expect(err).toContain("node y");
    expect([await readFile(at("m.pt2"), "utf8"), (await readdir(folder)).sort()]).toEqual([
      "old",
      ["m.pt2", "m.sir"],
    ]);
  });

  test("names a format by the extension", async () => {
    const { code, err } = await sconce("convert", fixture("ir_add"), at("m.safetensors"));
    expect([code, err]).toEqual([2, expect.stringContaining("name it OUT.pt2 for PyTorch")]);
  });
});

test("sconce lower writes .pt2", async () => {
  const { code, out } = await sconce("lower", fixture("net_mlp"), "-o", at("lowered.pt2"));
  expect([code, out]).toEqual([0, expect.stringMatching(/dialect ATEN; tensors in the file\n$/)]);
  expect((await sconce("info", at("lowered.pt2"))).out).toContain("ATEN");
});

test("sconce export writes .pt2", async () => {
  await writeFile(
    at("m.mjs"),
    `import { nn, torch } from ${JSON.stringify(new URL("../../../sconce/dist/index.js", import.meta.url).href)};\n` +
      "export const model = new nn.Linear(4, 2);\nexport const args = [torch.ones(3, 4)];\n",
  );
  const { code, err } = await sconce("export", at("m.mjs"), "-o", at("m.pt2"));
  expect([code, err]).toEqual([0, ""]);
  expect((await sconce("print", at("m.pt2"), "--format", "code")).out).toContain("aten.linear.default");
});
