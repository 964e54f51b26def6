import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { fixture, sconce } from "./command.fixture.js";

const CHAIN = fileURLToPath(new URL("../fixtures/chain.sir", import.meta.url));
const BROKEN = fileURLToPath(new URL("../fixtures/broken.js", import.meta.url));
const PASSES = "canonicalize,cse";

/** Every command that runs passes, on one program. */
const COMMANDS: readonly (readonly [command: string, args: readonly string[]])[] = [
  ["print", ["print", CHAIN, "--passes", PASSES]],
  ["lower", ["lower", CHAIN, "-o", "-", "--passes", PASSES]],
  ["history", ["history", CHAIN, "--passes", PASSES]],
  ["explain", ["explain", CHAIN, "--no-lower", "--passes", PASSES]],
  ["bisect", ["bisect", CHAIN, "--passes", PASSES]],
];

const headings = (text: string): string[] => text.match(/^\/\/ after .*$/gm) ?? [];

describe("--print-after", () => {
  test.each(COMMANDS)("%s prints changed programs, or all, to standard error", async (command, args) => {
    const plain = await sconce(...args);
    const changed = await sconce(...args, "--print-after", "changed");
    expect([changed.code, changed.out]).toEqual([plain.code, plain.out]);
    expect(headings(changed.err)).toEqual(["// after step 1, canonicalize: 16 -> 14 nodes"]);
    const all = await sconce(...args, "--print-after", "all");
    expect(headings(all.err)).toEqual([...headings(changed.err), "// after step 2, cse: unchanged"]);
    if (command === "print") expect(all.err.split("\n\n// after step 2")[0]).toContain("\nsconce-ir 1\n");
  });

  test("the texts can be read again", async () => {
    const { err } = await sconce("print", CHAIN, "--passes", "canonicalize", "--print-after", "all");
    const { out } = await sconce("print", CHAIN, "--passes", "canonicalize", "--format", "ir");
    expect(err.split("\n").slice(1).join("\n").trimEnd()).toBe(out.trimEnd());
  });

  test("--lower of `print` is a pass too", async () => {
    const { err } = await sconce("print", fixture("net_mlp"), "--lower", "--print-after", "changed");
    expect(headings(err)).toEqual(["// after step 1, decompose: 18 -> 21 nodes"]);
  });

  test("shows the program before the pass that fails", async () => {
    const args = ["print", CHAIN, "--passes", "canonicalize,fussy", "--plugin", BROKEN];
    const { code, err } = await sconce(...args, "--print-after", "changed", "--timing");
    expect(code).toBe(2);
    expect(err).toMatch(
      /^\/\/ after step 1, [\s\S]*\nstep +time ms[\s\S]*\n1 canonicalize [\s\S]*\nerror PASS_FAILED: /,
    );
  });
});

describe("--timing", () => {
  test.each(COMMANDS)("%s prints a table to standard error", async (_command, args) => {
    const plain = await sconce(...args);
    const { code, out, err } = await sconce(...args, "--timing");
    expect([code, out]).toEqual([plain.code, plain.out]);
    const rows = err
      .slice(err.indexOf("step "))
      .split("\n")
      .map((line) => line.trim().split(/ {2,}/));
    expect(rows[0]).toEqual(["step", "time ms", "part", "rewrites", "nodes before", "nodes after"]);
    expect(rows[1]).toEqual(["1 canonicalize", NUMBER, PART, "1", "16", "14"]);
    expect(rows.find(([name]) => name === "rule relu-twice")).toHaveLength(4);
    expect(rows.find(([name]) => name === "2 cse")).toEqual(["2 cse", NUMBER, PART, "0", "14", "14"]);
    expect(rows.find(([name]) => name === "total")).toEqual(["total", NUMBER, "100.0 %", "1", "16", "14"]);
  });

  test("with --json it is JSON", async () => {
    const { err } = await sconce("history", CHAIN, "--passes", PASSES, "--timing", "--json");
    const { timing } = JSON.parse(err);
    expect(timing).toMatchObject([
      { step: 1, pass: "canonicalize", rewrites: 1, nodes: { before: 16, after: 14 } },
      { step: 2, pass: "cse", rewrites: 0, rules: [] },
    ]);
    const rules = timing[0].rules.filter(({ rewrites }: { rewrites: number }) => rewrites > 0);
    expect(rules.length).toBeGreaterThan(0);
    for (const { milliseconds } of rules) expect(milliseconds).toBeTypeOf("number");
  });
});

const NUMBER = expect.stringMatching(/^\d+\.\d{3}$/);
const PART = expect.stringMatching(/^\d+\.\d %$/);
