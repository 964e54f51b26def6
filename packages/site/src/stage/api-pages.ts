/**
 * @file The API reference: TypeDoc writes a page for each entry point of the published packages.
 */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PAGES, TOOLS } from "../support/paths.js";
import { runTool } from "../support/tools.js";
import { publicPackages } from "./repository-pages.js";

/** Writes the pages to `api/`, beside the staged ones. */
export function writeApiPages(): void {
  const entries = join(TOOLS, "dist/entries.json");
  writeFileSync(entries, JSON.stringify(publicPackages().flatMap((one) => one.entries)));
  runTool("api.mjs", join(PAGES, "api"), entries);
}

/** Returns the address of the page of an entry point. Those with namespaces have a folder. */
export const apiLink = (specifier: string): string =>
  existsSync(join(PAGES, "api", specifier, "index.md")) ? `/api/${specifier}/` : `/api/${specifier}`;
