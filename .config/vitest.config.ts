import { defineConfig } from "vitest/config";

export default defineConfig({
  root: new URL("..", import.meta.url).pathname,
  resolve: { conditions: ["@sconce/source"] },
  ssr: { resolve: { conditions: ["@sconce/source"] } },
  test: {
    include: ["packages/*/src/**/*.test.ts", "examples/*/src/**/*.test.ts", "examples/*/test/**/*.test.ts"],
    exclude: ["**/*.full.test.ts", "**/node_modules/**", "**/dist/**"],
    testTimeout: 60_000,
    maxWorkers: 2,
  },
});
