import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fixture, sconce } from "../command.fixture.js";

describe("sconce view", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "sconce-view-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  test("refuses a port that is none, and a file that is missing", async () => {
    const file = fixture("net_mlp");
    expect((await sconce("view", file, "--no-open", "--port", "70000")).err).toMatch(
      /^error USAGE: --port: "70000" is not a port\n/,
    );
    expect((await sconce("view", join(folder, "missing.pt2"))).err).toMatch(/^error FILE: /);
  });

  test.each(["example.org", "ftp://example.org", "https://example.org/models", "https://a.org?x"])(
    "refuses --connect %s, which is not a server",
    async (text) => {
      const { code, err } = await sconce("view", fixture("net_mlp"), "--no-open", "--connect", text);
      expect(code).toBe(2);
      expect(err).toContain(`error USAGE: --connect: ${JSON.stringify(text)} is not the address of a server`);
    },
  );

  test("refuses a file that is too large for a page, and writes nothing", async () => {
    const file = join(folder, "large.pt2");
    await writeFile(file, "");
    await truncate(file, 65 * 2 ** 20);
    const { code, err } = await sconce("view", file, "-o", join(folder, "page.html"));
    expect(code).toBe(2);
    expect(err).toMatch(/^error PAGE_TOO_LARGE: /);
    expect(await readdir(folder)).toEqual(["large.pt2"]);
    await rm(file);
  });

  test.each([["-o", "page.html"], ["--no-open"]])(
    "refuses a file that cannot be read: %s %s",
    async (...args) => {
      const file = join(folder, "cut.pt2");
      const whole = await readFile(fixture("net_mlp"));
      await writeFile(file, whole.subarray(0, whole.length / 2));
      const options = args.map((arg) => (arg === "page.html" ? join(folder, arg) : arg));
      const { code, out, err } = await sconce("view", file, ...options);
      expect({ code, out }).toEqual({ code: 2, out: "" });
      expect(err).toMatch(/^error ZIP_END_MISSING: /);
      expect(err.match(/cut\.pt2/g)).toHaveLength(1);
      expect(await readdir(folder)).toEqual(["cut.pt2"]);
    },
  );
});
