import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { chmod, mkdtemp, readdir, readFile, readlink, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeFiles } from "@sconce/formats/files";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fixture, sconce } from "./command.fixture.js";

let folder: string;
const at = (name: string): string => join(folder, name);
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sconce-end-"));
});
afterEach(() => rm(folder, { recursive: true }));

const BUILT = new URL("../../formats/dist/files-node.js", import.meta.url).href;

/** A process that writes `a`, then `b` without an end; it says when it is in the middle of it. */
const endless = (): string => `
import { writeFiles } from ${JSON.stringify(BUILT)};
function* forever() {
  for (let i = 0; ; i++) {
    if (i === 3) process.stdout.write("started\\n");
    yield new Uint8Array(65536);
  }
}
await writeFiles([[${JSON.stringify(at("a"))}, "new a"], [${JSON.stringify(at("b"))}, forever()]]);`;

describe("a writer that ends early", () => {
  test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("by %s leaves everything as it was", async (signal) => {
    await writeFile(at("a"), "old a");
    const child = spawn(process.execPath, ["--input-type=module", "-e", endless()]);
    await once(child.stdout, "data");
    expect((await readdir(folder)).length).toBeGreaterThan(1);
    child.kill(signal);
    const [code, by] = (await once(child, "exit")) as [number | null, string | null];
    expect([code, by]).toEqual([null, signal]);
    expect([await readdir(folder), await readFile(at("a"), "utf8")]).toEqual([["a"], "old a"]);
  });

  test("by an exit leaves everything as it was", async () => {
    const script = endless().replace('process.stdout.write("started\\n")', "process.exit(3)");
    const child = spawn(process.execPath, ["--input-type=module", "-e", script]);
    const [code] = (await once(child, "exit")) as [number];
    expect([code, await readdir(folder)]).toEqual([3, []]);
  });

  test("by an error of the content leaves everything as it was", async () => {
    await writeFile(at("a"), "old a");
    function* broken(): Generator<Uint8Array> {
      yield new Uint8Array(10);
      throw Object.assign(new Error("no space"), { code: "ENOSPC" });
    }
    const written = writeFiles([
      [at("a"), "new a"],
      [at("b"), broken()],
    ]);
    await expect(written).rejects.toMatchObject({
      code: "FILE",
      message: `there is no space left to write ${at("b")}`,
    });
    expect([await readdir(folder), await readFile(at("a"), "utf8")]).toEqual([["a"], "old a"]);
  });

  test("listeners of the process do not pile up", async () => {
    const count = (): number[] => ["SIGINT", "SIGTERM", "exit"].map((name) => process.listenerCount(name));
    const before = count();
    await writeFiles([[at("a"), "x"]]);
    await writeFiles([[at("no/a"), "x"]]).catch(() => {});
    expect(count()).toEqual(before);
  });
});

describe("names on the way", () => {
  /** The names in the folder while `b` is written. */
  async function during(): Promise<string[]> {
    let names: string[] = [];
    function* watched(): Generator<Uint8Array> {
      names = [...new Set(names.concat(readdirSync(folder)))];
      yield new Uint8Array(1);
    }
    await writeFiles([
      [at("a"), "x"],
      [at("b"), watched()],
    ]);
    return names.filter((name) => name !== "a" && name !== "b");
  }

  test("are random, and gone afterwards", async () => {
    const [first, second] = [await during(), await during()];
    expect(first).not.toHaveLength(0);
    for (const name of [...first, ...second])
      expect(name).toMatch(/^\.sconce-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.(part|kept)$/);
    expect(second.filter((name) => first.includes(name))).toEqual([]);
    expect((await readdir(folder)).sort()).toEqual(["a", "b"]);
  });
});

describe("symbolic links", () => {
  test("-o replaces a link instead of following it", async () => {
    await writeFile(at("elsewhere.sir"), "kept");
    await symlink(at("elsewhere.sir"), at("out.sir"));
    await symlink(at("absent"), at("out.safetensors"));
    const { code } = await sconce("lower", fixture("api_sin_cos"), "-o", at("out.sir"));
    expect(code).toBe(0);
    expect(await readFile(at("elsewhere.sir"), "utf8")).toBe("kept");
    await expect(readlink(at("out.sir"))).rejects.toThrow();
    expect(existsSync(at("absent"))).toBe(false);
    expect((await readdir(folder)).sort()).toEqual(["elsewhere.sir", "out.safetensors", "out.sir"]);
  });

  test("a link comes back when the other file cannot be written", async () => {
    await writeFile(at("elsewhere"), "kept");
    await symlink(at("elsewhere"), at("a"));
    function* late(): Generator<Uint8Array> {
      mkdirSync(at("b"));
      yield new Uint8Array(1);
    }
    await expect(
      writeFiles([
        [at("a"), "new"],
        [at("b"), late()],
      ]),
    ).rejects.toMatchObject({ code: "FILE" });
    expect([await readlink(at("a")), await readFile(at("elsewhere"), "utf8")]).toEqual([
      at("elsewhere"),
      "kept",
    ]);
  });
});

test("a file keeps its permissions when it is replaced", async () => {
  await writeFile(at("a"), "old");
  await chmod(at("a"), 0o600);
  await writeFiles([[at("a"), "new"]]);
  expect([(await stat(at("a"))).mode & 0o777, statSync(at("a")).isFile()]).toEqual([0o600, true]);
});

test("a missing folder is reported before any work, with what to do", async () => {
  for (const command of [
    ["lower", "absent.pt2"],
    ["bisect", fixture("api_sin_cos"), "--passes", "dce"],
    ["run", "absent.pt2"],
  ]) {
    const option = command[0] === "run" ? "--outputs" : "-o";
    const { code, err } = await sconce(...command, option, at("no folder/out.sir"));
    expect([code, err.split("\n")[0]]).toEqual([2, `error FILE: there is no folder ${at("no folder")}`]);
    expect(err).toContain(`\n  fix make the folder first (mkdir -p '${at("no folder")}')`);
  }
});
