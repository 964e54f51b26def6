/** @file `npm run docs`: writes the list of operators from the rows, and the parts of pages that follow from other files. */
import { readFileSync, writeFileSync } from "node:fs";
import { createSconce } from "sconce";
import { drawnTargets } from "./drawn-targets.js";
import { readFamilies } from "./families.js";
import { operatorPage } from "./operator-page.js";
import { writtenParts } from "./written-parts.js";

const root = new URL("../../../../", import.meta.url);
const page = operatorPage({
  sconce: createSconce(),
  families: await readFamilies(root),
  drawn: drawnTargets(readFileSync(new URL("packages/testing/fixtures/random/draws.json", root), "utf8")),
});
writeFileSync(new URL("docs/reference/operators.md", root), page);
for (const [path, text] of writtenParts(root)) writeFileSync(new URL(path, root), text);
