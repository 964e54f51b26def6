/** The configuration of VitePress: the pages are in `dist/pages`, which `npm run docs` writes. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { transformerTwoslash } from "@shikijs/vitepress-twoslash";
import ts from "typescript";
import { defineConfig } from "vitepress";
import { rankOf } from "./search-rank.mjs";

const sidebar = JSON.parse(readFileSync(new URL("../dist/sidebar.json", import.meta.url), "utf8"));

/** Anchors as GitHub makes them, so that links work in both. */
const slugify = (text) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");

/** Where the code of pages finds what it imports. */
const MODULES = fileURLToPath(new URL("../../../sconce/dist", import.meta.url));
const TYPE_OPTIONS = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  target: ts.ScriptTarget.ES2022,
  lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.esnext.disposable.d.ts"],
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  moduleDetection: ts.ModuleDetectionKind.Force,
  types: ["node"],
  skipLibCheck: true,
};

/** A header without a text is a plain element: readers of screens announce headers. */
function plainEmptyHeaders({ tokens }) {
  for (const [at, token] of tokens.entries())
    if (token.type === "th_open" && tokens[at + 1].content === "")
      for (const edge of [token, tokens[at + 2]]) edge.tag = "td";
}

/** What the search knows of a page: all of it, but the names alone of the API reference. */
function searchedText(text, env, md) {
  const isApi = env.relativePath.startsWith("api/");
  return md.render(isApi ? text.replace(/^(?!#).*\n/gm, "\n") : text, env);
}

export default defineConfig({
  title: "Sconce",
  head: [["link", { rel: "icon", href: "data:," }]],
  description: "torch.export for TypeScript: export, read, lower and run PyTorch programs",
  lang: "en-US",
  srcDir: "dist/pages",
  outDir: "../dist/site",
  cacheDir: "dist/cache",
  markdown: {
    anchor: { slugify },
    // Colors with enough contrast for normal text.
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    codeTransformers: [
      transformerTwoslash({
        explicitTrigger: true,
        twoslashOptions: { tsModule: ts, vfsRoot: MODULES, compilerOptions: TYPE_OPTIONS },
      }),
    ],
    config: (md) => md.core.ruler.push("empty-headers", plainEmptyHeaders),
  },
  vue: { template: { compilerOptions: { isCustomElement: (name) => name.startsWith("sconce-") } } },
  themeConfig: {
    nav: [
      { text: "Guide", link: "/contents" },
      {
        text: "Reference",
        items: [
          { text: "Command line", link: "/reference/cli" },
          { text: "API of the packages", link: "/api/" },
          { text: "Operators", link: "/operators/" },
          { text: "Passes", link: "/passes/" },
          { text: "Rewrite rules", link: "/rules/" },
          { text: "Errors", link: "/reference/errors" },
          { text: "Catalog of exports", link: "/reference/exportdb" },
          { text: "Glossary", link: "/reference/glossary" },
        ],
      },
      { text: "Changelog", link: "/changelog" },
      { text: "Studio", link: "/studio/index.html", target: "_self" },
    ],
    sidebar,
    outline: [2, 3],
    search: {
      provider: "local",
      options: { _render: searchedText, miniSearch: { searchOptions: { boostDocument: rankOf } } },
    },
  },
});
