import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { fixture, sconce } from "../command.fixture.js";

const folder = mkdtempSync(join(tmpdir(), "sconce-build-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("sconce build", () => {
  const types = ["digits.d.mts", "digits.d.ts"];
  test.each([
    [[], ["digits.mjs", "digits.safetensors", "digits.wasm"]],
    [["--inline"], ["digits.mjs"]],
    [
      ["--target", "js"],
      ["digits.mjs", "digits.safetensors"],
    ],
    [
      ["--target", "wasm,js", "--packed"],
      ["digits.mjs", "digits.safetensors", "digits.wasm"],
    ],
  ])("%j writes files to a new folder", async (options, files) => {
    const place = join(folder, options.join(" ") || "plain");
    const { code, err, out } = await sconce(
      "build",
      fixture("digits"),
      "-o",
      place,
      "--name",
      "digits",
      ...options,
    );
    expect([code, err]).toEqual([0, ""]);
    expect(readdirSync(place).sort()).toEqual([...types, ...files].sort());
    for (const file of files) expect(out).toContain(join(place, file));
    expect(out).toMatch(/^14 calls in 7 kernels/m);
  });

  test("writes to a folder that is there, again too", async () => {
    const place = mkdtempSync(join(folder, "there-"));
    for (const _ of [1, 2]) {
      const { code, out } = await sconce(
        "build",
        fixture("digits"),
        "-o",
        place,
        "--name",
        "digits",
        "--json",
      );
      expect(code).toBe(0);
      expect(JSON.parse(out)).toMatchObject({ output: place, calls: 14, kernels: 7 });
    }
    expect(readdirSync(place)).toHaveLength(5);
  });

  test("writes nothing to a place that is not a folder, and for a program that no module holds", async () => {
    const file = join(folder, "file");
    writeFileSync(file, "");
    for (const place of [file, join(folder, "missing", "folder")]) {
      const { code, err } = await sconce("build", fixture("digits"), "-o", place);
      expect([code, err]).toEqual([2, expect.stringMatching(/^error FILE: /)]);
    }
    const place = join(folder, "refused");
    const halves = join(folder, "halves.sir");
    writeFileSync(
      halves,
      `sconce-ir 1
program "ATEN" { input %x: USER_INPUT output %y: USER_OUTPUT call "" ((*), {}) -> * names ["x"] }
graph(%x: c32[3]) {
  %y: c32[3] = aten.clone.default(%x)
  return (%y)
}
`,
    );
    const { code, err } = await sconce("build", halves, "-o", place);
    expect([code, err]).toEqual([2, expect.stringMatching(/^error BUILD_UNSUPPORTED: /)]);
    expect(readdirSync(folder)).not.toContain("refused");
  });

  test("refuses targets that it does not have", async () => {
    const { code, err } = await sconce("build", fixture("digits"), "-o", folder, "--target", "gpu");
    expect(code).toBe(2);
    expect(err).toMatch(/wasm,js/);
  });
});
