import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

test("the copy of immer is the installed one, and reads no `process`", () => {
  const installed = fileURLToPath(import.meta.resolve("immer")).replace(
    /immer\.mjs$/,
    "immer.production.mjs",
  );
  const code = readFileSync(installed, "utf8").replace(/\n?\/\/# sourceMappingURL=.*\s*$/, "\n");
  const copy = readFileSync(new URL("../../vendor/immer.js", import.meta.url), "utf8");
  // `node .config/vendor-immer.mjs` writes it.
  expect(copy.replace(/^\/\*![\s\S]*?\*\/\n/, "")).toBe(code);
  expect(copy).not.toMatch(/\bprocess\b/);
});
