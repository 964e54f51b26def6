import { describe, expect, test } from "vitest";
import { PLUGIN, sconce } from "../command.fixture.js";

describe("sconce passes", () => {
  test("lists passes and options, those of plugins too", async () => {
    const { code, out } = await sconce("passes", "--plugin", PLUGIN);
    expect(code).toBe(0);
    expect(out).toMatch(
      /^fold-constants\n {4}.*Needs a program in the ATEN dialect\.\n {4}weights=false {2}/m,
    );
    expect(out).toMatch(/^mylib-to-aten$/m);
    expect(out).toContain('table="core"  "core" for PyTorch\'s default table');
    expect(out).toMatch(/^ {4}to="bfloat16" {2}.* \(bfloat16, float16\)$/m);
    const all = JSON.parse((await sconce("passes", "--json")).out) as object[];
    expect(all[0]).toMatchObject({ name: "functionalize" });
    expect(all[2]).toMatchObject({
      options: { table: { choices: ["core", "none"] }, keep: { choices: "operator" } },
    });
  });

  test("completes a pipeline", async () => {
    expect((await sconce("passes", "--complete", "decompose,d")).out).toBe(
      "decompose,decompose\ndecompose,dce\n",
    );
    expect((await sconce("passes", "--complete", "decompose{keep=[aten.conv2d.")).out).toBe(
      "decompose{keep=[aten.conv2d.default\ndecompose{keep=[aten.conv2d.padding\n",
    );
    const backends = await sconce("passes", "--complete", "partition{backend=");
    expect(backends.out).toBe(
      "partition{backend=auto\npartition{backend=cpu\npartition{backend=wasm\npartition{backend=gpujs\n",
    );
    const keep = await sconce("passes", "--plugin", PLUGIN, "--complete", "decompose{keep=[mylib.");
    expect(keep.out).toBe("decompose{keep=[mylib.sin.default\n");
    expect(await sconce("passes", "--complete", "zzz")).toMatchObject({ code: 0, out: "" });
  });
});
