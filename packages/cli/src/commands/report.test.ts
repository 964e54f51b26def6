import { describe, expect, test } from "vitest";
import { fixture, sconce } from "../command.fixture.js";

describe("sconce report", () => {
  test("has the checks, the passes, the backends and the graph", async () => {
    const args = ["report", fixture("net_mlp"), "-o", "-", "--passes", "decompose,dce"];
    const { code, out, err } = await sconce(...args);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toContain("The verifier found no problem.");
    expect(out).toContain("<td>decompose</td>");
    expect(out).toContain("<h2>Backend wasm</h2>");
    expect(out).toContain("Equal to cpu within the tolerance");
    expect(out).toContain('<svg xmlns="http://www.w3.org/2000/svg"');
    expect(out).not.toContain("<script");
    expect(out).toContain("An element differs when |a - b| &#62; atol + rtol * |b|");
    // One main part with all of the page, and a heading before each table of a backend.
    expect(out).toMatch(/<body>\n<main>\n[\s\S]*<\/main>\n<\/body>/);
    expect(out.slice(out.indexOf("<h2>Backend wasm"))).not.toMatch(/<\/(?:table|p)>\n<table>/);
    expect(out).toMatch(/<h3>Largest differences<\/h3>\n<table>/);
    expect(out).toMatch(/<h3>Times<\/h3>\n<table>/);
  });

  test("takes any backends", async () => {
    const { code, out } = await sconce("report", fixture("net_mlp"), "-o", "-", "--backend", "cpu,gpujs:cpu");
    expect(code).toBe(0);
    expect(out).toContain("<h2>Backend gpujs:cpu</h2>");
    expect(out).not.toContain('class="bad"');
  });

  test("fails when no backend ran, with the code and the place of the error in the page", async () => {
    const { code, out, err } = await sconce("report", fixture("pm_custom_op"), "-o", "-");
    expect(code).toBe(1);
    expect(err).toMatch(/^warning: cpu did not run: OPAQUE_OPERATORS: .*\nwarning: wasm did not run: OPAQUE/);
    expect(out.match(/<p class="bad">OPAQUE_OPERATORS: .* \(in %sin, .*\.py:577\)<\/p>/g)).toHaveLength(2);
  });

  test("refuses a depth that is none, and no backend", async () => {
    const args = ["report", fixture("net_mlp"), "-o", "-"];
    for (const wrong of [
      ["--fold", "0"],
      ["--backend", "cpu,"],
    ])
      expect((await sconce(...args, ...wrong)).err).toMatch(/^error USAGE: /);
  });
});
