import { createRequire } from "node:module";
import { dirname } from "node:path";
import { defaultClientConditions, defineConfig } from "vite";

export default defineConfig({
  // The digits program and its images, which ship with Sconce, are served as they are.
  publicDir: dirname(createRequire(import.meta.url).resolve("sconce/examples/digits.pt2")),
  // Workspaces are bundled from source; from a registry the packages need no setting at all.
  resolve: { conditions: ["@sconce/source", ...defaultClientConditions] },
  build: { outDir: "dist/page", emptyOutDir: true, chunkSizeWarningLimit: 2000 },
  server: {
    headers: {
      "Cross-Origin-Opener-Policy": "same-origin",
      "Cross-Origin-Embedder-Policy": "require-corp",
    },
  },
});
