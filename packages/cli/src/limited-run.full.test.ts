import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { fixture, sconce, sconceOn, withInput } from "./command.fixture.js";

const HOSTILE = fileURLToPath(new URL("../../session/fixtures/hostile-passes.js", import.meta.url));
const CHAIN = fileURLToPath(new URL("../fixtures/chain.sir", import.meta.url));
const MLP = fixture("net_mlp");
/** Long enough for a machine with much other work. */
const LONG = ["--pass-timeout", "600000", "--pass-memory", "1000000000"];

test("a command with limits prints what it prints without, and has its exit code", async () => {
  const plugin = ["--plugin", HOSTILE, "--passes", "decompose,relu-to-clamp"];
  const same: readonly (readonly string[])[] = [
    ["print", MLP, ...plugin, "--print-after", "changed"],
    ["history", MLP, ...plugin],
    ["lower", MLP, "--plugin", HOSTILE, "--passes", "throw", "-o", "-", "--json"],
  ];
  for (const args of same) expect(await sconce(...args, ...LONG)).toEqual(await sconce(...args));
  const absent = ["print", "absent.pt2", "--passes", "dce"];
  expect(await sconce(...absent, ...LONG)).toEqual(await sconce(...absent));
});

test("standard input reaches the command", async () => {
  const { out } = await sconce("lower", CHAIN, "-o", "-");
  const args = ["print", "-", "--passes", "canonicalize"];
  expect(await sconceOn(withInput(out), ...args, ...LONG)).toEqual(await sconceOn(withInput(out), ...args));
});

test("a pass that does not end, fills the memory, or leaves ends the command with a typed error", async () => {
  const lower = (
    passes: string,
    ...limits: readonly string[]
  ): Promise<{ readonly code: number; readonly err: string }> =>
    sconce("lower", MLP, "--plugin", HOSTILE, "--passes", passes, "-o", "-", ...limits);
  const late = await lower("spin", "--pass-timeout", "1");
  expect(late.code).toBe(2);
  expect(late.err).toMatch(/^error PASS_TIMEOUT: .* within 1 ms: .*\n(.*\n)? +fix .*raise --pass-timeout/);
  const large = await lower("dce,fill-heap", "--pass-memory", String(64 * 2 ** 20));
  expect(large.code).toBe(2);
  expect(large.err).toMatch(
    /^error PASS_MEMORY: .*pass "fill-heap" of plugin "hostile" \(step 2\) was running/,
  );
  expect((await lower("leave", ...LONG)).err).toMatch(/^error PASS_WORKER: .* code 3/);
});

test("wrong limits are errors of usage", async () => {
  for (const limit of [
    ["--pass-timeout", "0"],
    ["--pass-timeout", "soon"],
    ["--pass-memory", "5"],
  ])
    expect((await sconce("print", MLP, "--lower", ...limit)).err).toMatch(/^error USAGE: --pass-/);
});
