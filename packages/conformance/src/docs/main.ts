/**
 * @file `npm run docs`: writes the pages that follow from rows, recorded cases and package.json
 * files.
 */
import { writeFileSync } from "node:fs";
import { writtenPages } from "./written-pages.js";

const root = new URL("../../../../", import.meta.url);
for (const [path, text] of await writtenPages(root)) writeFileSync(new URL(path, root), text);
