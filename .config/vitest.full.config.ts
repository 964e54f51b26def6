import { resolve } from "node:path";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./longest-first.mjs";
import { ROOT } from "./paths.mjs";
import { shared } from "./vitest.config.js";

/** The longer suites: every truncation and bit flip, fuzzing, all programs on every path. */
export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    globalSetup: [shared.test.globalSetup, resolve(ROOT, ".config/run-folder.mjs")],
    include: ["packages/*/src/**/*.full.test.ts", "examples/*/src/**/*.full.test.ts"],
    exclude: ["**/node_modules/**", "**/dist/**"],
    testTimeout: 600_000,
    sequence: { sequencer: LongestFirst },
    // Some leave what others would see: operators that are registered, flags of the engine.
    isolate: true,
  },
});
