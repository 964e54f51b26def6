import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { library, torch } from "@sconce/capture";
import type { SourceDifference } from "@sconce/capture/typescript";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PROGRAMS } from "../fixtures.js";
import { writtenAgain, writtenCallProblems } from "./source-out.fixture.js";
import { typeErrors } from "./type-check.fixture.js";

const written = mkdtempSync(fileURLToPath(new URL("../../dist/.written-", import.meta.url)));
afterAll(() => rmSync(written, { recursive: true }));

const namesWith = (file: string): string[] =>
  readdirSync(PROGRAMS).filter((name) => existsSync(join(PROGRAMS, name, file)));

/** What the functional API has no way to write. */
const REFUSED: Readonly<Record<string, string>> = {
  text_regions: "the call of higher_order.wrap_with_autocast",
};

/** The operators that programs of the corpus call besides PyTorch's. */
beforeAll(() => {
  const one = { schema: "(Tensor x) -> Tensor", mutatesArgs: [] } as const;
  library.customOp("mylib::sin", one, (x) => x.sin()).registerFake((x) => torch.emptyLike(x));
  library
    .customOp("mylib::custom_nonzero", one, (x) => x.nonzero())
    .registerFake((x) => x.newEmpty([library.getCtx().newDynamicSize(), x.ndim], { dtype: "int64" }));
});

/** What differs, in how many lines, and for which reasons, which the text begins with. */
const DIFFERENT: Readonly<
  Record<string, readonly [lines: number, ...reasons: SourceDifference["reason"][]]>
> = {
  flow_associative_scan: [66, "batched-scan", "batched-scan", "batched-scan"],
  flow_cond_nested: [6, "operand-order"],
  lower_cat_many: [5, "repeated-size"],
  "flow_cond_nested lowered": [6, "operand-order"],
  "lower_cat_many lowered": [8, "unused-size"],
  "shape_split lowered": [1, "unused-size"],
};

/** How many lines one text has that the other lacks, in both directions. */
function changedLines(got: string, wanted: string): number {
  const counts = new Map<string, number>();
  for (const line of got.split("\n")) counts.set(line, (counts.get(line) ?? 0) + 1);
  for (const line of wanted.split("\n")) counts.set(line, (counts.get(line) ?? 0) - 1);
  return [...counts.values()].reduce((sum, count) => sum + Math.abs(count), 0);
}

const cases = (file: "program" | "decomposed"): [string, string][] =>
  namesWith(`${file}.pt2`).map((name) => [name, file]);

describe("source out", () => {
  const all = [...cases("program"), ...cases("decomposed")] as [string, "program" | "decomposed"][];
  test.each(all)("%s: %s is written and exported again", async (name, file) => {
    const key = file === "program" ? name : `${name} lowered`;
    const refused = REFUSED[key];
    if (refused !== undefined) {
      await expect(writtenAgain(name, file)).rejects.toMatchObject({
        code: "NO_TYPESCRIPT",
        message: `${refused} cannot be written as TypeScript`,
      });
      return;
    }
    const { text, differences, result, got, wanted } = await writtenAgain(name, file);
    writeFileSync(join(written, `${name}.${file}.ts`), text);
    const [, ...reasons] = DIFFERENT[key] ?? [0];
    expect(differences.map(({ reason }) => reason)).toEqual(reasons);
    for (const { reason, where } of differences) expect(text).toContain(` * - ${reason} at ${where}: `);
    if (result === "different") {
      const known = DIFFERENT[key];
      expect(known === undefined ? got : undefined).toBe(known === undefined ? wanted : undefined);
      expect(changedLines(got, wanted)).toBe(known![0]);
      return;
    }
    expect([result, key in DIFFERENT]).toEqual(["equal", false]);
  });

  test("what is written has the right types", async () => {
    expect(readdirSync(written).length).toBeGreaterThan(250);
    expect(await typeErrors(written)).toBe("");
  });

  const isRunnable = (name: string): boolean => !(name in REFUSED);
  const runnable = namesWith("outputs.safetensors").filter((name) => namesWith("program.pt2").includes(name));
  test.each(runnable.filter(isRunnable))("%s gives PyTorch's numbers", async (name) => {
    expect(await writtenCallProblems(name)).toEqual([]);
  });
});
