import { spawnSync } from "node:child_process";
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
    expect(backends.out).toBe("partition{backend=cpu\npartition{backend=gpujs\n");
    const keep = await sconce("passes", "--plugin", PLUGIN, "--complete", "decompose{keep=[mylib.");
    expect(keep.out).toBe("decompose{keep=[mylib.sin.default\n");
    expect(await sconce("passes", "--complete", "zzz")).toMatchObject({ code: 0, out: "" });
  });

  test("the script for bash asks for what is typed, with the plugins of the line", async () => {
    const { out } = await sconce("passes", "--bash");
    const line = "sconce print x.pt2 --plugin a.js --plugin b.js --passes decompose{ta";
    const script = `${out}
compopt() { :; }
sconce() { echo 'decompose{table='; echo "$*" >&2; }
COMP_LINE='${line}'; COMP_POINT=\${#COMP_LINE}; COMP_WORDS=(\${COMP_LINE}); COMP_CWORD=8
_sconce; echo "\${COMPREPLY[@]}"`.replace("2>/dev/null", "2>&3");
    const offered = spawnSync("bash", ["-c", script], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe", "pipe"],
    });
    expect(offered.stdout).toBe("decompose{table=\n");
    expect(offered.output[3]).toBe("passes --plugin a.js --plugin b.js --complete decompose{ta\n");
  });

  test("prints a script for bash that knows every command", async () => {
    const { out } = await sconce("passes", "--bash");
    const commands = (await sconce("--help")).out.matchAll(/^ {2}([a-z]+) .*\[options\]/gm);
    for (const [, name] of commands) expect(out).toMatch(new RegExp(`["\\s]${name}["\\s]`));
  });
});
