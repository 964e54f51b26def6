import { defineConfig } from "vitest/config";

const root = new URL("..", import.meta.url).pathname;

/** Workspaces run from source: no build is needed to test. */
export const shared = {
  root,
  resolve: { conditions: ["@sconce/source"] },
  ssr: { resolve: { conditions: ["@sconce/source"] } },
};

export default defineConfig({
  ...shared,
  test: {
    include: ["packages/*/src/**/*.test.ts", "examples/*/src/**/*.test.ts"],
    exclude: ["**/*.full.test.ts", "**/node_modules/**", "**/dist/**"],
    testTimeout: 60_000,
    maxWorkers: 2,
    reporters: ["default", `${root}.config/summary-reporter.mjs`],
  },
});
