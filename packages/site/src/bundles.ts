/** @file The parts of the site that are programs: the studio, and the live example. */
import { cpSync } from "node:fs";
import { join } from "node:path";
import { build, defaultClientConditions, type Plugin } from "vite";
import { ROOT } from "./support/paths.js";

/** Names the pages of error codes, beside the folder of the studio. */
const errorPages: Plugin = {
  name: "error-pages",
  transformIndexHtml: () => [
    { tag: "meta", attrs: { name: "error-pages", content: "../errors/" }, injectTo: "head" },
  ],
};
/** Marks the studio as a part of a site, to which it links. */
const linkBack: Plugin = {
  name: "link-back",
  transformIndexHtml: () => [{ tag: "meta", attrs: { name: "sconce-site", content: "../" } }],
};

/** Builds the studio into `studio/` of the site. */
async function bundleStudio(site: string): Promise<void> {
  const outDir = join(site, "studio");
  await build({
    root: join(ROOT, "packages/studio"),
    logLevel: "error",
    plugins: [errorPages, linkBack],
    build: { outDir, emptyOutDir: true },
  });
}

/** Builds the live example and puts its files beside it, into `live/` of the site. */
async function bundleLive(site: string): Promise<void> {
  const outDir = join(site, "live");
  await build({
    configFile: false,
    root: join(ROOT, "packages/site"),
    base: "./",
    publicDir: false,
    logLevel: "error",
    resolve: { conditions: ["@sconce/source", ...defaultClientConditions] },
    worker: { format: "es" },
    build: {
      outDir,
      emptyOutDir: true,
      chunkSizeWarningLimit: 2000,
      rollupOptions: {
        input: join(ROOT, "packages/site/src/live/digits.ts"),
        output: { entryFileNames: "digits.js", chunkFileNames: "[name]-[hash].js" },
      },
    },
  });
  for (const file of ["digits.pt2", "digits-images.safetensors"])
    cpSync(join(ROOT, "packages/sconce/examples", file), join(outDir, file));
}

/** Builds both into the folder of the site. */
export async function bundlePrograms(site: string): Promise<void> {
  await bundleStudio(site);
  await bundleLive(site);
}
