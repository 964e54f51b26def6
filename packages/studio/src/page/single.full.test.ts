/** @file The page in one file, from a file. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { build } from "vite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHROMIUM, hasChromium } from "./page.fixture.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const DIGITS = fileURLToPath(new URL("../../../sconce/examples/digits.pt2", import.meta.url));

let folder: string;
let browser: Browser;
let address: string;

beforeAll(async () => {
  if (!hasChromium) return;
  folder = await mkdtemp(join(tmpdir(), "sconce-single-"));
  const configFile = join(ROOT, "vite.single.config.ts");
  const outDir = join(folder, "bundle");
  await build({ root: ROOT, configFile, logLevel: "error", build: { outDir, emptyOutDir: true } });
  const script = (await readFile(join(outDir, "single.js"), "utf8")).replaceAll("</script", "<\\/script");
  const program = (await readFile(DIGITS)).toString("base64");
  const page = join(folder, "page.html");
  await writeFile(
    page,
    `<!doctype html><meta charset="utf-8"><div id="app"></div>
<script type="text/plain" id="program" data-name='"digits.pt2"' data-passes='""'>${program}</script>
<script type="module">${script}</script>`,
  );
  address = pathToFileURL(page).href;
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });
}, 120_000);

afterAll(async () => {
  if (!hasChromium) return;
  await browser.close();
  await rm(folder, { recursive: true, force: true });
});

async function openPage(hash = ""): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.setDefaultTimeout(20_000);
  await page.goto(address + hash);
  await page.waitForSelector(".graph canvas");
  return page;
}

describe.skipIf(!hasChromium)("the page in one file", () => {
  test("has links to its views, and follows them", async () => {
    const page = await openPage("#/digits.pt2/decompose%2Ccse/1/%3Arelu");
    await page.waitForSelector("article >> text=aten.relu.default");
    expect(page.url()).toBe(`${address}#/digits.pt2/decompose%2Ccse/1/%3Arelu`);
    await page.evaluate(() => (location.hash = "#/digits.pt2/decompose%2Cdce/2"));
    await page.waitForSelector('.title:has-text("after")');
    await expect.poll(() => page.url()).toBe(`${address}#/digits.pt2/decompose%2Cdce/2`);
    await page.click("#tab-passes");
    await page.waitForSelector(".steps li:has-text('dce')");
    await page.click("summary:has-text('Export')");
    await page.waitForSelector("text=As a link");
    await page.waitForSelector(
      `code:has-text("#/digits.pt2/decompose%2Cdce/2"), pre:has-text("#/digits.pt2/decompose%2Cdce/2")`,
    );
    await page.close();
  });

  test.each([
    ["#/digits.pt2/decompose/7", "the link names step 7, and decompose has 1"],
    ["#/digits.pt2/decompose/1/%3Anone", "the link names the node none"],
    ["#/other.pt2", "this page holds digits.pt2 alone, and not other.pt2"],
  ])("says what it does not have of the link %s", async (hash, message) => {
    const page = await openPage(hash);
    await page.waitForSelector("role=alert");
    expect(await page.innerText("role=alert")).toContain(message);
    await page.close();
  });

  test("offers the backends that it has", async () => {
    const page = await openPage();
    await page.click("#tab-compare");
    expect(await page.locator("#second option").allInnerTexts()).toEqual(["cpu", "wasm"]);
    await page.waitForSelector("text=A page in one file has no gpujs");
    await page.click("#tab-profile");
    expect(await page.locator("#profile-backend option").allInnerTexts()).toEqual(["cpu", "wasm"]);
    await page.click("#tab-inspect");
    await page.fill("#search", "relu");
    await page.waitForSelector(".found button");
    await page.press("#search", "Enter");
    await page.waitForSelector("text=Ask wasm");
    expect(await page.locator("text=Ask gpujs").count()).toBe(0);
    await page.close();
  });
});
