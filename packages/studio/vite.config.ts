import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defaultClientConditions, defineConfig, type Plugin } from "vite";
import { apiData } from "./api-data.js";

const PROGRAMS = ["net_gpt", "net_resnet", "net_unet", "flow_cond_nested"];

const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Puts the programs of the examples beside the page. */
const examples: Plugin = {
  name: "examples",
  generateBundle() {
    const files: [string, string][] = [
      ["digits", "../sconce/examples/digits.pt2"],
      ...PROGRAMS.map((name): [string, string] => [name, `../testing/fixtures/programs/${name}/program.pt2`]),
    ];
    for (const [name, path] of files)
      this.emitFile({ type: "asset", fileName: `examples/${name}.pt2`, source: readFileSync(pathOf(path)) });
  },
};

/** What the playground's editor completes: the declarations of the built packages. */
const declarations: Plugin = {
  name: "declarations",
  load(id) {
    if (!id.endsWith("/src/page/sconce-api.ts")) return undefined;
    const data = JSON.stringify(apiData(pathOf("dist/playground/sconce.d.ts")));
    return `export const api = JSON.parse(${JSON.stringify(data)});`;
  },
};

export default defineConfig({
  // Addresses are relative: the page works in any folder of a server.
  base: "./",
  plugins: [examples, declarations],
  resolve: { conditions: ["@sconce/source", ...defaultClientConditions] },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  worker: { format: "es" },
  build: { outDir: "dist/bundle", emptyOutDir: true, chunkSizeWarningLimit: 2000 },
});
