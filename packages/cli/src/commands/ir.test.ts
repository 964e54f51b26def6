import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fixture, sconce, sconceOn, withInput } from "../command.fixture.js";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sconce-ir-"));
});
afterAll(() => rm(folder, { recursive: true }));
const out = (name: string): string => join(folder, name);

test("JSON IR and weights run to PyTorch's results", async () => {
  const [json, weights] = [out("lstm.json"), out("lstm.safetensors")];
  const written = await sconce(
    "ir",
    fixture("net_lstm"),
    "-o",
    json,
    "--weights-output",
    weights,
    "--name",
    "LSTM",
  );
  expect(written).toEqual({ code: 0, err: "", out: `${json}: 8 nodes, 6 weights, 0 with their values\n` });
  expect(await readFile(json, "utf8")).toMatch(/^\{\n {2}"model_name": "LSTM",\n {2}"graph_inputs": \[\n/);
  const files = ["--inputs", fixture("net_lstm", "inputs.safetensors"), "--weights", weights];
  const run = await sconce("run", json, ...files, "--expect", fixture("net_lstm", "outputs.safetensors"));
  expect([run.code, run.err]).toEqual([0, ""]);
  expect(run.out).toContain("outputs are as expected");
  expect((await sconce("run", json, "--random", "0")).err).toMatch(/^error NO_VALUES: /);
});

test("JSON IR goes through pipes, and other commands read it", async () => {
  const { out: json } = await sconce("ir", fixture("lifted_gather"), "-o", "-");
  expect(json).toBe(
    (await sconce("print", fixture("lifted_gather"), "--format", "json-ir")).out.replace(
      '"model"',
      '"program"',
    ),
  );
  const info = await sconceOn(withInput(json), "info", "-");
  expect(info.out).toMatch(/^standard input: JSON IR, torch unknown, dialect TRAINING\n/);
  const graph = await sconceOn(withInput(json), "print", "-", "--format", "graph");
  expect(graph.out).toBe(await readFile(fixture("lifted_gather", "graph.txt"), "utf8"));
});

test("dynamic sizes are written, and can be fixed", async () => {
  const dynamic = await sconce("ir", fixture("net_mlp"), "-o", "-");
  expect([dynamic.code, dynamic.err]).toEqual([0, ""]);
  expect(dynamic.out).toContain('{"name": "x", "shape": ["s77", 12], "dtype": "float32"}');
  const fixed = await sconce(
    "ir",
    fixture("net_mlp"),
    "-o",
    "-",
    "--passes",
    "propagate-shapes{sizes=[s77=4]}",
  );
  expect([fixed.code, fixed.err]).toEqual([0, ""]);
  expect(fixed.out).not.toContain("s77");
});

test.each([
  [
    "model.sir",
    /^error USAGE: .*model\.sir cannot be written: the result is JSON\n {2}fix name it OUT\.json/,
  ],
  ["absent/model.json", /^error FILE: /],
])("%s is refused", async (name, error) => {
  expect((await sconce("ir", fixture("net_lstm"), "-o", out(name))).err).toMatch(error);
});

test("JSON for other tools is named as what it is", async () => {
  const { out: json } = await sconce("print", fixture("net_lstm"), "--format", "json");
  expect((await sconceOn(withInput(json), "info", "-")).err).toMatch(
    /^error JSON_IR_TYPE: .*nothing reads back/,
  );
});
