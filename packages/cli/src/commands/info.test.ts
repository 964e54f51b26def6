import { describe, expect, test } from "vitest";
import { fixture, PLUGIN, sconce } from "../command.fixture.js";

describe("sconce info", () => {
  test("shows sizes, signature with types, ranges and operators", async () => {
    const { code, out, err } = await sconce("info", fixture("net_mlp"));
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain("exported program (.pt2), torch 2.14.1");
    expect(out).toContain("18 nodes, 8 parameters (1085 elements), 0 constants");
    expect(out).toContain("  p_net_0_weight: PARAMETER net.0.weight f32[24, 12]\n");
    expect(out).toContain("  x: USER_INPUT f32[s77, 12]\n");
    expect(out).toContain("  s77 in [0, 256]\n");
    expect(out).toContain("      3  aten.linear.default\n");
  });

  test("--json has the same facts", async () => {
    const { code, out } = await sconce("info", "--json", fixture("net_mlp"));
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      dialect: "TRAINING",
      nodes: 18,
      parameters: 8,
      parameterElements: 1085,
      ranges: { s77: "[0, 256]" },
      operators: { "aten.linear.default": 3 },
      unknownOperators: [],
    });
  });

  test("names operators that only a plugin can define", async () => {
    const file = fixture("pm_custom_op");
    expect((await sconce("info", file)).out).toContain(
      "operators that only a plugin can define:\n  mylib.sin.default\n",
    );
    expect((await sconce("info", file, "--plugin", PLUGIN)).out).not.toContain("only a plugin");
  });

  test("control flow and symbolic arithmetic are not taken for unknown operators", async () => {
    for (const program of ["flow_cond_dynamic", "flow_while", "unbacked_int"]) {
      const { out } = await sconce("info", "--json", fixture(program));
      expect(JSON.parse(out)).toMatchObject({ unknownOperators: [] });
    }
  });
});
