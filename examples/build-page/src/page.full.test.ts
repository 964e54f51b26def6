import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BROWSERS, openPage } from "./browsers.fixture.js";
import { writePage } from "./write-page.js";

const folder = mkdtempSync(join(tmpdir(), "sconce-build-page-"));
const place = (name: string): string => join(folder, name);
beforeAll(async () => {
  await writePage(place("wasm"));
  await writePage(place("js"), { targets: ["js"] });
  await writePage(place("both"), { targets: ["wasm", "js"] });
  await writePage(place("inline"), { targets: ["wasm", "js"], inline: true });
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true }));

/** Scripts of the page's own server; nothing compiles WebAssembly. */
const STRICT = "default-src 'self'; script-src 'self'";
const WASM = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'";

for (const browser of BROWSERS) {
  const title = browser.isInstalled ? browser.name : `skipped: there is no ${browser.path}`;
  describe.skipIf(!browser.isInstalled)(title, () => {
    const shown = (name: string, policy: string): Promise<string> => openPage(place(name), policy, browser);

    test("runs the module under a strict content policy", { timeout: 120_000 }, async () => {
      expect(await shown("wasm", WASM)).toBe("this is a 6");
      // The policy is in force: without its word for WebAssembly nothing compiles the kernels.
      expect(await shown("wasm", STRICT)).toMatch(/Error/);
    });

    test("runs kernels in JavaScript where the policy forbids others", { timeout: 120_000 }, async () => {
      expect(await shown("js", STRICT)).toBe("this is a 6");
      expect(await shown("both", STRICT)).toBe("this is a 6");
      expect(await shown("inline", STRICT)).toBe("this is a 6");
    });
  });
}
