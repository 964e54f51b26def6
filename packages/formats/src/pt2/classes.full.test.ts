/**
 * @file What every class of hostile input takes of work and memory, large ones of many megabytes
 * too. SCONCE_COSTS=1 shows the counts, and the CPU time.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { parseIr } from "@sconce/ir/text";
import { afterAll, expect, test } from "vitest";
import { JSON_BYTES_PER_NODE } from "./assemble.js";
import { ARCHIVE_CLASSES } from "./classes-archive.fixture.js";
import { LARGE_ARCHIVES, LARGE_TEXTS } from "./classes-large.fixture.js";
import { PROGRAM_CLASSES } from "./classes-program.fixture.js";
import { CountingBudget, type Spent } from "./counting-budget.fixture.js";
import { makePt2 } from "./pt2.fixture.js";
import { readPt2 } from "./read.js";

/**
 * Most work that a file of these may take, whatever its size: some 50 ms of CPU. Times are shown,
 * not asserted, since they depend on the machine.
 */
const MOST: Spent = { bytes: 5 * 2 ** 20, nodes: 200_000, terms: 70_000, entries: 1_000_000 };
const MEBI = 2 ** 20;
const rows: string[] = [];
setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Memory that is allocated, garbage included. */
function allocated(): number {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** Reads an input of the size in bytes, and holds the work that it counts and the memory. */
async function expectCheap(
  what: string,
  size: number,
  read: (budget: CountingBudget) => unknown,
): Promise<void> {
  const budget = new CountingBudget(size, {}, JSON_BYTES_PER_NODE);
  collectGarbage();
  const before = allocated();
  const start = process.cpuUsage();
  try {
    await read(budget);
  } catch {
    // The quick test checks the errors.
  }
  const { user, system } = process.cpuUsage(start);
  const bytes = allocated() - before;
  const { spent } = budget;
  const counts = Object.entries(spent).filter(([, count]) => count > 0);
  rows.push(
    `${what}: ${((user + system) / 1000).toFixed(0)} ms, ${(bytes / MEBI).toFixed(1)} MiB` +
      counts.map(([kind, count]) => `, ${Math.round(count)} ${kind}`).join(""),
  );
  for (const kind of Object.keys(MOST) as (keyof Spent)[])
    expect(spent[kind], `${what}: ${kind}`).toBeLessThanOrEqual(MOST[kind]);
  expect(bytes, what).toBeLessThan(4 * size + 64 * MEBI);
}

afterAll(() => {
  if (process.env["SCONCE_COSTS"]) process.stdout.write(`${rows.join("\n")}\n`);
});

test("a sound file warms the code up", async () => {
  for (let i = 0; i < 20; i++) await readPt2(makePt2());
});

test.each([...ARCHIVE_CLASSES, ...PROGRAM_CLASSES])("%s %s is cheap", async (id, what, _, make) => {
  const bytes = make();
  await expectCheap(`${id} ${what}`, bytes.length, (budget) => readPt2(bytes, { budget }));
});

test.each(LARGE_ARCHIVES)("%s", async (what, make) => {
  const bytes = make();
  await expectCheap(what, bytes.length, (budget) => readPt2(bytes, { budget }));
});

test.each(LARGE_TEXTS)(".sir: %s", async (what, make) => {
  const text = make();
  await expectCheap(what, text.length, (budget) => parseIr(text, { budget }));
});
