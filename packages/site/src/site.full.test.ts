/** @file The site is built, which fails on dead links, and its pages work in a browser. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type Axe from "axe-core";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { buildSite } from "./build.js";
import { hasChromium, type Served, serveSite } from "./site.fixture.js";
import { deadLinks } from "./support/dead-links.js";
import { ROOT, SITE } from "./support/paths.js";
import { hasTools } from "./support/tools.js";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
declare global {
  interface Window {
    readonly axe: typeof Axe;
  }
}

const canBuild = hasTools();
if (!canBuild)
  console.warn("tests of the site are skipped: its tools are not there; npm run docs:tools installs them");
if (!hasChromium) console.warn("tests of the site in a browser are skipped: there is no Chromium");

/** A folder of a host, with a name that a regular expression would misread. */
const BASE = "/docs.v1/sconce/";

let site: Served;
beforeAll(async () => {
  if (!canBuild) return;
  vi.stubEnv("SITE_BASE", BASE);
  await buildSite();
  if (hasChromium) site = await serveSite(SITE, BASE);
}, 1_200_000);
afterAll(async () => {
  vi.unstubAllEnvs();
  await site?.close();
});

/** Codes of the page that lists all errors. */
const codes = [
  ...readFileSync(join(ROOT, "docs/reference/errors.md"), "utf8").matchAll(/^### ([A-Z][A-Z0-9_]+)$/gm),
].map(([, code]) => code!);

describe.skipIf(!canBuild)("the built site", () => {
  test("has no dead links", () => {
    expect(deadLinks(SITE, BASE)).toEqual([]);
  });

  test("dead links are found: files, anchors and pictures", () => {
    const folder = mkdtempSync(join(tmpdir(), "sconce-links-"));
    const links = [
      "/there.html",
      "there.html#part",
      "/there",
      "#here",
      "gone.html",
      "there.html#gone",
      "#gone",
    ];
    const anchors = links.map((link) => `<a class="x" href="${link}">x</a>`).join("");
    writeFileSync(join(folder, "index.html"), `<h1 id="here">x</h1>${anchors}<img src="/gone.svg">`);
    writeFileSync(join(folder, "there.html"), '<h2 id="part">x</h2>');
    expect(deadLinks(folder)).toEqual([
      "/index.html: gone.html",
      "/index.html: there.html#gone",
      "/index.html: #gone",
      "/index.html: /gone.svg",
    ]);
    rmSync(folder, { recursive: true });
  });

  test("dead links are found in a site below a path: those that leave it, too", () => {
    const folder = mkdtempSync(join(tmpdir(), "sconce-links-"));
    const links = ["/below/", "/below/there.html#part", "there", "/there.html", "/below/gone", "/"];
    const anchors = links.map((link) => `<a href="${link}">x</a>`).join("");
    writeFileSync(join(folder, "index.html"), anchors);
    writeFileSync(join(folder, "there.html"), '<h2 id="part">x</h2>');
    expect(deadLinks(folder, "/below/")).toEqual([
      "/index.html: /there.html",
      "/index.html: /below/gone",
      "/index.html: /",
    ]);
    rmSync(folder, { recursive: true });
  });

  test("has a page for each error code", () => {
    expect(codes.length).toBeGreaterThan(300);
    const missing = codes.filter((code) => !existsSync(join(SITE, `errors/${code}/index.html`)));
    expect(missing).toEqual([]);
    const list = readFileSync(join(SITE, "errors/index.html"), "utf8");
    expect(codes.filter((code) => !list.includes(`"./${code}/"`))).toEqual([]);
  });
});

/** What axe finds in a page, in words. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const found = await page.evaluate(async () => (await window.axe.run()).violations);
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} ${target.join(" ")}: ${failureSummary ?? ""}`),
  );
}

describe.skipIf(!hasChromium || !canBuild)("in a browser", () => {
  const DONE = "sconce-digits[data-state=done]";

  test("the first page draws and runs the example", async () => {
    const page = await site.open("/");
    await page.waitForSelector(DONE);
    expect(await page.textContent(".live .report")).toMatch(
      /^357 of 360 digits are right\. Device: WebAssembly.*equal to PyTorch's/,
    );
    expect(await page.locator(".live svg .box").count()).toBeGreaterThan(5);
    await page.selectOption("#sconce-version", "optimized");
    await page.waitForSelector(`${DONE} .report:has-text("The program optimized")`);
    await page.focus(".live .run");
    await page.keyboard.press("Enter");
    await page.waitForSelector(`${DONE} .report:has-text("357 of 360")`);
    await page.close();
  });

  test("the search finds an operator, by the keyboard alone", async () => {
    const page = await site.open("/contents.html");
    await page.keyboard.press("Control+k");
    await page.waitForSelector("#localsearch-input");
    await page.keyboard.type("hardswish");
    await page.waitForSelector('.VPLocalSearchBox .result[href*="/operators/activation"]');
    await page.keyboard.press("Enter");
    await page.waitForURL(/hardswish/);
    await page.close();
  });

  test("a rule has an address", async () => {
    const page = await site.open("/rules/");
    await page.click("main a[href$='/rules/view-twice.html'], main a[href$='view-twice.html']");
    await page.waitForURL(/rules\/view-twice/);
    await page.waitForSelector("main :text('--rule view-twice')");
    await page.close();
  });

  test("an error has an address", async () => {
    const page = await site.open("/errors/SHAPE_MISMATCH");
    expect(await page.textContent("h1")).toContain("SHAPE_MISMATCH");
    expect(await page.textContent("main")).toContain("mat1 and mat2 shapes cannot be multiplied");
    await page.close();
  });

  test("a tutorial has the types of its code", async () => {
    const page = await site.open("/tutorials/getting-started.html");
    expect(await page.locator(".twoslash-hover").count()).toBeGreaterThan(10);
    await page.close();
  });

  test("the studio opens an example", async () => {
    const page = await site.open("/studio/index.html");
    await page.click("text=Digits");
    await page.waitForSelector(".graph canvas");
    await page.click("#tab-passes");
    await page.fill("#pipeline", "no-such-pass");
    await page.keyboard.press("Enter");
    // The code leads to its page of the site.
    const link = page.locator("role=alert >> a");
    const code = await link.innerText();
    const [explained] = await Promise.all([page.waitForEvent("popup"), link.click()]);
    await explained.waitForURL(`**/errors/${code}/`);
    await explained.waitForSelector(`h1:has-text("${code}")`);
    await explained.close();
    await page.click("header a:text('Documentation')");
    await page.waitForSelector(".VPHero :text('torch.export for TypeScript')");
    await page.close();
  });

  /** Pages of a kind each; the first are seen both ways. */
  const PAGES = [
    "/",
    "/tutorials/look-at-a-program.html",
    "/performance.html",
    "/contents.html",
    "/comparison.html",
    "/api/@sconce/drawing.html",
    "/tutorials/getting-started.html",
    "/concepts/builtin-passes.html",
    "/operators/activation.html",
    "/errors/",
    "/errors/SHAPE_MISMATCH/",
    "/passes/decompose.html",
    "/rules/view-twice.html",
  ];
  const views = PAGES.flatMap((path, at) =>
    [
      { path, dark: false, width: 1280 },
      { path, dark: true, width: 390 },
    ].filter(({ dark }) => at < 5 || dark === (at % 2 === 0)),
  );
  test.each(views)("$path is accessible at $width pixels, dark: $dark", async ({ path, dark, width }) => {
    const page = await site.open(path, { dark, width });
    if (path === "/") await page.waitForSelector(DONE);
    expect(await page.evaluate(() => document.documentElement.classList.contains("dark"))).toBe(dark);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    expect(await violations(page)).toEqual([]);
    await page.close();
  });
});

describe.skipIf(!hasChromium || !canBuild)("below a path", () => {
  test("the first page runs its example, and leads to the studio", async () => {
    const page = await site.open("/");
    await page.waitForSelector("sconce-digits[data-state=done]");
    expect(await page.textContent(".live .report")).toMatch(/^357 of 360 digits are right/);
    await page.click("text=Open the studio");
    await page.waitForURL(`**${BASE}studio/index.html`);
    await page.click("text=Digits");
    await page.waitForSelector(".graph canvas");
    expect(page.url()).toContain(`${BASE}studio/index.html#/digits`);
    await page.reload();
    await page.waitForSelector(".graph canvas");
    await page.click("header a:text('Documentation')");
    await page.waitForURL(`**${BASE}`);
    await page.close();
  });

  test("links lead to an error, a rule and the API", async () => {
    const page = await site.open("/");
    const follow = async (link: string, path: string, heading: string): Promise<void> => {
      await page.locator(link).first().click();
      await page.waitForURL(`**${BASE}${path}`);
      await page.waitForSelector(`main h1:has-text("${heading}")`);
    };
    await page.click("text=Get started");
    await page.waitForURL(`**${BASE}tutorials/getting-started.html`);
    await page.goto(new URL(`${BASE}reference/errors.html`, page.url()).href);
    await follow("main a[href$='errors/SHAPE_MISMATCH/']", "errors/SHAPE_MISMATCH/", "SHAPE_MISMATCH");
    await page.goto(new URL(`${BASE}rules/`, page.url()).href);
    await follow("main a[href$='view-twice.html']", "rules/view-twice.html", "view-twice");
    await page.goto(new URL(`${BASE}api/`, page.url()).href);
    await follow("main a[href$='drawing.html']", "api/@sconce/drawing.html", "@sconce/drawing");
    await page.close();
  });

  test("pictures are there, and the search leads to a page of the site", async () => {
    for (const path of ["/tutorials/look-at-a-program.html", "/concepts/ir.html"]) {
      const page = await site.open(path);
      const pictures = await page.locator("main img").evaluateAll((images) =>
        images.map((image) => ({
          width: (image as HTMLImageElement).naturalWidth,
          url: (image as HTMLImageElement).src,
        })),
      );
      expect(pictures.length).toBeGreaterThan(0);
      for (const { url, width } of pictures) {
        expect(new URL(url).pathname.startsWith(BASE), url).toBe(true);
        expect(width, url).toBeGreaterThan(0);
      }
      await page.close();
    }
    const page = await site.open("/contents.html");
    await page.keyboard.press("Control+k");
    await page.waitForSelector("#localsearch-input");
    await page.keyboard.type("hardswish");
    await page.click('.VPLocalSearchBox .result[href*="/operators/activation"]');
    await page.waitForURL(`**${BASE}operators/activation**`);
    await page.close();
  });

  test("no page failed, or asked for anything outside of the site", () => {
    expect(site.problems).toEqual([]);
  });
});
