import { VERSION } from "@sconce/errors";
import { describe, expect, test } from "vitest";
import { sconce } from "../command.fixture.js";
import { findPackage } from "./installed-packages.js";

describe("sconce doctor", () => {
  test("--json lists versions, the system, packages, and all modes", async () => {
    const { code, out, err } = await sconce("doctor", "--json");
    expect([code, err]).toEqual([0, ""]);
    const facts = JSON.parse(out);
    expect(facts).toMatchObject({
      sconce: VERSION,
      node: { version: process.versions.node, supported: true },
      system: { arch: process.arch },
    });
    const packages = new Map(facts.packages.map((one: { name: string }) => [one.name, one]));
    expect(packages.get("@sconce/ir")).toMatchObject({ version: VERSION, fix: null });
    expect(packages.get("gpu.js")).toMatchObject({ version: expect.stringMatching(/^2\./) });
    const names = facts.backends.map(({ name }: { name: string }) => name);
    expect(names).toEqual([
      "cpu",
      ...["webgpu", "webgl2", "webasm", "cpu", "headlessgl"].map((mode) => `gpujs:${mode}`),
    ]);
    for (const { available, device, reason, fix } of facts.backends)
      expect([device !== null, reason === null, fix === null]).toEqual([available, available, available]);
    expect(facts.backends[0]).toMatchObject({ available: true, hardware: false });
    expect(facts.backends[2]).toMatchObject({ available: false, reason: expect.stringContaining("WebGL 2") });
    expect(facts.backends[4]).toMatchObject({ available: true, device: "gpu.js cpu" });
    for (const { what, reason, fix } of facts.missing) expect([what, reason, fix]).not.toContain("");
  });

  test("shows the same as text", async () => {
    const { code, out } = await sconce("doctor");
    expect(code).toBe(0);
    expect(out).toMatch(/^sconce \S+, node [\d.]+ \(supported\)\n/);
    expect(out).toMatch(/\n {2}gpujs:cpu +yes +gpu\.js cpu, no GPU\n/);
    expect(out).toMatch(/\nmissing:\n[\s\S]*gpujs:webgl2: .*\n {4}fix open a page in a browser/);
  });
});

test("a package that is not installed has no version", () => {
  expect(findPackage("no-such-package-anywhere")).toBeUndefined();
  expect(findPackage("gpu.js", "@sconce/no-such-package")?.version).toMatch(/^2\./);
});
