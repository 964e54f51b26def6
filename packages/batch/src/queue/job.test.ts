import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { VERSION } from "@sconce/errors";
import { describe, expect, test } from "vitest";
import { testFolder } from "../batch.fixture.js";
import { checkedJob, jobPath, pathBelow, type ShardJob } from "./job.js";

const JOB: ShardJob = {
  version: VERSION,
  program: "model.pt2",
  input: "shards/a.csv",
  output: "out/a.csv",
  options: { programHash: "0".repeat(64), backend: "cpu", threads: 1, batchSize: 4, keep: ["id"] },
};

describe("a job of a queue", () => {
  test("is taken as `sconce batch` makes it", () => {
    expect(checkedJob(JSON.parse(JSON.stringify(JOB)))).toEqual(JOB);
  });

  test.each([
    ["nothing", null, /batch`: version$/],
    ["a text", "shard", /batch`: version$/],
    ["no input", { ...JOB, input: undefined }, /batch`: input$/],
    ["a number as path", { ...JOB, output: 3 }, /batch`: output$/],
    ["a long path", { ...JOB, input: "a".repeat(5000) }, /batch`: input$/],
    ["no options", { ...JOB, options: null }, /batch`: programHash$/],
    ["another hash", { ...JOB, options: { ...JOB.options, programHash: "../../etc" } }, /: programHash$/],
    ["a huge batch", { ...JOB, options: { ...JOB.options, batchSize: 1e9 } }, /: batchSize$/],
    ["columns that are not names", { ...JOB, options: { ...JOB.options, keep: [{}] } }, /: keep$/],
    ["another version", { ...JOB, version: "99.0.0" }, /is of Sconce 99\.0\.0/],
  ])("is refused with %s", (_, job, message) => {
    expect(() => checkedJob(job)).toThrow(
      expect.objectContaining({ code: "BATCH_JOB", message: expect.stringMatching(message) }),
    );
  });

  test("names files from the root", () => {
    expect(jobPath("/data", "/data/a/b.csv")).toBe("a/b.csv");
    for (const path of ["/other/b.csv", "/data/../etc/b.csv", "/data"])
      expect(() => jobPath("/data", path)).toThrow(expect.objectContaining({ code: "BATCH_OPTION" }));
  });

  test("opens no file outside of the root, through links neither", async () => {
    const folder = realpathSync(testFolder("job"));
    const root = join(folder, "root");
    mkdirSync(join(root, "in"), { recursive: true });
    writeFileSync(join(folder, "secret.csv"), "");
    symlinkSync(folder, join(root, "link"));
    expect(await pathBelow("/", join(root, "in", "a.csv").slice(1))).toBe(join(root, "in", "a.csv"));
    expect(await pathBelow(root, "..in/a.csv")).toBe(join(root, "..in", "a.csv"));
    expect(await pathBelow(root, "in/a.csv")).toBe(join(root, "in", "a.csv"));
    expect(await pathBelow(root, "new/folder/a.csv")).toBe(join(root, "new", "folder", "a.csv"));
    for (const path of [
      "../secret.csv",
      join(folder, "secret.csv"),
      "link/secret.csv",
      "link/new/a.csv",
      "in/../../x",
    ])
      await expect(pathBelow(root, path)).rejects.toMatchObject({ code: "BATCH_JOB" });
  });
});
