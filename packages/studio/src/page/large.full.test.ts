/** @file The page with programs of many nodes. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasChromium, type Studio, startStudio } from "./page.fixture.js";

let studio: Studio;

beforeAll(async () => {
  if (hasChromium) studio = await startStudio();
}, 120_000);

afterAll(() => studio?.end());

/** Frames over which panning is timed. */
const FRAMES = 20;

/** A program of IR text with so many calls in modules of 100. */
function longProgram(calls: number): string {
  const lines = [];
  const modules = [];
  for (let i = 0; i < calls; i++) {
    lines.push(
      `  %n${i}: f32[2] = aten.sin.default(%${i === 0 ? "x" : `n${i - 1}`}) #${Math.floor(i / 100)}`,
    );
    if (i % 100 === 0) {
      const name = `layer${i / 100}`;
      modules.push(`  #${i / 100} {"nnModuleStack":[["L","","Net"],["L_${name}","${name}","nn.Layer"]]}`);
    }
  }
  return `sconce-ir 1
program "ATEN" { input %x: USER_INPUT output %n${calls - 1}: USER_OUTPUT }
graph(%x: f32[2]) {
${lines.join("\n")}
  return (%n${calls - 1})
}
metadata {
${modules.join("\n")}
}
`;
}

/** Number of boxes of the drawing. */
const boxesOf = async (page: Page): Promise<number> =>
  Number(await page.locator(".graph > canvas").first().getAttribute("data-boxes"));

/** The part of the rows of a canvas that have something else than the background. */
const coloredRows = (page: Page, canvas: string): Promise<number> =>
  page
    .locator(canvas)
    .first()
    .evaluate((one) => {
      const { width, height } = one as HTMLCanvasElement;
      const { data } = (one as HTMLCanvasElement).getContext("2d")!.getImageData(0, 0, width, height);
      const pixels = new Uint32Array(data.buffer);
      let rows = 0;
      for (let row = 0; row < height; row++)
        if (pixels.subarray(row * width, (row + 1) * width).some((color) => color !== pixels[0])) rows += 1;
      return rows / height;
    });

describe.skipIf(!hasChromium)("large programs", () => {
  test("opens 100,000 nodes closed, and 10,000 flat", async () => {
    const page = await studio.open("", { viewport: { width: 1280, height: 800 } });
    const file = join(studio.folder, "long.ir");
    await writeFile(file, longProgram(100_000));
    await page.setInputFiles("input[type=file]", file);
    await page.waitForSelector(".graph canvas", { timeout: 60_000 });
    await writeFile(file, longProgram(10_000));
    await page.setInputFiles("input[type=file]", file);
    await page.waitForSelector('.title[title^="10002 nodes"]');
    await page.click('label:has-text("flat")');
    await expect.poll(() => boxesOf(page)).toBeLessThan(1000);
    // Long lists are divided into parts: opened, each call is a box.
    const start = performance.now();
    await page.click("text=Open all");
    await expect.poll(() => boxesOf(page), { interval: 20 }).toBeGreaterThan(10_000);
    const opened = performance.now() - start;
    await page.locator(".graph canvas").first().focus();
    await page.keyboard.press("f");
    // All of the chain is seen as a line from the top to the bottom, also in the map.
    for (const canvas of [".graph > canvas", ".minimap"])
      await expect.poll(() => coloredRows(page, canvas)).toBeGreaterThan(0.85);
    await page.keyboard.press("+");
    await expect.poll(() => coloredRows(page, ".graph > canvas")).toBeGreaterThan(0.95);
    await page.keyboard.press("f");
    const drawn = await page.evaluate(async () => {
      const canvas = document.querySelector("canvas")!;
      canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: 1, bubbles: true, cancelable: true }));
      const start = performance.now();
      await new Promise(requestAnimationFrame);
      await new Promise(requestAnimationFrame);
      return performance.now() - start;
    });
    const panned = await page.evaluate(async (count) => {
      const canvas = document.querySelector("canvas")!;
      const before = canvas.toDataURL();
      const start = performance.now();
      for (let frame = 0; frame < count; frame++) {
        canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: 40, bubbles: true, cancelable: true }));
        await new Promise(requestAnimationFrame);
      }
      const milliseconds = performance.now() - start;
      return { milliseconds, hasMoved: canvas.toDataURL() !== before };
    }, FRAMES);
    const rate = (1000 * FRAMES) / panned.milliseconds;
    console.log(
      `10,000 nodes as boxes: opened in ${opened.toFixed(0)} ms, drawn in ${drawn.toFixed(0)} ms, ` +
        `panned at ${rate.toFixed(0)} frames a second`,
    );
    expect(panned.hasMoved).toBe(true);
    await page.close();
  });
});
