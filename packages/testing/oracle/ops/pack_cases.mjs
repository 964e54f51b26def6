/**
 * Makes the case files of `packages/ops-cases` from the recordings that make_ops.py, make_edges.py
 * and make_empties.py wrote.
 *
 *     npm run build
 *     node packages/testing/oracle/ops/pack_cases.mjs CASES_DIR EDGES_DIR EMPTIES_DIR
 *     node packages/testing/oracle/ops/pack_cases.mjs
 *
 * Without folders, the calls that the case files hold go to the files of their families: after a
 * family was renamed or an operator moved. The same calls give the same files.
 */
import { createHash } from "node:crypto";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { defaultOperators } from "@sconce/ops";
import { writeLines } from "@sconce/ops-cases";
import { CASES_FOLDER, openCaseFiles } from "@sconce/ops-cases/node";
import { familyOf, readFamilies } from "../../../conformance/dist/docs/families.js";

const root = new URL("../../../../", import.meta.url);
const family = familyOf(await readFamilies(root), defaultOperators());

const folders = process.argv.slice(2);
const files = (folders.length === 0 ? [CASES_FOLDER] : folders).flatMap((folder) => openCaseFiles(folder));
const byFamily = new Map();
const known = new Set();
for (const one of files.flatMap(({ cases }) => cases)) {
  // Some calls of make_empties.py are those that were recorded before.
  const call = `${one.target} ${one.id} ${one.source === "edges"}`;
  if (known.has(call)) continue;
  known.add(call);
  const name = family(one.target);
  if (name === undefined) throw new Error(`no file of packages/ops/src/families has ${one.target}`);
  if (!byFamily.has(name)) byFamily.set(name, []);
  byFamily.get(name).push(one);
}

const hash = (text) => createHash("sha256").update(text).digest("hex").slice(0, 8);
for (const name of readdirSync(CASES_FOLDER)) if (name.endsWith(".jsonl")) rmSync(`${CASES_FOLDER}${name}`);
let bytes = 0;
for (const [name, cases] of byFamily) {
  // Stable: the calls of an overload keep their order, recordings before edges.
  cases.sort((a, b) => (a.target < b.target ? -1 : a.target > b.target ? 1 : 0));
  const text = writeLines(cases, hash);
  bytes += text.length;
  writeFileSync(`${CASES_FOLDER}${name}.jsonl`, text);
}
const count = [...byFamily.values()].reduce((sum, cases) => sum + cases.length, 0);
console.log(`${count} calls of ${byFamily.size} families, ${bytes} bytes`);
