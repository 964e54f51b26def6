import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fixture, PLUGIN, sconce } from "../command.fixture.js";

describe("sconce verify", () => {
  test("a valid program", async () => {
    const { code, out, err } = await sconce("verify", fixture("net_mlp"));
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/net_mlp\/program\.pt2: valid, 18 nodes, dialect TRAINING\n$/);
    expect(JSON.parse((await sconce("verify", "--json", fixture("net_mlp"))).out)).toMatchObject({
      valid: true,
      problems: [],
    });
  });

  test("every problem is listed, with its node, the user's line and what to do", async () => {
    const dir = mkdtempSync(join(tmpdir(), "sconce-verify-"));
    try {
      const file = join(dir, "net.sir");
      await sconce("lower", fixture("net_mlp"), "-o", file);
      const text = readFileSync(file, "utf8");
      writeFileSync(file, text.replace("= aten.relu.default(", "= aten.rellu.default("));
      const { code, out, err } = await sconce("verify", file);
      expect([code, err]).toEqual([2, ""]);
      expect(out).toMatch(/^UNKNOWN_OPERATOR at relu: operator 'aten\.rellu\.default' is not known$/m);
      expect(out).toMatch(/^ {2}from .*networks\.py:\d+$/m);
      expect(out).toMatch(/^ {2}fix {2}did you mean aten\.relu\.default/m);
      const { problems } = JSON.parse((await sconce("verify", "--json", file)).out) as {
        problems: unknown[];
      };
      expect(problems).toHaveLength(1);
    } finally {
      rmSync(dir, { recursive: true });
    }
  });

  test("custom operators that nothing defines are valid, and listed", async () => {
    const { code, out } = await sconce("verify", fixture("pm_custom_op"));
    expect(code).toBe(0);
    expect(out).toMatch(
      /valid, .*\nopaque operators, which a plugin must define to run it: mylib\.sin\.default\n$/,
    );
    const facts = JSON.parse((await sconce("verify", "--json", fixture("pm_custom_op"))).out) as object;
    expect(facts).toMatchObject({ problems: [], opaqueOperators: ["mylib.sin.default"] });
    const defined = await sconce("verify", fixture("pm_custom_op"), "--plugin", PLUGIN);
    expect(defined.out).not.toContain("opaque operators");
  });

  test("sample inputs of types that only their author can unpack are not a problem of the file", async () => {
    expect(await sconce("verify", fixture("tree_custom_node"))).toMatchObject({ code: 0 });
  });
});
