import { defaultClientConditions, defineConfig } from "vite";

/** One script with everything in it, for `sconce view FILE -o page.html`. */
export default defineConfig({
  resolve: {
    conditions: ["@sconce/source", ...defaultClientConditions],
    // A page without a server has no use for gpu.js, which makes code from text.
    alias: { "@sconce/backend-gpujs": "data:text/javascript,export{}" },
  },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  publicDir: false,
  build: {
    outDir: "dist/bundle/single",
    emptyOutDir: true,
    cssCodeSplit: false,
    chunkSizeWarningLimit: 3000,
    rollupOptions: {
      input: "src/page/single.tsx",
      output: { entryFileNames: "single.js", assetFileNames: "single[extname]", codeSplitting: false },
    },
  },
});
