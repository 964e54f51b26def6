import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fixture, sconce } from "./command.fixture.js";

let folder: string;
let damaged: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sconce-weights-"));
  damaged = join(folder, "program.pt2");
  const bytes = await readFile(fixture("net_mlp"));
  // A byte of the first weight, which has 64 bytes of header before it at least.
  const at = bytes.indexOf("data/weights/weight_0");
  bytes[Math.ceil((at + 64) / 64) * 64 + 5]! ^= 1;
  await writeFile(damaged, bytes);
});
afterAll(() => rm(folder, { recursive: true }));

describe("commands that do not need weights do not read them", () => {
  test.each([
    ["info"],
    ["info", "--json", "--no-hash"],
    ["types"],
    ...["program", "graph", "code", "signature", "ir", "json", "mermaid", "dot"].map((format) => [
      "print",
      "--format",
      format,
    ]),
    ["print", "--lower"],
  ])("%s %s %s", async (command, ...options) => {
    const { code, out, err } = await sconce(command, ...options, damaged);
    expect([code, err]).toEqual([0, ""]);
    const sound = await sconce(command, ...options, fixture("net_mlp"));
    expect(out.replaceAll(damaged, "FILE")).toBe(sound.out.replaceAll(fixture("net_mlp"), "FILE"));
  });

  test.each([
    ["verify"],
    ["info", "--json"],
    ["print", "--passes", "decompose"],
    ["print", "--format", "ts"],
    ["run"],
  ])("those that do need them find the damage: %s %s %s", async (command, ...options) => {
    const { code, err } = await sconce(command, ...options, damaged);
    expect(code).not.toBe(0);
    expect(err).toContain("ZIP_CRC");
    expect(err).toContain("data/weights/weight_0");
  });
});
