/** @file Single corruptions of all programs of the corpus are reported. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isSconceError } from "@sconce/errors";
import { verifyCalls } from "@sconce/passes";
import { createSconce } from "sconce";
import { expect, test } from "vitest";
import { corpusPlugin } from "./conformance/corpus-plugin.js";
import { MUTATIONS, picker } from "./verify-mutations.fixture.js";

const FOLDER = fileURLToPath(new URL("../fixtures/programs/", import.meta.url));
const sconce = createSconce({ plugins: [corpusPlugin] });
const files = readdirSync(FOLDER, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith("program.pt2"))
  .sort();

test("each corruption of a program is reported", async () => {
  const applied = new Set<string>();
  const missed: string[] = [];
  for (const [seed, file] of files.entries()) {
    const program = await sconce.load(readFileSync(FOLDER + file)).catch((error: unknown) => {
      if (isSconceError(error)) return undefined;
      throw error;
    });
    if (program === undefined) continue;
    const check = (one: typeof program) => verifyCalls(one, { operators: sconce.operators });
    if (check(program).length > 0)
      missed.push(`${file} is valid, and refused: ${check(program)[0]!.message}`);
    for (const [name, mutation] of Object.entries(MUTATIONS)) {
      const mutant = mutation(program, picker(seed + 1));
      if (mutant === undefined) continue;
      applied.add(name);
      if (check(mutant).length === 0) missed.push(`${file}: ${name}`);
    }
  }
  expect(missed).toEqual([]);
  expect([...Object.keys(MUTATIONS)].filter((name) => !applied.has(name))).toEqual([]);
});
