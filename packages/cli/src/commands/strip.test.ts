import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fixture, sconce } from "../command.fixture.js";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sconce-strip-"));
});
afterAll(() => rm(folder, { recursive: true }));
const out = (name: string): string => join(folder, name);
const inputs = ["--inputs", fixture("net_lstm", "inputs.safetensors")];
const expected = ["--expect", fixture("net_lstm", "outputs.safetensors")];

test("the program runs as before, and shows nothing of its author", async () => {
  const before = (await sconce("print", fixture("net_lstm"), "--format", "ir")).out;
  expect(before).toMatch(/stackTrace/);
  const file = out("public.sir");
  const stripped = await sconce("strip", fixture("net_lstm"), "-o", file);
  expect(stripped).toMatchObject({ code: 0, err: "" });
  expect(stripped.out).toMatch(
    /public\.sir: 16 nodes, dialect TRAINING; tensors in .*public\.safetensors\n$/,
  );
  const text = await readFile(file, "utf8");
  expect(text).not.toMatch(/stackTrace|torchFn|\.py|example|LSTM/);
  expect(text).toContain('"torch.nn.modules.module.Module"');
  expect((await sconce("run", file, ...inputs, ...expected)).code).toBe(0);
});

test("weights and modules are removed if asked", async () => {
  const file = out("shape.sir");
  const stripped = await sconce(
    "strip",
    fixture("net_lstm"),
    "-o",
    file,
    "--drop-weights",
    "--drop-modules",
    "--json",
  );
  expect(JSON.parse(stripped.out)).toEqual({ output: file, weights: null, dialect: "TRAINING", nodes: 16 });
  expect(await readFile(file, "utf8")).not.toMatch(/nnModuleStack/);
  expect((await sconce("run", file, ...inputs)).err).toMatch(/^error NO_VALUES: /);
  const weights = ["--weights", out("public.safetensors")];
  expect((await sconce("run", file, ...weights, ...inputs, ...expected)).code).toBe(0);
  const clash = await sconce("strip", fixture("net_lstm"), "-o", out("public.sir"), "--drop-weights");
  expect(clash.err).toMatch(/^error USAGE: .*public\.safetensors would be read with .*public\.sir/);
});

test("the result can be a .pt2 file", async () => {
  const file = out("public.pt2");
  const stripped = await sconce("strip", fixture("net_lstm"), "-o", file);
  expect(stripped.out).toBe(`${file}: 16 nodes, dialect TRAINING; tensors in the file\n`);
  expect(await readFile(file, "latin1")).not.toMatch(/stack_trace|torch_fn|source_fn|\.py|modules\.rnn/);
  expect((await sconce("run", file, ...inputs, ...expected)).code).toBe(0);
  expect((await sconce("info", file, "--security")).out).toMatch(/: PyTorch executes and evaluates nothing/);
});

test("info --security lists what PyTorch would execute", async () => {
  const { code, out: text } = await sconce("info", fixture("pm_dataclass"), "--security");
  expect(code).toBe(0);
  expect(text).toContain("; look at the entries marked with !\n! pickle: seed_programs.Input, torch._utils.");
  const plain = await sconce("info", fixture("net_mlp"), "--security");
  expect(plain.out).toMatch(/; all of it ordinary\n {2}pickle: .*\n.*\n {2}\d+ plain expressions\n/);
  const report = JSON.parse((await sconce("info", fixture("pm_custom_op"), "--security", "--json")).out) as {
    readonly isPlain: boolean;
    readonly findings: readonly { readonly kind: string; readonly names: readonly string[] }[];
  };
  expect(report.isPlain).toBe(false);
  expect(report.findings.find(({ kind }) => kind === "custom-operator")!.names).toEqual([
    "torch.ops.mylib.sin.default",
  ]);
  expect((await sconce("info", out("public.sir"), "--security")).out).toMatch(
    /executes and evaluates nothing/,
  );
});
