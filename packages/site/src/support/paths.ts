/** @file Folders of the site, and the address of the source. */
import { fileURLToPath } from "node:url";

const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** The folder of the repository. */
export const ROOT: string = pathOf("../../../../");
/** VitePress, TypeDoc and what they need, installed separately. */
export const TOOLS: string = pathOf("../../tools/");
/** The pages as VitePress reads them. */
export const PAGES: string = pathOf("../../tools/dist/pages/");
/** The sidebars, which the configuration of VitePress reads. */
export const SIDEBAR: string = pathOf("../../tools/dist/sidebar.json");
/** The built site. */
export const SITE: string = pathOf("../../dist/site/");

/** The address of the source: links to files that are not pages lead there. */
export const REPOSITORY = "https://github.com/sconce-project/sconce";
