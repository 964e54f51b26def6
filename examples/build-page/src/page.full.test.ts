import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BROWSERS, openPage } from "./browsers.fixture.js";
import { writePage } from "./write-page.js";

const folder = mkdtempSync(join(tmpdir(), "sconce-build-page-"));
beforeAll(() => writePage(folder));
afterAll(() => rmSync(folder, { recursive: true }));

describe("the page runs its module under a strict content policy", () => {
  for (const browser of BROWSERS) {
    const title = browser.isInstalled ? browser.name : `skipped: there is no ${browser.path}`;
    test.skipIf(!browser.isInstalled)(title, { timeout: 120_000 }, async () => {
      const policy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'";
      expect(await openPage(folder, policy, browser)).toBe("this is a 6");
      // The policy is in force: without its word for WebAssembly nothing compiles the kernels.
      expect(await openPage(folder, "default-src 'self'", browser)).toMatch(/Error/);
    });
  }
});
