/** @file Recorded calls lie in the file of their operator's family. */
import { defaultOperators } from "@sconce/ops";
import { caseFamilies, readFamily } from "@sconce/ops-cases/node";
import { expect, test } from "vitest";
import { familyOf, readFamilies } from "./families.js";

test("after a family is renamed or an operator moves: node packages/testing/oracle/ops/pack_cases.mjs", async () => {
  const root = new URL("../../../../", import.meta.url);
  const family = familyOf(await readFamilies(root), defaultOperators());
  const strays = caseFamilies().flatMap((name) =>
    readFamily(name).flatMap(({ target }) =>
      family(target) === name ? [] : [`${target} is in ${name}.jsonl, its row in ${family(target)}.ts`],
    ),
  );
  expect([...new Set(strays)]).toEqual([]);
});
