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
    const { code, out, err } = await sconce("verify", fixture("pm_custom_op"));
    expect([code, err]).toEqual([2, ""]);
    expect(out).toBe(
      "UNKNOWN_OPERATOR at sin: operator 'mylib.sin.default' is not known\n" +
        "UNKNOWN_OPERATOR at sin_1: operator 'mylib.sin.default' is not known\n",
    );
    const { problems } = JSON.parse((await sconce("verify", "--json", fixture("pm_custom_op"))).out) as {
      problems: unknown[];
    };
    expect(problems).toHaveLength(2);
  });

  test("with the plugin there are none", async () => {
    expect(await sconce("verify", fixture("pm_custom_op"), "--plugin", PLUGIN)).toMatchObject({ code: 0 });
  });

  test("sample inputs of types that only their author can unpack are no problem of the file", async () => {
    expect(await sconce("verify", fixture("tree_custom_node"))).toMatchObject({ code: 0 });
  });
});
