import { mkdtemp, writeFile } from "node:fs/promises";
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

  test("every problem is listed, with its node", async () => {
    const folder = await mkdtemp(join(tmpdir(), "sconce-verify-"));
    const path = join(folder, "wrong.sir");
    const graph =
      "graph(%x: f32[2]) {\n%a: f32[2] = aten.frob.default(%x)\n%b: f32[2] = aten.frob.default(%a)\nreturn (%b)\n}";
    await writeFile(
      path,
      `sconce-ir 1\nprogram "ATEN" {\ninput %x: USER_INPUT\noutput %b: USER_OUTPUT\n}\n${graph}\n`,
    );
    const { code, out, err } = await sconce("verify", path);
    expect([code, err]).toEqual([2, ""]);
    expect(out).toContain("UNKNOWN_OPERATOR at a: operator 'aten.frob.default' is not known\n");
    expect(out).toContain("UNKNOWN_OPERATOR at b: ");
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

  test("sample inputs of types that only their author can unpack are no problem of the file", async () => {
    expect(await sconce("verify", fixture("tree_custom_node"))).toMatchObject({ code: 0 });
  });
});
