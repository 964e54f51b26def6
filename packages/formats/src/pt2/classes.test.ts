/** @file Every class of hostile input: read rightly, or refused with code, place and remedy. */
import { isSconceError } from "@sconce/errors";
import { ExportedProgram } from "@sconce/ir";
import { expect, test } from "vitest";
import { ARCHIVE_CLASSES } from "./classes-archive.fixture.js";
import { PROGRAM_CLASSES } from "./classes-program.fixture.js";
import { makePt2 } from "./pt2.fixture.js";
import { readPt2 } from "./read.js";

const CLASSES = [...ARCHIVE_CLASSES, ...PROGRAM_CLASSES];
/** Sources that change, stall or fail: see source.test.ts. */
const ELSEWHERE = "B-20";

test("every class has a case", () => {
  const ids = new Set(CLASSES.map(([id]) => id));
  const all = Array.from({ length: 40 }, (_, i) => `B-${String(i + 1).padStart(2, "0")}`);
  expect(all.filter((id) => !ids.has(id))).toEqual([ELSEWHERE]);
});

test("B-20 a file that becomes shorter while it is read", async () => {
  const bytes = makePt2();
  let reads = 0;
  const read = async (offset: number, length: number): Promise<Uint8Array> =>
    bytes.slice(offset, offset + (reads++ > 2 ? length - 1 : length));
  await expect(readPt2({ size: bytes.length, read })).rejects.toMatchObject({
    code: "SOURCE_CHANGED",
    where: expect.stringContaining("byte"),
    fix: expect.stringMatching(/\w/),
  });
});

test.each(CLASSES)("%s %s: %s", async (_, __, code, bytes) => {
  const result: unknown = await readPt2(bytes()).catch((error: unknown) => error);
  const codes = code.split("|");
  if (result instanceof ExportedProgram) {
    expect(codes).toContain("read");
    return;
  }
  if (!isSconceError(result)) throw result;
  expect(
    codes.some((one) => result.code.startsWith(one)),
    result.describe(),
  ).toBe(true);
  expect(result.fix).toMatch(/\w{3}/);
  // A file of another format has no place but itself.
  if (result.code !== "OTHER_FORMAT") expect(result.where, result.describe()).toMatch(/\w/);
  // What JSON says is placed by its file, and the field in it.
  if (/graph_module|tensor_meta/.test(result.where ?? "")) expect(result.where).toMatch(/^\S*\.json /);
});
