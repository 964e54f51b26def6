/** @file `--limit`: bounds on reading files, and on the memory of runs. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LIMITS } from "@sconce/errors";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fixture, sconce } from "./command.fixture.js";
import { LIMIT_NAMES } from "./shared-options.js";

const MLP = fixture("net_mlp");
const TEXT = `sconce-ir 1
program "ATEN" { input %x: USER_INPUT output %y: USER_OUTPUT }
graph(%x: f32[4]) { %y: f32[4096] = aten.repeat.default(%x, [1024]) return (%y) }`;

let folder: string;
let text: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sconce-limits-"));
  text = join(folder, "model.sir");
  await writeFile(text, TEXT);
});
afterAll(() => rm(folder, { recursive: true }));

test("the command has every limit of the readers, and that of memory", () => {
  expect([...LIMIT_NAMES].sort()).toEqual([...Object.keys(LIMITS), "memory"].sort());
});

describe("a limit that is too low", () => {
  const CALLS: readonly (readonly string[])[] = [
    ["info"],
    ["print"],
    ["lower", "-o", "-"],
    ["run", "--random", "0"],
    ["verify"],
    ["bisect", "--passes", "dce"],
    ["history", "--passes", "dce"],
    ["explain", "--rule", "relu-twice"],
  ];
  test.each(CALLS)("is refused by %s with the way to raise it", async (command, ...options) => {
    for (const file of [MLP, text]) {
      const { code, err } = await sconce(command, file, ...options, "--limit", "nodes=1");
      expect(code).toBe(2);
      expect(err).toContain("error BUDGET_EXCEEDED: reading takes more than 1 nodes");
      expect(err).toContain("raise the limit: --limit nodes=10");
    }
  });

  test("is refused by diff", async () => {
    const { code, err } = await sconce("diff", MLP, MLP, "--limit", "nodes=1");
    expect([code, err]).toEqual([2, expect.stringContaining("--limit nodes=10")]);
  });
});

test("limits that are high enough change nothing", async () => {
  const limits = LIMIT_NAMES.flatMap((name) => ["--limit", `${name}=1_000_000_000`]);
  expect(await sconce("print", MLP, ...limits)).toEqual(await sconce("print", MLP));
});

test("memory bounds the values of a run", async () => {
  const run = ["run", text, "--random", "0"];
  expect((await sconce(...run)).code).toBe(0);
  const { code, err } = await sconce(...run, "--limit", "memory=10000");
  expect([code, err]).toEqual([2, expect.stringContaining("OUT_OF_MEMORY")]);
  expect(err).toContain("raise the limit: --limit memory=100000");
});

test("an archive that unpacks to more than the limit is refused with the way to raise it", async () => {
  const packed = fixture("pm_input_mutation", "decomposed.pt2");
  const { code, err } = await sconce("info", packed, "--limit", "bytes=100");
  expect([code, err]).toEqual([2, expect.stringContaining("error ZIP_BOMB")]);
  expect(err).toContain("raise the limit: --limit bytes=1000");
});

test("a limit holds for one command only", async () => {
  expect((await sconce("info", MLP, "--limit", "nodes=1")).code).toBe(2);
  expect((await sconce("info", MLP)).code).toBe(0);
});

test.each([
  ["node=5", 'unknown limit "node"', 'did you mean "nodes"'],
  ["nodes", 'nodes: "" is not a positive integer', "give nodes=1000000"],
  ["nodes=1=2", 'nodes: "1=2" is not a positive integer', "give nodes=1000000"],
  ["nodes=0", 'nodes: "0" is not a positive integer', "give nodes=1000000"],
  ["nodes=1.5", 'nodes: "1.5" is not a positive integer', "give nodes=1000000"],
  ["bytes=-1", 'bytes: "-1" is not a positive integer', "give bytes=1000000"],
])("--limit %s is refused", async (value, message, fix) => {
  const { code, err } = await sconce("info", MLP, "--limit", value);
  expect(code).toBe(2);
  expect(err).toContain(`error USAGE: --limit`);
  expect(err).toContain(message);
  expect(err).toContain(fix);
});

test("the help shows the limits with their units", async () => {
  const help = (await sconce("info", "--help")).out.replace(/\s+/g, " ");
  expect(help).toContain(
    "bytes, nodes, terms, items or entries = a count; milliseconds = a time; memory = bytes of a run",
  );
});
