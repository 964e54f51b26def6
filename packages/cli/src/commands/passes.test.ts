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
    expect(JSON.parse((await sconce("passes", "--json")).out)[0]).toMatchObject({ name: "functionalize" });
  });

  test("completes a pipeline", async () => {
    expect((await sconce("passes", "--complete", "decompose,d")).out).toBe(
      "decompose,decompose\ndecompose,dce\n",
    );
    expect(await sconce("passes", "--complete", "zzz")).toMatchObject({ code: 0, out: "" });
  });

  test("prints a script for bash that knows every command", async () => {
    const { out } = await sconce("passes", "--bash");
    const commands = (await sconce("--help")).out.matchAll(/^ {2}([a-z]+) .*\[options\]/gm);
    for (const [, name] of commands) expect(out).toMatch(new RegExp(`["\\s]${name}["\\s]`));
  });
});
