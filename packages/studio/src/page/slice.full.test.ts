import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { axeProblems, hasChromium, type Studio, startStudio } from "./page.fixture.js";

let studio: Studio;

beforeAll(async () => {
  if (hasChromium) studio = await startStudio();
}, 120_000);

afterAll(async () => {
  if (hasChromium) await studio.end();
});

async function openNode(page: Page, query: string): Promise<void> {
  await page.waitForSelector(".graph canvas");
  await page.fill("#search", query);
  await page.click(".found button");
  await page.click("text=Run, and show the elements");
  await page.waitForSelector("#slice-text");
}

/** The first element of each table. */
const corners = (page: Page): Promise<string[]> =>
  page.locator(".elements tbody tr:first-child td:nth-child(2)").allInnerTexts();
const rowNumbers = (page: Page): Promise<string[]> =>
  page.locator(".elements tbody th[scope=row]").allInnerTexts();

/** Shows a program of IR text, and an input with elements that count. */
async function openText(graph: string): Promise<Page> {
  const page = await studio.open();
  const file = join(studio.folder, "slices.ir");
  await writeFile(file, graph);
  await page.setInputFiles("#file", file);
  return page;
}

const CASES = `sconce-ir 1
program "ATEN" { input %x: USER_INPUT output %wide: USER_OUTPUT }
graph(%x: f32[2]) {
  %one: i64[] = aten.full.default([], 9007199254740993, dtype=int64)
  %none: f32[0, 3] = aten.full.default([0, 3], 1)
  %truth: b8[3] = aten.full.default([3], true, dtype=bool)
  %half: bf16[2, 2] = aten.full.default([2, 2], 0.1, dtype=bfloat16)
  %wide: f32[2, 60, 50] = aten.full.default([2, 60, 50], 1.5)
  return (%wide)
}`;

describe.skipIf(!hasChromium)("slices of values", () => {
  test("are chosen by indices, by text and by pages, with the keyboard", async () => {
    const page = await studio.open("#/net_unet");
    await openNode(page, "leaky_relu f32");
    const name = (await page.inputValue("#slice-text")).replace(/\[.*/, "");
    expect(await page.inputValue("#slice-text")).toBe(`${name}[0, 0]`);
    const first = await corners(page);
    await page.focus("#slice-1");
    await page.keyboard.press("ArrowUp");
    await expect.poll(() => page.inputValue("#slice-text")).toBe(`${name}[0, 1]`);
    await expect.poll(() => corners(page)).not.toEqual(first);
    await page.fill("#slice-text", `${name}[0, 0]`);
    await page.keyboard.press("Enter");
    await expect.poll(() => page.inputValue("#slice-1")).toBe("0");
    expect(await corners(page)).toEqual(first);
    await page.fill("#slice-text", `${name}[0, 0, 2:]`);
    await page.keyboard.press("Enter");
    await expect.poll(async () => (await rowNumbers(page))[0]).toBe("2");
    await page.fill("#slice-text", `${name}[0, 99]`);
    await page.keyboard.press("Enter");
    await page.waitForSelector("role=alert >> text=index 99 is out of range for dimension 1");
    expect(await page.getAttribute("#slice-text", "aria-describedby")).toBe("slice-problem");
    expect(await axeProblems(page)).toEqual([]);
    await page.fill("#slice-text", `${name}[0, 0]`);
    await page.click("text=Show >> visible=true");
    await page.locator("#slice-problem").waitFor({ state: "detached" });
    await page.close();
  });

  test("show every dtype and rank", async () => {
    const page = await openText(CASES);
    const shown = async (node: string): Promise<string[]> => {
      await openNode(page, node);
      await page.waitForFunction(
        (one) => (document.querySelector("#slice-text") as HTMLInputElement).value.startsWith(one),
        node,
      );
      return page.locator(".elements td:not(:empty)").allInnerTexts();
    };
    expect(await shown("one")).toEqual(["9007199254740993"]);
    expect(await page.inputValue("#slice-text")).toBe("one");
    expect(await shown("truth")).toEqual(["True", "True", "True"]);
    expect(await shown("half")).toEqual(["0.1", "0.1", "0.1", "0.1"]);
    expect(await shown("none")).toEqual([]);
    await page.waitForSelector("text=The value has no elements: its shape is [0, 3].");
    expect(await shown("wide")).toHaveLength(400);
    await page.fill("#slice-text", "wide[1");
    await page.click("text=Next rows");
    await expect.poll(() => page.inputValue("#slice-text")).toBe("wide[0, 25:]");
    await page.click("text=Next rows");
    await page.waitForSelector("text=rows 50 to 59 of 60");
    expect(await page.isDisabled("text=Next rows")).toBe(true);
    await page.click("text=Next columns");
    await page.waitForSelector("text=rows 50 to 59 of 60, columns 16 to 31 of 50");
    await page.close();
  });

  test.each(["light", "dark"] as const)(
    "of two backends are side by side, in %s colors",
    async (colorScheme) => {
      const page = await studio.open("#/net_unet", { colorScheme });
      await page.waitForSelector(".graph canvas");
      await page.click("#tab-compare");
      await page.click("text=Compare values");
      await page.waitForSelector("text=cpu and wasm agree at all");
      await page.click("#tab-inspect");
      await page.fill("#search", "conv2d f32");
      await page.click(".found button");
      await page.click("text=Show the elements on cpu and wasm");
      await page.waitForSelector(".slices section:nth-child(2)");
      expect(await page.locator(".elements caption").allInnerTexts()).toEqual(["cpu", "wasm"]);
      await page.waitForSelector("text=No element of the value differs on wasm");
      const marked = page.locator(".elements .close");
      if ((await marked.count()) > 0) expect(await marked.first().innerText()).toContain("≈");
      expect(await page.locator('canvas[aria-label*=" on wasm, "]').count()).toBe(1);
      expect(await axeProblems(page)).toEqual([]);
      await page.locator(".slices section").first().focus();
      await page.keyboard.press("ArrowDown");
      await page.screenshot({
        path: join(process.env["SHOTS"] ?? studio.folder, `slice-${colorScheme}.png`),
      });
      await page.close();
    },
  );

  test("reports nothing as an error of the page", () => {
    expect(studio.errors).toEqual([]);
  });
});
