import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fixture, sconce } from "./command.fixture.js";
import { run } from "./main.js";

const MLP = fixture("net_mlp");
const COMMANDS = ["info", "print", "lower", "run", "verify", "diff", "history", "ops"];
const READERS = ["info", "print", "run", "verify"];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sconce-cli-"));
});
afterAll(() => rm(folder, { recursive: true }));

describe("usage", () => {
  test("--help goes to standard output and names every command and the exit codes", async () => {
    const { code, out, err } = await sconce("--help");
    expect([code, err]).toEqual([0, ""]);
    for (const command of COMMANDS) expect(out).toContain(`  ${command} `);
    expect(out).toContain("Exit codes: 0 done, 1 numbers or programs differ, 2 bad usage or bad input.");
  });

  test.each(COMMANDS)("%s --help", async (command) => {
    const { code, out } = await sconce(command, "--help");
    expect(code).toBe(0);
    expect(out).toContain(`Usage: sconce ${command} [options]`);
  });

  test("--version", async () => {
    expect(await sconce("--version")).toEqual({ code: 0, out: "0.1.0\n", err: "" });
  });

  test("no command at all shows the help on standard error", async () => {
    const { code, out, err } = await sconce();
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain("Usage: sconce");
  });

  test.each([
    ["unknown command 'pint' (Did you mean print?)", ["pint", MLP]],
    ["unknown option '--frob'", ["info", "--frob", MLP]],
    ["missing required argument 'file'", ["print"]],
    ["option '--format <name>' argument missing", ["print", MLP, "--format"]],
    ["too many arguments for 'info'. Expected 1 argument but got 2."],
  ] as [string, string[]?][])("%s", async (message, args = ["info", MLP, MLP]) => {
    const { code, out, err } = await sconce(...args);
    expect([code, out]).toEqual([2, ""]);
    expect(err.split("\n")[0]).toContain(`error USAGE: ${message}`);
    expect(err).toContain("\n  fix ");
  });
});

describe("files that are not programs", () => {
  test.each(READERS)("%s of a file that is not there", async (command) => {
    const path = join(folder, "absent.pt2");
    const { code, out, err } = await sconce(command, path);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toMatch(/^error FILE: there is no file or folder .*absent\.pt2\n {2}fix /);
  });

  test.each(READERS)("%s of a folder", async (command) => {
    const { code, err } = await sconce(command, folder);
    expect(code).toBe(2);
    expect(err).toContain(`error FILE: ${folder} is a folder, not a file`);
  });

  test.each(READERS)("%s of a text file", async (command) => {
    const path = join(folder, "text.pt2");
    await writeFile(path, "no program");
    const { code, err } = await sconce(command, path);
    expect(code).toBe(2);
    expect(err).toMatch(/^error ZIP_END_MISSING: .*\n {2}in {2}.*text\.pt2/);
  });

  test.each(READERS)("%s of a truncated program", async (command) => {
    const path = join(folder, "cut.pt2");
    const bytes = await readFile(MLP);
    await writeFile(path, bytes.subarray(0, bytes.length / 2));
    const { code, out, err } = await sconce(command, path);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain("error ZIP_END_MISSING: ");
  });

  test("a damaged weight is reported with the file and the entry", async () => {
    const path = join(folder, "damaged.pt2");
    const bytes = await readFile(MLP);
    const at = bytes.indexOf("data/weights/weight_0") + 200;
    bytes[at]! ^= 1;
    await writeFile(path, bytes);
    const { code, err } = await sconce("verify", path);
    expect(code).toBe(2);
    expect(err).toMatch(/^error ZIP_CRC: .*\n {2}in {2}.*damaged\.pt2: .*weight_0/);
  });
});

describe("names from a file", () => {
  test("cannot steer a terminal: control characters come out spelled", async () => {
    let err = "";
    const io = { out: () => {}, err: (text: string) => (err += text), terminal: true, interactive: false };
    expect(await run(["print", "\u001b]0;title\u0007.pt2"], io as never)).toBe(2);
    expect(err).toContain("\\x1b]0;title\\x07");
    expect(err).not.toContain("\u001b");
  });
});
