import { readFileSync } from "node:fs";
import { VERSION } from "@sconce/errors";
import { describe, expect, test } from "vitest";
import { sconce } from "../command.fixture.js";
import { findPackage } from "./installed-packages.js";

const asJson = sconce("doctor", "--json");

describe("sconce doctor", () => {
  test("--json lists versions, the system, packages, and all modes", async () => {
    const { code, out, err } = await asJson;
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
      "wasm",
      ...["webgpu", "webgl2", "webasm", "cpu", "headlessgl"].map((mode) => `gpujs:${mode}`),
    ]);
    for (const { available, device, reason, fix } of facts.backends)
      expect([device !== null, reason === null, fix === null]).toEqual([available, available, available]);
    expect(facts.backends[0]).toMatchObject({ available: true, hardware: false });
    expect(facts.backends[3]).toMatchObject({ available: false, reason: expect.stringContaining("WebGL 2") });
    expect(facts.backends[5]).toMatchObject({ available: true, device: "gpu.js cpu" });
    expect(facts.backends[1]).toMatchObject({ available: true, device: expect.stringContaining("SIMD") });
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

describe("the manifests agree with what doctor looks for", () => {
  const manifest = (folder: string) =>
    JSON.parse(readFileSync(new URL(`../../../${folder}/package.json`, import.meta.url), "utf8")) as {
      readonly engines: { readonly node: string };
      readonly dependencies?: Readonly<Record<string, string>>;
    };

  /** The packages of the repository that one of them installs, itself included. */
  function installed(folder: string, found = new Set<string>()): Set<string> {
    if (found.has(folder)) return found;
    found.add(folder);
    for (const name of Object.keys(manifest(folder).dependencies ?? {}))
      if (name.startsWith("@sconce/")) installed(name.slice("@sconce/".length), found);
    return found;
  }

  test("the oldest Node, and the packages that the command needs", async () => {
    const { node, packages } = JSON.parse((await asJson).out);
    expect(node.needed).toBe(manifest("cli").engines.node);
    const own = packages.flatMap(({ name }: { name: string }) => /^@sconce\/(.*)/.exec(name)?.[1] ?? []);
    expect(new Set(own)).toEqual(installed("cli"));
  });
});

test("a package that is not installed has no version", () => {
  expect(findPackage("no-such-package-anywhere")).toBeUndefined();
  expect(findPackage("gpu.js", "@sconce/no-such-package")?.version).toMatch(/^2\./);
});
