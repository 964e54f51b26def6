import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readSafetensors, Tensor, writeSafetensors } from "@sconce/tensor";
import { afterAll, describe, expect, test } from "vitest";
import { fixture, sconce } from "../command.fixture.js";

const folder = mkdtempSync(join(tmpdir(), "sconce-batch-command-"));
afterAll(() => rmSync(folder, { recursive: true }));

const shards = join(folder, "shards");
mkdirSync(shards);
for (const i of [0, 1, 2]) {
  const image = Tensor.fromData(new Float32Array(5 * 64).fill(i / 4), "float32", [5, 1, 8, 8]);
  writeFileSync(join(shards, `s${i}.safetensors`), writeSafetensors(new Map([["image", image]])));
}
const BATCH = ["batch", fixture("digits"), "--inputs", join(shards, "s*"), "--workers", "1"];

describe("sconce batch", () => {
  test("writes a file for each shard, with the numbers of sconce run", async () => {
    const output = join(folder, "out");
    const { code, out, err } = await sconce(...BATCH, "--output", output);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^3 shards written, 0 skipped, 0 set aside\n15 rows in /);
    expect(readdirSync(output).sort()).toEqual([".sconce-batch", ...readdirSync(shards)]);
    const expected = join(folder, "expected.safetensors");
    await sconce("run", fixture("digits"), "--inputs", join(shards, "s1.safetensors"), "--outputs", expected);
    const o0 = (path: string): Tensor => readSafetensors(readFileSync(path)).tensors.get("o0")!;
    const [got, want] = [o0(join(output, "s1.safetensors")), o0(expected)];
    expect(got.shape).toEqual([5, 10]);
    for (const [i, value] of got.toFloat64Array().entries())
      expect(value).toBeCloseTo(want.toFloat64Array()[i]!, 4);
  });

  test("prints one event a line with --json", async () => {
    const { code, out } = await sconce(
      ...BATCH,
      "--output",
      join(folder, "json"),
      "--json",
      "--format",
      "csv",
    );
    const events = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { event: string });
    expect(code).toBe(0);
    expect(events.map(({ event }) => event)).toEqual(["start", "shard", "shard", "shard", "end"]);
    expect(events[1]).toMatchObject({ state: "written", rows: 5, output: join(folder, "json", "s0.csv") });
    expect(events.at(-1)).toMatchObject({ shards: 3, written: 3, setAside: [], stopped: false });
  });

  test("ends with 1 and lists the shards that are set aside", async () => {
    const broken = join(shards, "t.ndjson");
    writeFileSync(broken, '{"image": 3}\n');
    const output = join(folder, "aside");
    const { code, out, err } = await sconce(
      ...BATCH,
      "--inputs",
      broken,
      "--output",
      output,
      "--backoff",
      "1",
    );
    expect(code).toBe(1);
    expect(out).toMatch(/^3 shards written, 0 skipped, 1 set aside\n/);
    expect(err).toContain(`warning: ${broken}: attempt 2 failed: `);
    expect(err).toContain(
      `set aside after 3 attempts: ${broken}\n  error BATCH_SHARD: the column "image" holds 3, and the program takes float32[1, 8, 8] a row\n` +
        `  in  ${broken}: row 0\n  fix `,
    );
  });

  test.each([
    [["--batch-size", "x"], "USAGE", "--batch-size"],
    [["--part", "2"], "USAGE", "--part"],
    [["--part", "2/2"], "BATCH_OPTION", "part 2 of 2"],
    [["--queue", "localhost"], "USAGE", "not an address of Redis"],
    [["--format", "xml"], "USAGE", "xml"],
    [["--inputs", join(folder, "none-*")], "BATCH_OPTION", "no files match"],
    [["--map", "none.mjs"], "BATCH_MAP", "none.mjs"],
  ])("refuses %j", async (options, errorCode, text) => {
    const { code, err } = await sconce(...BATCH, "--output", join(folder, "refused"), ...options);
    expect(code).toBe(2);
    expect(err).toMatch(new RegExp(`^error ${errorCode}: `));
    expect(err).toContain(text);
  });

  test("says that a queue does not answer, without its password", async () => {
    // Nothing listens on the port of discarded messages.
    const { code, err } = await sconce("batch-worker", "--queue", "redis://:secret@127.0.0.1:9/0");
    expect(code).toBe(2);
    expect(err).toMatch(
      /^error BATCH_QUEUE: the queue redis:\/\/127\.0\.0\.1:9\/0 does not answer: .*ECONNREFUSED/,
    );
    expect(err).not.toContain("secret");
    expect(await sconce("batch-worker")).toMatchObject({
      code: 2,
      err: expect.stringContaining("--queue is missing"),
    });
  });
});
