import { mkdirSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeFiles } from "@sconce/formats/files";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fixture, sconce } from "./command.fixture.js";

let folder: string;
const at = (name: string): string => join(folder, name);
const text = (name: string): Promise<string> => readFile(at(name), "utf8");
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sconce-write-"));
});
afterEach(() => rm(folder, { recursive: true }));

describe("files that belong together", () => {
  const pair = [
    ["a", "new a"],
    ["b", "new b"],
  ] as const;
  const write = (): Promise<void> => writeFiles(pair.map(([name, content]) => [at(name), content]));

  test("are written, those that were there replaced, and nothing else stays", async () => {
    await writeFile(at("a"), "old a");
    await write();
    expect([await text("a"), await text("b"), await readdir(folder)]).toEqual(["new a", "new b", ["a", "b"]]);
  });

  test.each(["a", "b"])("stay as they were where %s is a folder", async (name) => {
    const other = name === "a" ? "b" : "a";
    await mkdir(at(name));
    await writeFile(at(other), "old");
    await expect(write()).rejects.toMatchObject({
      code: "FILE",
      message: `${at(name)} is a folder, not a file`,
    });
    expect([await text(other), (await readdir(folder)).sort()]).toEqual(["old", ["a", "b"]]);
  });

  test("get back what they held when a later one cannot take its name", async () => {
    await writeFile(at("a"), "old a");
    // Nothing is at the end of the path when it is looked at; the folder comes while the contents
    // are written.
    const late = mkdirWhenRead(at("b"));
    await expect(writeFiles([[at("a"), "new a"], late])).rejects.toMatchObject({ code: "FILE" });
    expect([await text("a"), (await readdir(folder)).sort()]).toEqual(["old a", ["a", "b"]]);
  });

  test("that were not there are not there afterwards either", async () => {
    await expect(writeFiles([[at("a"), "new"], mkdirWhenRead(at("b"))])).rejects.toMatchObject({
      code: "FILE",
    });
    expect(await readdir(folder)).toEqual(["b"]);
  });

  test("do not replace devices", async () => {
    await symlink("/dev/null", at("a"));
    await expect(write()).rejects.toThrow("a is a device or a pipe, not a file");
    expect(await readdir(folder)).toEqual(["a"]);
  });

  test("may have names as long as the file system takes", async () => {
    const name = "n".repeat(255);
    await writeFile(at(name), "old");
    await writeFiles([[at(name), "new"]]);
    expect([await text(name), await readdir(folder)]).toEqual(["new", [name]]);
    await expect(writeFiles([[at(`${name}n`), ""]])).rejects.toMatchObject({ code: "FILE" });
  });

  test("have a folder", async () => {
    await expect(writeFiles([[at("no/a"), ""]])).rejects.toThrow(`there is no folder ${at("no")}`);
    await writeFile(at("a"), "");
    await expect(writeFiles([[at("a/b"), ""]])).rejects.toThrow("is a file, not a folder");
  });
});

/** An entry whose target becomes a folder at the moment that its content is asked for. */
function mkdirWhenRead(path: string): readonly [string, Uint8Array] {
  const entry = [path, new Uint8Array()] as [string, Uint8Array];
  return new Proxy(entry, {
    get(target, key, receiver) {
      if (key === "1") mkdirSync(path);
      return Reflect.get(target, key, receiver) as unknown;
    },
  });
}

describe("commands", () => {
  const MLP = fixture("net_mlp");

  test("`lower` leaves the tensors as they were when the program cannot be written", async () => {
    await mkdir(at("d.sir"));
    await writeFile(at("d.safetensors"), "old");
    const { code, err } = await sconce("lower", MLP, "-o", at("d.sir"));
    expect([code, err.split("\n")[0]]).toEqual([2, `error FILE: ${at("d.sir")} is a folder, not a file`]);
    expect([await text("d.safetensors"), (await readdir(folder)).sort()]).toEqual([
      "old",
      ["d.safetensors", "d.sir"],
    ]);
    const whole = await sconce("lower", MLP, "-o", `${folder}/.`);
    expect(whole.err).toMatch(/^error FILE: .* is a folder, not a file\n/);
    expect((await readdir(folder)).sort()).toEqual(["d.safetensors", "d.sir"]);
  });

  test("`run --outputs` refuses a folder", async () => {
    const { code, err } = await sconce(
      "run",
      MLP,
      "--inputs",
      fixture("net_mlp", "inputs.safetensors"),
      "--outputs",
      folder,
    );
    expect([code, err.split("\n")[0]]).toEqual([2, `error FILE: ${folder} is a folder, not a file`]);
  });
});
