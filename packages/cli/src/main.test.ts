import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { backendNamesText } from "@sconce/session/backends";
import { Command } from "commander";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fixture, sconce, sconceOn, withInput } from "./command.fixture.js";
import { COMMAND_NAMES, COMMANDS as TABLE } from "./command-table.js";
import { OPTION_TYPES, typeOf } from "./help.js";
import { type Io, safeIo } from "./io.js";
import { BACKEND_NAMES } from "./shared-options.js";

const MLP = fixture("net_mlp");
const COMMANDS = ["info", "print", "lower", "run", "verify", "diff", "history", "ops"];
const ESC = String.fromCharCode(27);
const NO_STREAMS: Io = { out: () => {}, err: () => {}, terminal: false, interactive: false };
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

  test.each([[[]], [["--no-color"]], [["-q"]]])("no command at all shows the help: %j", async (args) => {
    const { code, out, err } = await sconce(...args);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain("Usage: sconce");
  });

  test.each([
    ["unknown command 'pint'", ["pint", MLP]],
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

describe("misspelled words", () => {
  test.each([
    ["print", ["pint", MLP]],
    ["completion", ["completio"]],
    ["lower", ["help", "lowr"]],
    ["--format", ["print", MLP, "--fromat", "ir"]],
    ["--quiet", ["print", MLP, "--quit"]],
    ["graph", ["print", MLP, "--format", "grph"]],
    ["changed", ["print", MLP, "--print-after", "chnged"]],
    ["zsh", ["completion", "zs"]],
    ["weights", ["print", MLP, "--passes", "fold-constants{weigths=true}"]],
    ["decompose", ["print", MLP, "--passes", "decompos"]],
    ["webgpu", ["run", MLP, "--backend", "gpujs:webgp"]],
    ["gpujs", ["ops", "--backend", "gpuj"]],
    ["NO_VALUES", ["explain", "NO_VALUE"]],
    ["program.pt2", ["info", MLP.replace("program.pt2", "progam.pt2")]],
  ])("did you mean %s", async (word, args) => {
    const { code, out, err } = await sconce(...args);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toMatch(new RegExp(`\n  fix did you mean "${word}"`));
  });
});

describe("help", () => {
  test.each(COMMAND_NAMES)("of %s has examples, and each option its type", async (name) => {
    const { code, out } = await sconce(name, "--help");
    expect(code).toBe(0);
    if (name !== "help") expect(out).toContain(`Examples:\n  $ `);
    const options = out
      .slice(out.indexOf("\nOptions:"))
      .split(/\n(?= {2}-)/)
      .slice(1);
    for (const option of options)
      if (/^ {2}\S+(, \S+)? [<[]/.test(option)) expect(option).toMatch(/\[[^\]]+\](\n|$)/);
  });

  test("every word for a value has a type", async () => {
    for (const { load } of TABLE) {
      const command = new Command();
      (await load())(
        command,
        safeIo(NO_STREAMS, { quiet: false, json: false, color: false }),
        { code: 0 },
        TABLE,
      );
      for (const option of command.options)
        if (option.required || option.optional)
          expect(Object.values(OPTION_TYPES), option.flags).toContain(typeOf(option));
    }
  });

  test("the backends in the help are those that a session loads", () => {
    expect(BACKEND_NAMES).toBe(backendNamesText);
  });

  test("the first of `sconce help COMMAND` is that of the command", async () => {
    expect((await sconce("help", "print")).out).toBe((await sconce("print", "--help")).out);
  });
});

describe("--json", () => {
  test.each([
    ["USAGE", ["info", "--json", "--frob", MLP]],
    ["USAGE", ["info", "--json"]],
    ["FILE", ["info", "--json", "absent.pt2"]],
    ["OTHER_FORMAT", ["verify", fixture("net_mlp", "inputs.safetensors"), "--json"]],
    ["UNKNOWN_PASS", ["history", MLP, "--passes", "frob", "--json"]],
    ["UNKNOWN_CODE", ["explain", "NO_SUCH_CODE", "--json"]],
  ])("errors are one object: %s", async (code, args) => {
    const result = await sconce(...args);
    expect([result.code, result.out]).toEqual([2, ""]);
    const error = JSON.parse(result.err);
    expect(Object.keys(error)).toEqual(["code", "message", "where", "fix", "docs"]);
    expect(error).toMatchObject({ code, docs: `errors/${code}` });
    expect(error.message.length * error.fix.length).toBeGreaterThan(0);
  });

  test("behind -- it is a name", async () => {
    expect((await sconce("info", "--", "--json")).err).toMatch(/^error FILE: /);
  });
});

describe("colors", () => {
  const terminal = { terminal: true, errorTerminal: true };
  const isColored = async (streams: Partial<Io>, ...args: string[]): Promise<boolean[]> => {
    const { out, err } = await sconceOn(streams, ...args);
    return [out, err].filter((text) => text !== "").map((text) => text.includes(`${ESC}[`));
  };

  test.each<[boolean, Partial<Io>, string[]]>([
    [true, terminal, []],
    [false, {}, []],
    [false, { ...terminal, env: { NO_COLOR: "1" } }, []],
    [true, { ...terminal, env: { NO_COLOR: "" } }, []],
    [false, { ...terminal, env: { TERM: "dumb" } }, []],
    [true, { env: { FORCE_COLOR: "1" } }, []],
    [false, { ...terminal, env: { FORCE_COLOR: "0" } }, []],
    [false, { env: { FORCE_COLOR: "1", NO_COLOR: "1" } }, []],
    [true, { env: { NO_COLOR: "1" } }, ["--color"]],
    [false, terminal, ["--no-color"]],
  ])("%j for %j with %j", async (expected, streams, options) => {
    expect(await isColored(streams, "--help", ...options)).toEqual([expected]);
    expect(await isColored(streams, "info", "absent", ...options)).toEqual([expected]);
  });

  test("change nothing else", async () => {
    const plain = await sconce("print", "--help");
    const colored = await sconce("print", "--help", "--color");
    expect(stripVTControlCharacters(colored.out)).toBe(plain.out);
  });
});

describe("--quiet", () => {
  test("leaves out summaries and warnings, and keeps results", async () => {
    const path = join(folder, "quiet.sir");
    const args = ["lower", MLP, "-o", path, "--keep", "aten.conv2d.default"];
    expect((await sconce(...args)).out).not.toBe("");
    expect(await sconce(...args, "--quiet")).toEqual({ code: 0, out: "", err: "" });
    const { out } = await sconce("-q", "info", path);
    expect(out).toContain("dialect ATEN");
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
    expect(err).toMatch(/^error OTHER_FORMAT: not a \.pt2 file: it is a text file\n {2}in {2}.*text\.pt2/);
  });

  test.each([...READERS, "view"])("%s of a file with the name of another format", async (command) => {
    for (const [name, text, message] of [
      ["text.sir", "some text\n", 'not IR text: it is a text file that begins with "some text"'],
      ["empty.sir", "", "not IR text: it is an empty file"],
      ["json.sir", "{}", "not IR text: it is JSON text"],
      ["bytes.sir", "\0\x01", "not IR text: it is binary data of an unknown format"],
      ["list.json", "[1]", "not JSON IR: it is JSON text"],
      ["page.json", "<html>", "not JSON IR: it is an HTML page (of a login or an error, for example)"],
    ] as const) {
      const path = join(folder, name);
      await writeFile(path, text);
      const { code, err } = await sconce(command, path);
      expect(code).toBe(2);
      expect(err).toContain(`error OTHER_FORMAT: ${message}\n  in  ${path}\n`);
      expect(err).toContain(name.endsWith(".sir") ? "sconce print FILE --format ir" : "sconce ir FILE -o");
    }
  });

  test.each(READERS)("%s of an archive without a program, with the name of IR text", async (command) => {
    const path = join(folder, "cut.sir");
    await writeFile(path, (await readFile(fixture("net_mlp"))).subarray(0, 1000));
    const { code, err } = await sconce(command, path);
    expect(code).toBe(2);
    expect(err).toContain("error OTHER_FORMAT: not IR text: it is a zip archive without a program (");
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
  const NAME = "\u001b]0;title\u0007\u202egnp.\u2066\u200f\u061c\u2028\u0085x";
  const SHOWN = "\\x1b]0;title\\x07\\u202egnp.\\u2066\\u200f\\u061c\\u2028\\x85x";

  test("cannot steer a terminal in errors: such characters come out spelled", async () => {
    const { code, err } = await sconceOn(
      { terminal: true, errorTerminal: true },
      "print",
      NAME,
      "--no-color",
    );
    expect([code, err.includes(SHOWN)]).toEqual([2, true]);
  });

  test("cannot steer a terminal in results, and stay as they are in a pipe of `print`", async () => {
    const text = (await sconce("print", fixture("api_sin_cos"), "--format", "ir")).out;
    const program = text.replaceAll("%x", `%${JSON.stringify(NAME)}`).replaceAll("%%", "%");
    const print = (streams: Partial<Io>) =>
      sconceOn({ ...withInput(program), ...streams }, "print", "-", "--format", "graph");
    expect((await print({ terminal: true })).out).toContain(SHOWN);
    expect((await print({})).out).toContain(NAME);
    const info = await sconceOn(withInput(program), "info", "-");
    expect([info.out.includes(SHOWN), info.out.includes("\u202e")]).toEqual([true, false]);
    const json = (await sconceOn(withInput(program), "info", "-", "--json")).out;
    expect([json.includes("\u202e"), JSON.parse(json).inputs[0].name]).toEqual([false, NAME]);
  });
});
