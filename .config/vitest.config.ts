import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { defineConfig } from "vitest/config";
import { posix, ROOT } from "./paths.mjs";

/**
 * Tests import built files, which Node loads without a transform: a source that a test names by its
 * path is read from `dist`, as packages that are named are. So every module has one instance,
 * whichever way it is imported.
 */
const builtFiles = {
  name: "built-files",
  enforce: "pre" as const,
  resolveId(id: string, importer: string | undefined): string | undefined {
    if (!id.startsWith(".") || importer === undefined || posix(importer).includes("/node_modules/")) return;
    const path = posix(resolve(dirname(importer), id));
    const built = path.replace(/^(.*?\/(?:packages|examples)\/[^/]+)\/src\//, "$1/dist/");
    return built !== path && existsSync(path.replace(/\.js$/, ".ts")) && existsSync(built)
      ? built
      : undefined;
  },
};

/** What all suites share. The sources are built before the tests run. */
export const shared = {
  root: ROOT,
  plugins: [builtFiles],
  test: {
    globalSetup: resolve(ROOT, ".config/build.mjs"),
    server: { deps: { external: [/[\\/](?:packages|examples)[\\/][^\\/]+[\\/]dist[\\/]/] } },
    maxWorkers: 2,
    reporters: ["default", resolve(ROOT, ".config/summary-reporter.mjs")],
  },
};

export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    include: ["packages/*/src/**/*.test.ts", "examples/*/src/**/*.test.ts"],
    exclude: ["**/*.full.test.ts", "**/node_modules/**", "**/dist/**"],
    testTimeout: 60_000,
    // Modules are loaded once per worker, not once per test file: they keep no state that tests
    // change.
    isolate: false,
  },
});
