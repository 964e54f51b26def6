import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fixture, sconce } from "../command.fixture.js";

const MLP = fixture("net_mlp");
const [BROKEN, CHAIN] = ["broken.js", "chain.sir"].map((name) =>
  fileURLToPath(new URL(`../../fixtures/${name}`, import.meta.url)),
) as [string, string];
const bisect = (file: string, passes: string, ...more: readonly string[]) =>
  sconce("bisect", file, "--passes", passes, "--plugin", BROKEN, ...more);

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sconce-bisect-"));
});
afterEach(() => rm(folder, { recursive: true }));

describe("sconce bisect", () => {
  test("a pass that changes numbers: the pass, the node, and one call that shows it", async () => {
    const { code, out } = await bisect(MLP, "decompose{keep=[aten.gelu.default]},cse,gelu-to-silu,dce");
    expect(code).toBe(1);
    expect(out).toMatch(/^step 3, gelu-to-silu of plugin "broken", is the first that breaks the program\n/);
    expect(out).toMatch(/first node that differs is %gelu = aten.silu.default: /);
    expect(out).toMatch(
      /it still fails with 1 call:\n\ngraph\(.*\) \{\n {2}%gelu: .* = aten.gelu.default\(%\w+\)\n/,
    );
  });

  test.each([
    ["tidy", "relu-to-clamp", 4, 5, "numbers"],
    ["decompose,repeat(cse,tidy)", "relu-to-clamp", 4, 5, "numbers"],
    ["fussy", "no-sine", 4, 4, "error"],
  ])("%s: the rewrite of one rule among several", async (passes, rule, number, total, kind) => {
    const { code, out } = await bisect(CHAIN, passes, "--json");
    const { culprit } = JSON.parse(out) as { culprit: { reproducer: string } };
    expect(code).toBe(1);
    expect(culprit).toMatchObject({ kind, rewrite: { rule, number, total, node: "relu_2" } });
    expect(culprit.reproducer.match(/ = aten\.(?:sin|relu)\.default/g)).toHaveLength(2);
    expect(culprit.reproducer.match(/ = aten/g)).toHaveLength(2);
  });

  test("a pass that throws, and one that leaves an invalid program", async () => {
    const thrown = await bisect(CHAIN, "cse,no-sigmoid");
    expect([thrown.code, thrown.out]).toEqual([
      1,
      expect.stringMatching(
        /^step 2, no-sigmoid of plugin "broken", .*\n.*no sigmoid, please\n.*in pass "no-sigmoid".*\n.*1 call:\n\n.*\n.*sigmoid/,
      ),
    ]);
    const invalid = await bisect(MLP, "gelu-to-nothing");
    expect([invalid.code, invalid.out]).toEqual([
      1,
      expect.stringMatching(
        /not valid after pass "gelu-to-nothing".*\n {2}in gelu, .*networks\.py:25\n.*1 call:\n\n.*\n.*%gelu/,
      ),
    ]);
  });

  test("a folder where the reproducer should be is refused", async () => {
    const { code, err } = await bisect(CHAIN, "tidy", "-o", folder);
    expect([code, err.split("\n")[0]]).toEqual([2, `error FILE: ${folder} is a folder, not a file`]);
    expect(await readdir(folder)).toEqual([]);
  });

  test("the reproducer is one file, which needs no option, and runs", async () => {
    const file = join(folder, "reproducer.sir");
    const { out } = await bisect(CHAIN, "tidy", "--seed", "3", "--atol", "1e-6", "-o", file);
    expect(await readdir(folder)).toEqual(["reproducer.sir"]);
    const text = await readFile(file, "utf8");
    expect(text).toContain("aten.sin.default(%relu_1)");
    expect(text).toContain('"atol": 0.000001');
    const [, command] = /^ {2}sconce (bisect .*)$/m.exec(out)!;
    const again = await sconce(...command!.split(" "));
    expect([again.code, again.err, again.out]).toEqual([
      1,
      "",
      expect.stringMatching(
        /^step 1, tidy of plugin "broken", is the first(.*\n)*.*rewrite 1 of 1: rule "relu-to-clamp" of plugin "broken" at %relu_2\n.*2 calls(.*\n)*this is the recorded failure\n/,
      ),
    ]);
    const facts = JSON.parse((await sconce("bisect", file, "--json")).out) as object;
    expect(facts).toMatchObject({ asRecorded: true, recorded: { kind: "numbers", rule: "relu-to-clamp" } });
    expect(await sconce("run", file)).toMatchObject({ code: 0, out: expect.stringMatching(/^o0: float32/) });
    expect(await sconce("print", file, "--format", "ir")).toMatchObject({ code: 0 });
    const other = await sconce("bisect", file, "--passes", "cse");
    expect([other.code, other.out]).toEqual([
      0,
      expect.stringMatching(
        /^not the recorded failure: numbers \(PASS_CHANGED_NUMBERS\) of pass "tidy", rule "relu-to-clamp"$/m,
      ),
    ]);
  });

  test("rules that never converge, with the rule, its plugin and a small program", async () => {
    const { code, out } = await bisect(CHAIN, "restless");
    expect(code).toBe(1);
    expect(out).toMatch(/^step 1, restless of plugin "broken", never converges\n.*undo each other/);
    expect(out).toMatch(/rewrite 1 of \d+: rule "there" of plugin "broken" at %relu/);
    expect(out).toMatch(/it still fails with 1 call:/);
  });

  test("rewrites that would alias an input are listed", async () => {
    const file = join(folder, "neg.sir");
    await writeFile(
      file,
      `sconce-ir 1
program "ATEN" { input %x: USER_INPUT output %b: USER_OUTPUT }
graph(%x: f32[2]) {
  %a: f32[2] = aten.neg.default(%x)
  %b: f32[2] = aten.neg.default(%a)
  return (%b)
}`,
    );
    const { code, out } = await bisect(file, "tidy");
    expect([code, out]).toEqual([
      0,
      expect.stringContaining(
        'rewrites that were refused:\n  step 1, tidy: rule "double-negation" of plugin "broken" at %b: ' +
          "an output would be the input %x itself (aliasing)\n",
      ),
    ]);
  });

  test("a valid program is reported with what was compared, and not when nothing was", async () => {
    expect(await bisect(CHAIN, "decompose,canonicalize,cse")).toEqual({
      code: 0,
      err: "",
      out: expect.stringMatching(
        /^no difference in \d+ changed calls, \d+ value classes, \d runs? of the whole program\n(.*\n)*.*canonicalize: equal in 2 outputs, 12 numbers, 1 run; \d+ changed calls/,
      ),
    });
    const left = await bisect(CHAIN, "dce");
    expect([left.code, left.out]).toEqual([
      0,
      "nothing was compared\n  step 1, dce: not compared, the program did not change\n",
    ]);
  });

  test.each([
    ["convert-dtype", "bfloat16"],
    ["convert-dtype{to=float16,io=true}", "float16"],
  ])("%s is compared within the rounding of its dtype", async (pipeline, dtype) => {
    expect(await bisect(CHAIN, pipeline)).toEqual({
      code: 0,
      err: "",
      out: `no difference in 0 changed calls, 0 value classes, 1 run of the whole program\n  step 1, convert-dtype: equal, computed in ${dtype}, in 2 outputs, 12 numbers, 1 run; changed calls were not checked by themselves\n`,
    });
    const strict = await sconce("bisect", CHAIN, "--passes", pipeline, "--rtol", "0");
    expect([strict.code, strict.out]).toEqual([
      1,
      expect.stringMatching(/is the first that breaks the program/),
    ]);
  });

  test.each([
    [["bisect", CHAIN, "--passes", "nope"], /^error UNKNOWN_PASS: /],
    [["bisect", CHAIN], /^error USAGE: required option '--passes <pipeline>'/],
    [["bisect", "nowhere.sir", "--passes", "dce"], /^error FILE: /],
    [["bisect", MLP, "--passes", "fold-constants"], /^error PASS_REQUIRES: /],
    [["bisect", CHAIN, "--passes", "dce", "--rtol", "x"], /--rtol must be a number/],
  ])("bad input is exit code 2: %j", async (args, message) => {
    const { code, err } = await sconce(...args);
    expect([code, err]).toEqual([2, expect.stringMatching(message)]);
  });
});

describe("sconce lower --check", () => {
  test("compares a program that is lowered to half precision", async () => {
    const passes = ["--passes", "decompose,convert-dtype", "--check"];
    const { code, out } = await sconce("lower", MLP, "-o", join(folder, "half.sir"), ...passes);
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/convert-dtype: equal, computed in bfloat16, in 1 output, \d+ numbers/),
    ]);
  });

  test("reports what was compared, and stops at a pass that changes numbers with exit code 1", async () => {
    const out = join(folder, "out.sir");
    const done = await sconce("lower", MLP, "-o", out, "--check");
    expect([done.code, done.out]).toEqual([
      0,
      expect.stringMatching(/decompose: equal in 1 output, \d+ numbers/),
    ]);
    const broken = ["--passes", "gelu-to-silu", "--plugin", BROKEN, "--check"];
    const { code, err } = await sconce("lower", MLP, "-o", join(folder, "no.sir"), ...broken);
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/^error PASS_CHANGED_NUMBERS: pass "gelu-to-silu"/),
    ]);
    expect(await readdir(folder)).not.toContain("no.sir");
  });
});
