import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./longest-first.mjs";
import { posix, ROOT } from "./paths.mjs";
import { shared } from "./vitest.config.js";

/** The test files of which `npm test` runs a part. */
function sampledFiles(): string[] {
  return readdirSync(join(ROOT, "packages")).flatMap((name) => {
    const folder = join(ROOT, "packages", name, "src");
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
    return files.flatMap((file) =>
      file.endsWith(".test.ts") && readFileSync(join(folder, file), "utf8").includes("/.config/sampled.js")
        ? [posix(join("packages", name, "src", file))]
        : [],
    );
  });
}

/** The longer suites: every truncation and bit flip, fuzzing, all programs on every path. */
export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    globalSetup: [shared.test.globalSetup, resolve(ROOT, ".config/run-folder.mjs")],
    include: ["packages/*/src/**/*.full.test.ts", "examples/*/src/**/*.full.test.ts", ...sampledFiles()],
    exclude: ["**/node_modules/**", "**/dist/**"],
    testTimeout: 600_000,
    sequence: { sequencer: LongestFirst },
    // Some leave what others would see: operators that are registered, flags of the engine.
    isolate: true,
  },
});
