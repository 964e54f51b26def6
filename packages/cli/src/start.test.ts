/** @file What commands load that only look at a file. */
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { fixture } from "./command.fixture.js";

const COMMAND = fileURLToPath(new URL("../../sconce/bin/sconce.js", import.meta.url));

/** The files of the modules that a command loads. */
async function modulesOf(...args: readonly string[]): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "sconce-start-"));
  try {
    await promisify(execFile)(process.execPath, [COMMAND, ...args], {
      env: { ...process.env, NODE_V8_COVERAGE: folder },
    });
    const [name] = await readdir(folder);
    const { result } = JSON.parse(await readFile(join(folder, name!), "utf8")) as {
      result: readonly { readonly url: string }[];
    };
    return result.map(({ url }) => url).filter((url) => url.startsWith("file:"));
  } finally {
    await rm(folder, { recursive: true });
  }
}

const HEAVY = /\/(passes|session|codegen|capture|backend-\w+|device-runtime)\/dist\//;

describe("a command that looks at a file", () => {
  test.each(["print", "info"])("%s loads neither passes nor backends", async (name) => {
    const modules = await modulesOf(name, fixture("net_mlp"));
    expect(modules.filter((url) => HEAVY.test(url))).toEqual([]);
    expect(modules.length).toBeGreaterThan(100);
    expect(modules.length).toBeLessThan(600);
  });

  test("passes are loaded where they run", async () => {
    const modules = await modulesOf("print", fixture("net_mlp"), "--lower");
    expect(modules.some((url) => url.includes("/passes/dist/"))).toBe(true);
  });
});
