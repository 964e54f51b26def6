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

/**
 * Programs that come back with other numbers in names: numbers count nodes that are made and left
 * out again, such as reads of sizes by several functions.
 */
const OTHER_NAMES = wordsOf(
  "api_refine_dynamic_shapes flow_asserts flow_grad_mode lower_arange_float lower_item_range_step",
  "lower_three_inputs net_bert net_diffusion net_llama_prefill ops_indexing ops_reductions",
  "pm_cat_shapes pm_nonzero_check pm_unbacked_sizes shape_split strict_cond_dynamic",
  "unbacked_select unbacked_split",
);

/** The same of lowered programs, whose names PyTorch's process decides, too. */
const OTHER_NAMES_LOWERED = wordsOf(
  "api_derived_dim api_derived_multiples api_dynamic_branches api_refine_dynamic_shapes",
  "api_shapes_collection digits flow_asserts flow_associative_scan flow_cond_dynamic",
  "flow_cond_shape lower_arange_float lower_arange_scaled lower_item_float_ends lower_item_range_step",
  "lower_linspace_ends lower_split_chunk lower_three_inputs net_bert net_diffusion net_gpt",
  "net_graph net_llama_prefill net_lstm_cell net_resnet net_vit old_constrain_as_size",
  "old_data_dependent_slice old_dynamic_dim_equality ops_convolutions",
  "ops_indexing ops_reductions pass_in_place pass_redundant pm_cat_shapes pm_functionalization",
  "shape_auto shape_broadcast shape_conv_sizes",
  "shape_factories shape_int_input shape_numbers shape_reshapes shape_slices",
  "strict_cond_dynamic text_arguments unbacked_select unbacked_split",
);

const SIZES = "A size that equals one computed before is that one.";
const CLOSURES =
  "The inner call gets its operands in the order of the outer one: a graph has no names of closures.";
const BRANCHES = "Branches assert nothing of a size of the graph around, which asserts it.";

/** What differs, in how many lines, and why. */
const DIFFERENT: Readonly<Record<string, readonly [lines: number, reason: string]>> = {
  api_static_loop: [4, "`const` is a word of JavaScript: the argument is `const_`."],
  flow_associative_scan: [66, "The items of a batch are computed one by one."],
  flow_cond_nested: [6, CLOSURES],
  lower_cat_many: [5, SIZES],
  lower_cond_sizes: [4, BRANCHES],
  strict_tied_reverse: [10, "Strict mode names an input of a tied parameter by its other name."],
  "flow_cond_nested lowered": [6, CLOSURES],
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
    const others = file === "program" ? OTHER_NAMES : OTHER_NAMES_LOWERED;
    expect([result, key in DIFFERENT]).toEqual([others.has(name) ? "names" : "equal", false]);
  });

  test("what is written has the right types", async () => {
    expect(readdirSync(written).length).toBeGreaterThan(250);
    expect(await typeErrors(written)).toBe("");
  });

  // The name of an argument is in the messages of refused calls, too.
  const isRunnable = (name: string): boolean => !(name in REFUSED) && name !== "api_static_loop";
  const runnable = namesWith("outputs.safetensors").filter((name) => namesWith("program.pt2").includes(name));
  test.each(runnable.filter(isRunnable))("%s gives PyTorch's numbers", async (name) => {
    expect(await writtenCallProblems(name)).toEqual([]);
  });
});
