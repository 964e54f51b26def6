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
  rmSync(SITE, { recursive: true, force: true });
  runTool("node_modules/vitepress/bin/vitepress.js", "build", ".");
  await bundlePrograms();
  const dead = deadLinks(SITE);
  if (dead.length > 0) throw new Error(`${dead.length} dead links:\n${dead.join("\n")}`);
}
