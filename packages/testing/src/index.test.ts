import { isBuiltin } from "node:module";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, test } from "vitest";
import * as api from "./index.js";

test("public names", () => {
  expect(Object.keys(api).sort()).toMatchSnapshot();
});

test.each([
  ["index.ts", []],
  ["fast-check.ts", ["fast-check"]],
  ["vitest.ts", ["vitest"]],
])("%s loads nothing that need not be installed", async (entry, peers) => {
  const { metafile } = await build({
    entryPoints: [fileURLToPath(new URL(entry, import.meta.url))],
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "node",
    conditions: ["@sconce/source"],
    external: ["vitest", "fast-check"],
  });
  const [output] = Object.values(metafile.outputs);
  const loaded = new Set(output!.imports.map(({ path }) => path).filter((path) => !isBuiltin(path)));
  expect([...loaded]).toEqual(peers);
});
