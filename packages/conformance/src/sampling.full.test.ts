/** @file Every program of the corpus takes the inputs that are sampled for it. */
import { readdirSync } from "node:fs";
import { isSconceError } from "@sconce/errors";
import { openPt2File } from "@sconce/formats/node";
import { sampleInputs } from "@sconce/passes";
import { createSconce } from "@sconce/session";
import { expect, test } from "vitest";
import { corpusPlugin } from "./conformance/corpus-plugin.js";
import { withStandIns } from "./conformance/stand-in-values.js";
import { PROGRAMS } from "./fixtures.js";

const sconce = createSconce({ plugins: [corpusPlugin] });
const names = readdirSync(PROGRAMS, { withFileTypes: true }).filter((entry) => entry.isDirectory());

/**
 * Their inputs have to agree in ways that only the model's code says: offsets that begin with 0,
 * splits that add up, asserted orders.
 */
const PICKY: ReadonlySet<string> = new Set([
  "lower_arange_float",
  "lower_item_range_step",
  "net_recommender",
  "unbacked_split",
]);

test.each(names.map(({ name }) => name).filter((name) => !PICKY.has(name)))("%s", async (name) => {
  const file = readdirSync(`${PROGRAMS}${name}`).find((entry) => entry === "program.pt2");
  if (file === undefined) return;
  let program: Awaited<ReturnType<typeof openPt2File>>;
  try {
    program = await openPt2File(`${PROGRAMS}${name}/${file}`, { operators: sconce.operators });
  } catch (error) {
    // Some folders hold programs that are to be refused.
    expect(isSconceError(error)).toBe(true);
    return;
  }
  const executable = await sconce.compile(withStandIns(program));
  for (const inputs of sampleInputs(program, { count: 3 })) await executable.run(inputs);
});
