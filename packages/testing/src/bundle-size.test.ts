import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/**
 * Minified and gzipped bytes of everything that these packages export, as a browser would load it.
 */
async function gzippedSize(packages: readonly string[]): Promise<number> {
  const { outputFiles } = await build({
    stdin: {
      contents: packages.map((name) => `export * from "${name}";`).join("\n"),
      resolveDir: `${ROOT}packages/sconce`,
    },
    bundle: true,
    write: false,
    minify: true,
    format: "esm",
    platform: "browser",
    conditions: ["@sconce/source"],
  });
  return gzipSync(outputFiles[0]!.contents, { level: 9 }).byteLength;
}

// The verifier, with its checks of higher-order calls, is the largest part of the core.
test("the core is at most 104 kB for a browser, and needs nothing of Node's", async () => {
  const size = await gzippedSize(["@sconce/tensor", "@sconce/symbolic", "@sconce/ir", "@sconce/formats"]);
  expect(size).toBeLessThanOrEqual(104_000);
  expect(size).toBeGreaterThan(20_000);
});

test("everything that sconce exports bundles for a browser", async () => {
  expect(await gzippedSize(["sconce"])).toBeGreaterThan(100_000);
});
