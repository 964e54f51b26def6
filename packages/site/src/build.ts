/** @file Builds the site: pages, API reference, studio, live example. */
import { rmSync } from "node:fs";
import { bundlePrograms } from "./bundles.js";
import { stagePages } from "./stage/stage.js";
import { deadLinks } from "./support/dead-links.js";
import { SITE } from "./support/paths.js";
import { installTools, runTool } from "./support/tools.js";

/** Builds the site into its folder. Throws when a link is dead or a snippet fails. */
export async function buildSite(): Promise<void> {
  installTools();
  await stagePages();
  await buildPages(SITE, process.env["SITE_BASE"] ?? "/");
}

/**
 * Builds the pages that {@link buildSite} wrote into a folder. Throws when a link is dead.
 *
 * @param base the path of the folder on its host, with a slash at both ends
 */
async function buildPages(folder: string, base: string): Promise<void> {
  if (!/^\/([^/]+\/)*$/.test(base)) throw new Error(`the base ${base} does not begin and end with a slash`);
  rmSync(folder, { recursive: true, force: true });
  const vitepress = "node_modules/vitepress/bin/vitepress.js";
  runTool(vitepress, "build", ".", "--base", base, "--outDir", folder);
  await bundlePrograms(folder);
  const dead = deadLinks(folder, base);
  if (dead.length > 0) throw new Error(`${dead.length} dead links:\n${dead.join("\n")}`);
}
