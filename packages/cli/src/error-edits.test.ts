import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fixture, sconce } from "./command.fixture.js";

let folder: string;
const MLP = fixture("net_mlp");
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sconce-edits-"));
  const text = `sconce-ir 1
program "ATEN" { input %x: USER_INPUT output %y: USER_OUTPUT }
graph(%x: f32[4]) {
  %y: f32[4] = aten.sigmiod.default(%x)
  return (%y)
}
`;
  await writeFile(join(folder, "typo.sir"), text);
  await writeFile(join(folder, "right.sir"), text.replace("sigmiod", "sigmoid"));
});
afterAll(() => rm(folder, { recursive: true }));

const edit = (find: string, replace: string) => [{ find, replace }];

describe("errors with --json have the edit of a misspelled word", () => {
  test.each([
    [
      "UNKNOWN_PASS",
      ["history", MLP, "--passes", "decompose,canonicalze"],
      edit("canonicalze", "canonicalize"),
    ],
    ["PASS_OPTION", ["history", MLP, "--passes", "decompose{tabel=core}"], edit("tabel", "table")],
    [
      "PASS_OPTION",
      ["history", MLP, "--passes", "decompose,convert-dtype{to=flaot16}"],
      edit("flaot16", "float16"),
    ],
    ["UNKNOWN_RULE", ["explain", MLP, "--rule", "relu-twise"], edit("relu-twise", "relu-twice")],
    ["UNKNOWN_BACKEND", ["run", MLP, "--samples", "--backend", "wsam"], edit("wsam", "wasm")],
    ["USAGE", ["inof", MLP], edit("inof", "info")],
    ["USAGE", ["info", MLP, "--lops"], edit("--lops", "--loops")],
  ])("%s: %j", async (code, args, edits) => {
    const { err } = await sconce(...args, "--json");
    const error = JSON.parse(err.trimEnd().split("\n").at(-1)!);
    expect(error).toMatchObject({ code, edits });
    // The edit solves it.
    const [{ find, replace }] = edits as [(typeof edits)[number]];
    const fixed = await sconce(...args.map((arg) => arg.replace(find, replace)), "--json");
    expect(fixed.err).not.toContain(`"${code}"`);
  });

  test("an operator in IR text", async () => {
    const { err } = await sconce("info", join(folder, "typo.sir"), "--json");
    expect(JSON.parse(err)).toMatchObject({
      code: "UNKNOWN_TARGET",
      edits: edit("aten.sigmiod.default", "aten.sigmoid.default"),
    });
    expect((await sconce("info", join(folder, "right.sir"))).code).toBe(0);
  });

  test("no edit where nothing is near, or several words are", async () => {
    for (const passes of ["frobnicate", "decompose{keep=[aten.add]}"]) {
      const { err } = await sconce("history", MLP, "--passes", passes, "--json");
      expect(JSON.parse(err)).not.toHaveProperty("edits");
    }
  });
});
