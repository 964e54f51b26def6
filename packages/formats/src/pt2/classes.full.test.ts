/**
 * @file What every class of hostile input takes of CPU and memory, large ones of many megabytes
 * too.
 */
import { parseIr } from "@sconce/ir";
import { afterAll, expect, test } from "vitest";
import { makeZip, utf8 } from "../zip/zip.fixture.js";
import { ARCHIVE_CLASSES } from "./classes-archive.fixture.js";
import { PROGRAM_CLASSES } from "./classes-program.fixture.js";
import { node, records } from "./hostile.fixture.js";
import { loose, makePt2 } from "./pt2.fixture.js";
import { readPt2 } from "./read.js";

/** The bound is 50 ms of CPU; other processes and cold code take several times as much here. */
const MILLISECONDS = 50 * 8;
const MEBI = 2 ** 20;
const rows: string[] = [];

interface Cost {
  readonly milliseconds: number;
  readonly bytes: number;
}

/** CPU time, and memory that is still allocated when the reader is done, garbage included. */
async function costOf(run: () => unknown): Promise<Cost> {
  const memory = (): number => {
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  (globalThis as { gc?: () => void }).gc?.();
  const before = memory();
  const start = process.cpuUsage();
  try {
    await run();
  } catch {
    // The quick test checks the errors.
  }
  const { user, system } = process.cpuUsage(start);
  return { milliseconds: (user + system) / 1000, bytes: memory() - before };
}

async function expectCheap(
  what: string,
  size: number,
  run: () => unknown,
  milliseconds = MILLISECONDS,
): Promise<void> {
  const cost = await costOf(run);
  rows.push(`${what}: ${cost.milliseconds.toFixed(0)} ms, ${(cost.bytes / MEBI).toFixed(1)} MiB`);
  expect(cost.milliseconds, what).toBeLessThan(milliseconds);
  expect(cost.bytes, what).toBeLessThan(4 * size + 64 * MEBI);
}

/** Shows the measurements, with SCONCE_COSTS=1. */
afterAll(() => {
  if (process.env["SCONCE_COSTS"]) process.stdout.write(`${rows.join("\n")}\n`);
});

test("a sound file warms the code up", async () => {
  for (let i = 0; i < 20; i++) await readPt2(makePt2());
});

test.each([...ARCHIVE_CLASSES, ...PROGRAM_CLASSES])("%s %s is cheap", async (id, what, _, make) => {
  const bytes = make();
  await expectCheap(`${id} ${what}`, bytes.length, () => readPt2(bytes));
});

test.each([
  [
    "B-11 a million entries",
    () => makeZip(Array.from({ length: 1e6 }, (_, i) => ({ name: `m/${i}`, data: new Uint8Array(0) }))),
    1,
  ],
  [
    "B-39 a stack trace of 50 MB",
    () =>
      node((call) => {
        call["metadata"] = loose({ stack_trace: "x".repeat(50e6) });
      }),
    // Each byte is checked, decoded and searched.
    4,
  ],
  [
    "50 MB of weights that nothing reads",
    () => records((r) => r.set("data/weights/w", new Uint8Array(50e6))),
    4,
  ],
])("%s", async (what, make, factor) => {
  const bytes = make();
  await expectCheap(what, bytes.length, () => readPt2(bytes), factor * MILLISECONDS);
});

const sir = (body: string): string =>
  new TextDecoder("latin1").decode(utf8(`program "ATEN" {}\ngraph(%x: f32[2]) {\n${body}\nreturn (%x)\n}`));

test.each([
  ["a string of 12 MB", () => sir(`%a = aten.relu.default("${"a".repeat(12e6)}")`)],
  ["a string of 12 MB of escapes", () => sir(`%a = aten.relu.default("${"\\n".repeat(6e6)}")`)],
  ["a comment of 20 MB", () => sir(`// ${"a".repeat(20e6)}`)],
  ["20 MB of comments", () => sir("// a comment\n".repeat(1.5e6))],
  ["a number of 12 MB", () => sir(`%a = aten.relu.default(${"1".repeat(12e6)})`)],
  ["brackets of 12 MB", () => sir(`%a = aten.relu.default(${"[".repeat(12e6)})`)],
])(".sir: %s", async (what, make) => {
  const text = make();
  await expectCheap(what, text.length, () => parseIr(text));
});
