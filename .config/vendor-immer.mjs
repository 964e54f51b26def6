/**
 * Writes immer's production build to `packages/ir/vendor/immer.js`:
 * `node .config/vendor-immer.mjs`, after immer was updated. Its module for bundlers reads
 * `process.env`, which a page does not have, and Rollup does not replace.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT } from "./paths.mjs";

const read = (path) => readFileSync(join(ROOT, "node_modules/immer", path), "utf8");

/** What the file has to hold. */
export function vendoredImmer() {
  const { version } = JSON.parse(read("package.json"));
  const code = read("dist/immer.production.mjs").replace(/\n?\/\/# sourceMappingURL=.*\s*$/, "\n");
  const license = read("LICENSE").trim().replaceAll(/^/gm, " * ").replaceAll(/ +$/gm, "");
  return `/*!\n * immer ${version}\n *\n${license}\n */\n${code}`;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href)
  writeFileSync(join(ROOT, "packages/ir/vendor/immer.js"), vendoredImmer());
