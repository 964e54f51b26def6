import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { fixture, PLUGIN, sconce } from "../command.fixture.js";

const MLP = fixture("net_mlp");

describe("sconce explain", () => {
  test("lists the rules", async () => {
    const { code, out } = await sconce("explain", "--list");
    expect(code).toBe(0);
    expect(out).toMatch(/^mul-1 +x \* 1 is x\.$/m);
    expect(JSON.parse((await sconce("explain", "--list", "--json")).out)[0]).toHaveProperty("doc");
  });

  test("shows where a pattern is, and where it nearly is", async () => {
    const { code, out } = await sconce(
      "explain",
      MLP,
      "--pattern",
      "aten.addmm.default($b, aten.gelu.default($x), _)",
    );
    expect(code).toBe(0);
    expect(out.replaceAll(/, \S*networks\.py/g, ", networks.py").split("\n")).toEqual([
      "misses  pattern  %addmm = aten.addmm.default, networks.py:25",
      "         %x is an input, not aten.gelu.default",
      "misses  pattern  %addmm_1 = aten.addmm.default, networks.py:25",
      "         %getitem is operator.getitem, not aten.gelu.default",
      "fires   pattern  %addmm_2 = aten.addmm.default, networks.py:25",
      'rule "pattern": 1 match, 0 refused, 2 near misses',
      "",
    ]);
  });

  test("knows rules that only a pass has", async () => {
    const plugin = ["--plugin", PLUGIN];
    expect((await sconce("explain", "--list", ...plugin)).out).toMatch(
      /^square-of-sin .* \(pass mylib-square\)$/m,
    );
    const { code, out } = await sconce("explain", MLP, "--rule", "square-of-sin", ...plugin, "--json");
    expect(code).toBe(0);
    for (const attempt of JSON.parse(out))
      expect(attempt).toMatchObject({ rule: "square-of-sin", pass: "mylib-square" });
    const file = fileURLToPath(new URL("../../fixtures/chain.sir", import.meta.url));
    expect((await sconce("explain", file, "--rule", "square-of-sin", ...plugin)).out).toContain(
      "misses  square-of-sin (pass mylib-square)  %mul",
    );
  });

  test("takes all rules when none is named", async () => {
    const { code, out } = await sconce("explain", MLP);
    expect(code).toBe(0);
    expect(out).toMatch(/\d+ rules: \d+ matches, \d+ refused, \d+ near misses\n$/);
    expect(Array.isArray(JSON.parse((await sconce("explain", MLP, "--json")).out))).toBe(true);
  });

  test.each([
    ["UNKNOWN_RULE", [MLP, "--rule", "frobnicate"]],
    ["PATTERN_SYNTAX", [MLP, "--pattern", "aten.relu.default("]],
    ["USAGE", []],
  ])("refuses: %s", async (code, args) => {
    const result = await sconce("explain", ...args);
    expect([result.code, result.out]).toEqual([2, ""]);
    expect(result.err).toContain(`error ${code}`);
  });
});
