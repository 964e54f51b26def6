/** @file `npm run docs`: writes the pages under `docs/reference` that are made from the rows. */
import { readFileSync, writeFileSync } from "node:fs";
import { createSconce } from "sconce";
import { drawnTargets } from "./drawn-targets.js";
import { readFamilies } from "./families.js";
import { operatorPage } from "./operator-page.js";

const root = new URL("../../../../", import.meta.url);
const page = operatorPage({
  sconce: createSconce(),
  families: await readFamilies(root),
  drawn: drawnTargets(readFileSync(new URL("packages/testing/fixtures/random/draws.json", root), "utf8")),
});
writeFileSync(new URL("docs/reference/operators.md", root), page);
