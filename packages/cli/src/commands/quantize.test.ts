import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Tensor, writeSafetensors } from "@sconce/tensor";
import { afterAll, describe, expect, test } from "vitest";
import { fixture, sconce } from "../command.fixture.js";
import { quantizeHtml } from "./quantize-html.js";

const folder = mkdtempSync(join(tmpdir(), "sconce-quantize-"));
afterAll(() => rmSync(folder, { recursive: true }));
const place = (name: string): string => join(folder, name);

const samples = place("samples");
mkdirSync(samples);
for (const run of [0, 1]) {
  const values = Array.from({ length: 128 }, (_, i) => (i * (run + 3)) % 17);
  const image = Tensor.from(values, [2, 1, 8, 8], "float32");
  writeFileSync(join(samples, `${run}.safetensors`), writeSafetensors(new Map([["i0", image]])));
}

describe("sconce quantize", () => {
  test("writes a smaller program that runs, and says what it measured on", async () => {
    const output = place("small.pt2");
    const { code, err, out } = await sconce("quantize", fixture("digits"), "--bits", "4", "-o", output);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain("measured on 4 random inputs with seed 0; --calibrate takes real ones");
    expect(out).toMatch(/^fc1\.weight +4 +48 /m);
    expect(out).toContain("31.98 kB -> 5.38 kB of weights (16.8 %)");
    const ran = await sconce("run", output, "--random", "1");
    expect([ran.code, ran.err]).toEqual([0, ""]);
  });

  test("measures on samples, and writes JSON and a page", async () => {
    const page = place("page.html");
    const { code, out } = await sconce(
      ...["quantize", fixture("digits"), "-o", place("eight.pt2"), "--calibrate", samples],
      ...["--report", page, "--json", "--max-error", "0.5"],
    );
    expect(code).toBe(0);
    const report = JSON.parse(out) as {
      readonly samples: string;
      readonly error: number;
      readonly weights: readonly { readonly name: string }[];
      readonly layers: object;
    };
    expect(report.samples).toBe(`2 samples of ${samples}`);
    expect(report.error).toBeLessThan(0.5);
    expect(report.weights.map(({ name }) => name).sort()).toEqual([
      "conv1.weight",
      "conv2.weight",
      "fc1.weight",
      "fc2.weight",
    ]);
    const html = readFileSync(page, "utf8");
    const names = [...report.weights.map(({ name }) => name), ...Object.keys(report.layers)];
    expect(names).toHaveLength(8);
    for (const text of names) expect(html).toContain(`<td>${text}</td>`);
    expect(html).not.toContain("<script");
  });

  test("--scheme gptq takes samples", async () => {
    const { code, err, out } = await sconce(
      ...["quantize", fixture("digits"), "--bits", "4", "--scheme", "gptq", "--calibrate", samples],
      ...["-o", place("gptq.pt2")],
    );
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^fc1\.weight +4 /m);
  });

  test.each(["static", "dynamic"])("--mode %s computes in int8", async (mode) => {
    const output = place(`${mode}.pt2`);
    const { code, err, out } = await sconce(
      ...["quantize", fixture("digits"), "--mode", mode, "--observer", "min-max", "-o", output],
      ...["--calibrate", samples],
    );
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^addmm_1 +\d+\.\d dB /m);
    const ran = await sconce("run", output, "--random", "1");
    expect([ran.code, ran.err]).toEqual([0, ""]);
  });

  test("names of files, weights and calls are escaped in the page", () => {
    const distortion = { snr: 1, maxError: 1, maxMagnitude: 1 };
    const weight = {
      ...{ name: "<b>w</b>", layers: [], shape: [], bits: 8, group: 1, bytesBefore: 4, bytesAfter: 1 },
      ...{ distortion, damage: 0, aloneSnr: 0, values: new Map() },
    };
    const report = {
      ...{ layers: [["<i>", distortion] as const], weights: [weight], floats: ["<u>"], outputs: [] },
      ...{ bytes: { before: 4, after: 1 }, error: 0 },
    };
    const facts = { file: "<img src=x>", version: "1", source: "<a>", maxError: undefined };
    const html = quantizeHtml({ ...facts, report });
    expect(html).not.toMatch(/<(img|b|i|u|a)[ >]/);
    expect(html).toContain("&#60;b&#62;w&#60;/b&#62;");
  });

  test.each([
    [["--bits", "3"], "3", "8, 4, 2"],
    [["--max-error", "much"], '--max-error: "much" is not a ratio', "0.01"],
    [["--calibrate", place("none")], "is not a folder that can be read", "safetensors"],
    [["--calibrate", folder], "has no safetensors files", "0.safetensors"],
    [["--include", "fc9"], "include names fc9, which is not a weight", "fc"],
    [["--mode", "static", "--max-error", "0.1"], "--max-error is of use with --mode weights only", "leave"],
    [["--scheme", "gptq"], "--scheme gptq goes by the inputs of layers", "--calibrate"],
    [["--seed", "x"], '--seed: "x" is not a seed', "integer"],
  ])("%j is refused", async (options, message, fix) => {
    const { code, err } = await sconce(...["quantize", fixture("digits"), "-o", place("no.pt2"), ...options]);
    expect(code).toBe(2);
    expect(err).toContain(message);
    expect(err).toContain(fix);
  });
});
