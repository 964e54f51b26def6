/**
 * @file `npm run golden`: writes the golden files of this version into `packages/fuzz/golden`. It
 * changes no file of a folder that exists.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { VERSION } from "@sconce/errors";
import { goldenFiles } from "./golden/files.js";

const folder = fileURLToPath(new URL(`../golden/${VERSION}/`, import.meta.url));
if (existsSync(folder)) {
  process.stderr.write(`${folder} exists: files of a release never change\n`);
  process.exitCode = 1;
} else {
  mkdirSync(folder, { recursive: true });
  for (const [name, bytes] of await goldenFiles()) writeFileSync(`${folder}${name}`, bytes);
  process.stdout.write(`${folder}\n`);
}
