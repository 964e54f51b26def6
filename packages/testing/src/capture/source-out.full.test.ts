import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { writtenAgain, writtenCallProblems } from "./source-out.fixture.js";
import { typeErrors } from "./type-check.fixture.js";

const FOLDER = fileURLToPath(new URL("../../fixtures/programs/", import.meta.url));
const written = mkdtempSync(fileURLToPath(new URL("../../dist/.written-", import.meta.url)));
afterAll(() => rmSync(written, { recursive: true }));

const namesWith = (file: string): string[] =>
  readdirSync(FOLDER).filter((name) => existsSync(join(FOLDER, name, file)));

/** What the functional API has no way to write. */
const REFUSED: Readonly<Record<string, string>> = {
  call_defaultdict: "the container collections.defaultdict",
  call_deque: "the container collections.deque",
  pm_custom_nonzero: "the call of mylib.custom_nonzero.default",
  "pm_custom_nonzero lowered": "the call of mylib.custom_nonzero.default",
  pm_custom_op: "the call of mylib.sin.default",
  text_regions: "the call of higher_order.wrap_with_autocast",
};

const wordsOf = (...lines: readonly string[]): ReadonlySet<string> =>
  new Set(lines.flatMap((line) => line.split(" ")));

/** A strict export names sizes of inputs after other sources. */
const OTHER_NAMES = wordsOf("strict_cond_dynamic");

const SIZES = "A size that equals one computed before is that one.";
const CLOSURES =
  "The inner call gets its operands in the order of the outer one: a graph has no names of closures.";
const FLOATS = "The bound of a float is printed as an integer.";
const BRANCHES = "Branches assert nothing of a size of the graph around, which asserts it.";

/** What differs, in how many lines, and why. */
const DIFFERENT: Readonly<Record<string, readonly [lines: number, reason: string]>> = {
  flow_associative_scan: [66, "The items of a batch are computed one by one."],
  flow_cond_nested: [6, CLOSURES],
  lower_arange_float: [2, FLOATS],
  lower_cat_many: [5, SIZES],
  lower_cond_sizes: [4, BRANCHES],
  "flow_cond_nested lowered": [6, CLOSURES],
  "lower_arange_float lowered": [2, FLOATS],
  "lower_cat_many lowered": [8, SIZES],
  "lower_cond_sizes lowered": [4, BRANCHES],
  "pm_input_mutation lowered": [12, "A write to an input is a copy, and an output."],
  "shape_split lowered": [1, "A difference of a size and itself, which nothing reads, is left out."],
  "text_strides lowered": [5, "An `alias` that stands alone is lowered to another one."],
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
    const { text, result, got, wanted } = await writtenAgain(name, file);
    writeFileSync(join(written, `${name}.${file}.ts`), text);
    if (result === "different") {
      const known = DIFFERENT[key];
      expect(known === undefined ? got : undefined).toBe(known === undefined ? wanted : undefined);
      expect(changedLines(got, wanted)).toBe(known![0]);
      return;
    }
    expect([result, key in DIFFERENT]).toEqual([OTHER_NAMES.has(name) ? "names" : "equal", false]);
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
