/** Reads the sources of the packages and examples as syntax trees. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";
import { ROOT } from "./paths.mjs";

export { ROOT };

const SKIPPED = new Set(["node_modules", "dist", "fixtures", ".turbo"]);

/** Yields the paths of the source files below a folder of the repository. */
export function* sourceFiles(folder) {
  for (const entry of readdirSync(join(ROOT, folder), { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      if (!SKIPPED.has(entry.name)) yield* sourceFiles(path);
    } else if (/\.(?:m?[jt]s|tsx)$/.test(path)) yield path;
  }
}

/**
 * Returns a file's text, its imports (`module`), its syntax tree (`program`, ESTree) and its
 * comments. The parser makes the tree when it is read, which takes most of the time.
 */
export function parseFile(path) {
  const text = readFileSync(join(ROOT, path), "utf8");
  const file = parseSync(path, text);
  if (file.errors.length > 0) throw new Error(`${path}: ${file.errors[0].message}`);
  return Object.assign(file, { path, text });
}

/** Calls `enter` with each node of a syntax tree and its parent. */
export function walk(node, enter, parent = undefined) {
  enter(node, parent);
  for (const key of Object.keys(node)) {
    const value = node[key];
    for (const child of Array.isArray(value) ? value : [value])
      if (child !== null && typeof child === "object" && typeof child.type === "string")
        walk(child, enter, node);
  }
}
