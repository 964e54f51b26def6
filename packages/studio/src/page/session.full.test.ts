import { readFile, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { axeProblems, hasChromium, type Studio, startStudio } from "./page.fixture.js";

let studio: Studio;
let other: Server;
/** Another server; the file `/open.pt2` allows other origins. */
let otherAddress: string;

beforeAll(async () => {
  if (!hasChromium) return;
  studio = await startStudio();
  const bytes = await readFile(join(studio.folder, "examples/net_unet.pt2"));
  other = createServer((request, response) => {
    const [, from, to] = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? "") ?? [];
    const part = from === undefined ? bytes : bytes.subarray(Number(from), Number(to) + 1);
    const headers = {
      ...(request.url === "/open.pt2" && {
        "Access-Control-Allow-Origin": "*",
        "Access-Control-Allow-Headers": "*",
        "Access-Control-Expose-Headers": "Content-Range, ETag",
      }),
      ...(from !== undefined && {
        "Content-Range": `bytes ${from}-${Number(from) + part.length - 1}/${bytes.length}`,
      }),
    };
    response.writeHead(from === undefined ? 200 : 206, headers).end(part);
  });
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  otherAddress = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
}, 120_000);

afterAll(async () => {
  if (!hasChromium) return;
  other.closeAllConnections();
  other.close();
  await studio.end();
});

async function openGpt(options = {}): Promise<Page> {
  const page = await studio.open("", options);
  await page.click("text=GPT");
  await page.waitForSelector(".graph canvas");
  await page.click("#tab-passes");
  return page;
}

async function runPasses(page: Page, pipeline: string): Promise<void> {
  await page.fill("#pipeline", pipeline);
  await page.keyboard.press("Enter");
  await page.waitForSelector(`.steps >> text=${pipeline.split(",").at(-1)}`);
}

const openAddress = async (page: Page, address: string): Promise<void> => {
  await page.fill("#address", address);
  await page.click("text=Open address");
};

describe.skipIf(!hasChromium)("versions, files and exports", () => {
  test("undo, redo and branches", async () => {
    const page = await openGpt();
    await runPasses(page, "decompose,cse");
    const title = () => page.innerText(".title");
    await page.waitForSelector('.title:has-text("after cse")');
    // A field has an own undo.
    await page.focus("#pipeline");
    await page.keyboard.press("Control+z");
    expect(await title()).toContain("after cse");
    await page.locator(".graph canvas").first().focus();
    await page.keyboard.press("Control+z");
    await page.waitForSelector('.title:has-text("after decompose")');
    await page.keyboard.press("Control+z");
    await page.waitForSelector('.title:text-is("net_gpt.pt2")');
    await page.keyboard.press("Control+z");
    await page.keyboard.press("Control+Shift+z");
    await page.waitForSelector('.title:has-text("after decompose")');
    await page.fill("#pipeline", "canonicalize");
    await page.click("text=Run from here");
    await page.getByLabel("Show branch 2 of net_gpt.pt2").waitFor();
    await page.waitForSelector('.title:has-text("after canonicalize")');
    // The address follows the title.
    await expect.poll(() => decodeURIComponent(page.url())).toContain("#/net_gpt/decompose,canonicalize/2");
    await page.getByLabel("Name of branch 2").fill("simpler");
    await page.keyboard.press("Tab");
    await page.getByLabel("Compare with main of net_gpt.pt2").click();
    await page.waitForSelector("text=differ from main of net_gpt.pt2");
    await page.getByLabel("Remove simpler of net_gpt.pt2").click();
    await page.waitForSelector('.title:has-text("after cse")');
    await page.close();
  });

  test("several files are open at once, with their tensors", async () => {
    const page = await studio.open();
    const text = `sconce-ir 1
program "ATEN" { parameter "w": f32[2] input %p_w: PARAMETER "w" input %x: USER_INPUT output %a: USER_OUTPUT }
graph(%p_w: f32[2], %x: f32[2]) {
  %a: f32[2] = aten.mul.Tensor(%x, %p_w)
  return (%a)
}`;
    const header = JSON.stringify({ w: { dtype: "F32", shape: [2], data_offsets: [0, 8] } });
    const length = new BigUint64Array([BigInt(header.length)]);
    const file = (name: string) => join(studio.folder, name);
    await writeFile(file("own.sir"), text);
    await writeFile(
      file("own.safetensors"),
      Buffer.concat([
        Buffer.from(length.buffer),
        Buffer.from(header),
        Buffer.from(new Float32Array([1, 2]).buffer),
      ]),
    );
    await page.setInputFiles("#file", [
      file("own.sir"),
      file("own.safetensors"),
      file("examples/digits.pt2"),
    ]);
    await page.waitForSelector('.title:text-is("digits.pt2")');
    await page.click("#tab-passes");
    await page.getByLabel("Show own.sir").click();
    await page.waitForSelector('.title:text-is("own.sir")');
    await page.click("#tab-compare");
    await page.click("text=Compare values");
    await page.waitForSelector("text=agree at the call that gives a tensor");
    // Another backend has no results yet.
    await page.selectOption("#second", "gpujs");
    expect(await page.locator("text=agree at").count()).toBe(0);
    await page.click("text=Where does gpujs run each call?");
    await page.waitForSelector("text=gpujs (");
    expect(await page.innerText("#panel .note")).not.toMatch(/webasm|headlessgl/);
    await page.fill("#search", "mul");
    await page.setInputFiles("#file", file("examples/net_unet.pt2"));
    await page.waitForSelector('.title:text-is("net_unet.pt2")');
    expect(await page.inputValue("#search")).toBe("");
    // Files are rows that can be closed; the branches are those of one file.
    await page.click("#tab-passes");
    expect(await page.locator("text=Branches").count()).toBe(0);
    expect(
      await page
        .locator("#panel")
        .getByRole("button", { name: /^Close / })
        .count(),
    ).toBe(3);
    await page.getByLabel("Close net_unet.pt2").click();
    await page.waitForSelector('.title:text-is("digits.pt2")');
    await page.getByLabel("Close own.sir").click();
    await page.getByRole("heading", { name: "Open files" }).waitFor({ state: "detached" });
    await writeFile(file("cut.sir"), text.slice(text.indexOf("graph(")));
    await page.setInputFiles("#file", file("cut.sir"));
    await page.waitForSelector("role=alert >> text=not IR text: it is a text file that begins with");
    await page.close();
  });

  test("opens an address of another server only when the user asks", async () => {
    studio.allowed = otherAddress;
    const page = await studio.open();
    await openAddress(page, `${otherAddress}/closed.pt2`);
    await page.waitForSelector("role=alert >> text=CORS");
    await openAddress(page, `${otherAddress}/open.pt2`);
    await page.waitForSelector('.title:text-is("open.pt2")');
    const link = page.url();
    await page.goto("about:blank");
    await page.goto(link);
    await page.waitForSelector("role=alert >> text=is not on the server of this page");
    expect(await page.inputValue("#address")).toBe(`${otherAddress}/open.pt2`);
    await page.close();
    studio.errors.length = 0;
    studio.allowed = "";
    const strict = await studio.open();
    await openAddress(strict, `${otherAddress}/open.pt2`);
    await strict.waitForSelector("role=alert >> text=STUDIO_POLICY");
    await openAddress(strict, "examples/digits.pt2");
    await strict.waitForSelector('.title:text-is("digits.pt2")');
    await strict.close();
    // The browser reports what it did not send.
    expect(studio.errors.splice(0).every((text) => text.includes("connect-src"))).toBe(true);
  });

  test("saves a version, and shows the way to it", async () => {
    const page = await openGpt();
    await runPasses(page, "decompose,dce");
    await page.click("text=Export");
    const shown = await page.locator("details:has(summary:text-is('Export')) pre").allInnerTexts();
    expect(shown[0]).toContain("#/net_gpt/decompose%2Cdce/2");
    expect(shown[1]).toBe("sconce lower net_gpt.pt2 -o net_gpt.out.pt2 --passes decompose,dce\n");
    expect(shown[2]).toContain('program = session.transform(program, "decompose,dce");');
    for (const [title, name, start] of [
      [".pt2 for PyTorch", "net_gpt.out.pt2", "PK"],
      ["IR text with tensors", "net_gpt.out.sir", "sconce-ir 1"],
    ] as const) {
      const [download] = await Promise.all([page.waitForEvent("download"), page.click(`text=${title}`)]);
      expect(download.suggestedFilename()).toBe(name);
      expect((await readFile(await download.path(), "latin1")).startsWith(start)).toBe(true);
    }
    await page.close();
  });

  test.each(["light", "dark"] as const)("is accessible in %s colors", async (colorScheme) => {
    const page = await openGpt({ colorScheme });
    await runPasses(page, "decompose,cse");
    await page.locator("#scrub").fill("1");
    await page.fill("#pipeline", "dce,canonicalize");
    await page.click("text=Run from here");
    await page.getByLabel("Show branch 2 of net_gpt.pt2").waitFor();
    await page.click("text=Export");
    expect(await axeProblems(page)).toEqual([]);
    await page.click("text=Start");
    await page.waitForSelector("#address");
    expect(await axeProblems(page)).toEqual([]);
    await page.close();
  });

  test("reports nothing as an error of the page", () => {
    expect(studio.errors).toEqual([]);
  });
});
