import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { axeProblems, hasChromium, type Studio, startStudio } from "./page.fixture.js";

/** What the page needs: its own scripts, WebAssembly for that backend, and its own requests. */
const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; " +
  "img-src 'self' data:; connect-src 'self'; worker-src 'self'";

let studio: Studio;

beforeAll(async () => {
  if (hasChromium) studio = await startStudio({ "Content-Security-Policy": POLICY });
}, 120_000);

afterAll(() => studio?.end());

const openPage = (hash = "", width = 1280): Promise<Page> =>
  studio.open(hash, { viewport: { width, height: 800 } });

const openExample = async (title: string, width?: number): Promise<Page> => {
  const page = await openPage("", width);
  await page.click(`text=${title}`);
  await page.waitForSelector(".graph canvas");
  return page;
};

/** Colors at the edges of the view: one where nothing of the graph reaches them. */
const edgeColors = (page: Page): Promise<number> =>
  page
    .locator(".graph canvas")
    .first()
    .evaluate((one) => {
      const { width, height } = one as HTMLCanvasElement;
      const context = (one as HTMLCanvasElement).getContext("2d")!;
      const parts = [
        context.getImageData(0, 0, width, 4),
        context.getImageData(0, height - 4, width, 4),
        context.getImageData(0, 0, 4, height),
        context.getImageData(width - 4, 0, 4, height),
      ];
      return new Set(parts.flatMap(({ data }) => [...new Uint32Array(data.buffer)])).size;
    });

describe.skipIf(!hasChromium)("the page of the studio", () => {
  test("asks for nothing but itself, and is small at first", async () => {
    studio.asked.length = 0;
    const page = await openPage();
    await page.waitForSelector("text=Examples");
    await page.waitForLoadState("networkidle");
    let bytes = 0;
    for (const path of studio.asked) {
      const file = join(studio.folder, path === "/" ? "index.html" : path);
      bytes += gzipSync(await readFile(file)).length;
    }
    expect(studio.asked.filter((path) => path.startsWith("/examples/"))).toEqual([]);
    expect(bytes).toBeLessThan(250_000);
    await page.close();
  });

  test.each(["Digits", "GPT", "ResNet", "U-Net", "Nested control flow"])(
    "opens %s, and all of its groups",
    async (title) => {
      const page = await openExample(title);
      await page.click("text=Open all");
      await page.click('label:has-text("flat")');
      await page.click('label:has-text("weights")');
      await page.locator(".graph canvas").first().focus();
      await page.keyboard.press("Home");
      await page.waitForSelector("article h2");
      for (const key of ["ArrowDown", "ArrowDown", "ArrowRight", "ArrowUp", "f", "+", "-"])
        await page.keyboard.press(key);
      await page.waitForSelector("article h2");
      await page.close();
    },
  );

  test("finds a node, runs passes, scrubs, compares backends and runs", async () => {
    const page = await openExample("GPT");
    await page.fill("#search", "scaled_dot_product");
    await page.click(".found button");
    await page.waitForSelector("text=num_users=1");
    await page.click("text=Run, and show the elements");
    await page.waitForSelector(".histogram");
    await page.click("#tab-passes");
    await page.fill("#pipeline", "decompose,cse,dce");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".steps");
    expect(await page.locator(".steps li").allInnerTexts()).toMatchObject([
      expect.stringContaining("as opened"),
      expect.stringMatching(/^decompose \+\d+/),
      expect.stringMatching(/^cse \+0 −2/),
      expect.stringContaining("dce no change"),
    ]);
    expect(await page.innerText(".title")).toBe("net_gpt.pt2 after dce");
    await page.locator("#scrub").fill("1");
    await page.waitForSelector("text=nodes differ from the step before");
    expect(await page.innerText(".title")).toBe("net_gpt.pt2 after decompose");
    await page.click("text=before and after side by side");
    await page.locator(".graph").nth(1).waitFor();
    expect(await page.locator(".graph").count()).toBe(2);
    await page.waitForTimeout(300);
    const picture = () =>
      page
        .locator(".graph > canvas")
        .nth(1)
        .evaluate((one) => (one as HTMLCanvasElement).toDataURL());
    const still = await picture();
    await page.locator(".graph > canvas").first().hover();
    await page.mouse.wheel(0, 200);
    await expect.poll(picture).not.toBe(still);
    await page.click("#tab-compare");
    await page.click("text=Compare values");
    await page.waitForSelector("text=cpu and wasm agree at all");
    await page.click("text=Where does wasm run each call?");
    await page.waitForSelector("text=calls on the device");
    const hosts = await page.locator("#panel .lines li").count();
    expect(await page.locator("text=None of them runs on the host").count()).toBe(hosts === 0 ? 1 : 0);
    await page.click("#tab-profile");
    await page.click("#panel .primary");
    await page.waitForSelector("text=wasm: compiled in");
    expect(await page.locator(".flame rect").count()).toBeGreaterThan(5);
    expect(await page.locator(".memory rect").count()).toBeGreaterThan(5);
    await page.locator(".bars summary").first().click();
    await page.waitForSelector("text=Source: kernel IR");
    await page.locator(".bars li .link").first().click();
    await page.click("#tab-inspect");
    await page.click("text=Count operations and bytes");
    await page.waitForSelector("text=read and written");
    await page.click("#tab-text");
    await page.waitForSelector("text=class GraphModule");
    await page.close();
  });

  test("the keyboard visits every node of GPT", async () => {
    const page = await studio.open("#/net_gpt");
    await page.locator(".graph canvas").first().focus();
    const seen: string[] = [];
    const press = async (key: string): Promise<string> => {
      const before = page.url();
      await page.keyboard.press(key);
      await expect.poll(() => page.url()).not.toBe(before);
      return decodeURIComponent(page.url().split("/").at(-1)!);
    };
    const last = await press("End");
    for (let at = await press("Home"); ; at = await press("n")) {
      seen.push(at);
      if (at === last || seen.length > 50) break;
    }
    for (const key of [":ids", ":arange", ":sym_size_int_3", ":add"]) expect(seen).toContain(key);
    expect(seen.filter((key) => key.endsWith("tok") || key.endsWith("pos"))).toHaveLength(2);
    expect(await press("p")).toBe(seen.at(-2));
    await page.close();
  });

  test("a node says where each backend runs it, and why not on the device", async () => {
    const page = await studio.open("#/flow_cond_nested");
    await page.waitForSelector(".graph canvas");
    await page.fill("#search", "cond");
    await page.click(".found button");
    await page.waitForSelector("h3:text-is('Where it runs')");
    await page.click("text=Ask wasm");
    await page.waitForSelector("#panel p:has-text('wasm: host, higher_order.cond: ')");
    await page.click("text=Ask gpujs");
    await page.waitForSelector("#panel p:has-text('gpujs: host, higher_order.cond: ')");
    await page.fill("#search", "add");
    await page.click(".found button");
    await page.waitForSelector("#panel p:has-text('wasm: ')");
    // The calls of a nested graph run where the call runs that has the graph.
    await page.fill("#search", "linear");
    await page.waitForSelector(".found button");
    await page.press("#search", "Enter");
    await page.waitForSelector("article >> text=aten.linear.default");
    const place = await page.innerText("#panel p:has-text('wasm: ')");
    expect(place).toBe("wasm: host, as a part of cond: control flow runs on the host");
    await page.close();
  });

  test("says which values of two backends differ, by which rule, and leads to the first", async () => {
    const page = await openPage();
    const file = join(studio.folder, "unstable.ir");
    await writeFile(
      file,
      `sconce-ir 1
program "ATEN" { input %x: USER_INPUT output %b: USER_OUTPUT }
graph(%x: f32[64, 64]) {
  %a: f32[64, 64] = aten.exp.default(%x)
  %m: f32[64, 64] = aten.mul.Tensor(%a, 100000000.0)
  %b: f32[64, 64] = aten.sin.default(%m)
  return (%b)
}`,
    );
    await page.setInputFiles("input[type=file]", file);
    await page.waitForSelector(".graph canvas");
    await page.click("#tab-compare");
    // The color of the mark around a node, which the map has too.
    const red = () =>
      page.locator(".graph canvas.minimap").evaluate((one) => {
        const { width, height } = one as HTMLCanvasElement;
        const { data } = (one as HTMLCanvasElement).getContext("2d")!.getImageData(0, 0, width, height);
        let count = 0;
        for (let at = 0; at < data.length; at += 4)
          if (data[at]! > 150 && data[at + 1]! < 90 && data[at + 2]! < 100) count++;
        return count;
      });
    expect(await red()).toBe(0);
    await page.click("text=Compare values");
    await page.waitForSelector("p.warning:has-text('1 of 3 calls differ.')");
    await page.waitForSelector("text=when |a − b| > atol + rtol · |b|");
    const last = await page.locator("tbody tr").allInnerTexts();
    expect(last.map((text) => /≠ \d+ of 4096/.test(text))).toEqual([false, false, true]);
    await expect.poll(red).toBeGreaterThan(0);
    await page.click("p.warning .link");
    await page.click("#tab-inspect");
    await page.waitForSelector("article h2:text-is('sin')");
    await page.click("#tab-compare");
    await page.selectOption("#second", "cpu");
    await expect.poll(red).toBe(0);
    await page.close();
  });

  test("shows what hides a node that was searched for", async () => {
    const page = await studio.open("#/digits");
    await page.waitForSelector(".graph canvas");
    const weights = page.locator('label:has-text("weights") input');
    const flat = page.locator('label:has-text("flat") input');
    await page.fill("#search", "p_conv1_weight");
    await page.waitForSelector(".found button");
    await page.press("#search", "Enter");
    await page.waitForSelector("article >> text=placeholder");
    expect(await weights.isChecked()).toBe(true);
    expect(await flat.isChecked()).toBe(false);
    await flat.check();
    await page.fill("#search", "conv1 call");
    await page.waitForSelector(".found button");
    await page.press("#search", "Enter");
    await page.waitForSelector("article h2:text-is('conv1')");
    expect(await flat.isChecked()).toBe(false);
    await page.close();
  });

  test("shows the lifetimes of values on the interpreter", async () => {
    const page = await studio.open("#/net_unet");
    await page.waitForSelector(".graph canvas");
    await page.click("#tab-profile");
    await page.selectOption("#profile-backend", "cpu");
    await page.click("#panel .primary");
    await page.waitForSelector("h2:text-is('Lifetimes of values')");
    expect(await page.getAttribute(".memory", "aria-label")).toMatch(
      /^\d+ values, at most .* at once, over \d+ calls$/,
    );
    await page.waitForSelector("figcaption:has-text('plans no addresses')");
    await page.locator(".memory rect").first().click();
    await page.waitForSelector(".memory rect.selected");
    await page.selectOption("#profile-backend", "wasm");
    expect(await page.locator(".memory").count()).toBe(0);
    await page.close();
  });

  test("shows the same view for a link that is opened again", async () => {
    const page = await openPage("#/net_gpt/decompose%2Ccse/1/%3Aaddmm");
    await page.waitForSelector("article >> text=aten.addmm.default");
    await page.waitForSelector("text=decompose made addmm");
    expect(page.url()).toContain("#/net_gpt/decompose%2Ccse/1/%3Aaddmm");
    await page.reload();
    await page.waitForSelector("article >> text=aten.addmm.default");
    await page.close();
  });

  test("shows an error of a pass, and of a file without a program", async () => {
    const page = await openExample("Digits");
    await page.click("#tab-passes");
    await page.fill("#pipeline", "no-such-pass");
    await page.keyboard.press("Enter");
    await page.waitForSelector("role=alert");
    expect(await page.innerText("role=alert")).toContain("no-such-pass");
    expect(await page.getAttribute("role=alert >> a", "href")).toContain("errors.md#unknown_pass");
    // A site has a page for each code.
    await page.evaluate(() => {
      const meta = Object.assign(document.createElement("meta"), {
        name: "error-pages",
        content: "../errors/",
      });
      document.head.append(meta);
    });
    await page.click("role=alert >> text=Close");
    await page.focus("#pipeline");
    await page.keyboard.press("Enter");
    await page.waitForSelector('role=alert >> a[href$="/errors/UNKNOWN_PASS/"]');
    await page.click("role=alert >> text=Close");
    await page.setInputFiles("#other", join(studio.folder, "examples/net_resnet.pt2"));
    await page.waitForSelector("text=nodes differ from digits.pt2");
    // Two versions of one model, whose weights nothing has read.
    const programs = fileURLToPath(new URL("../../../testing/fixtures/programs/", import.meta.url));
    await page.setInputFiles("#file", join(programs, "net_mlp/program.pt2"));
    await page.waitForSelector('.title:has-text("program.pt2")');
    await page.setInputFiles("#other", join(programs, "net_mlp_train/program.pt2"));
    await page.waitForSelector("text=/nodes? differs? from program.pt2/");
    await page.click('button:has-text("digits.pt2")');
    const file = join(studio.folder, "broken.pt2");
    await writeFile(file, "no archive");
    await page.setInputFiles("input[type=file]", file);
    await page.waitForSelector("role=alert");
    expect(await page.innerText(".title")).toContain("digits.pt2");
    await page.close();
  });

  test.each(["light", "dark"] as const)(
    "is accessible in %s colors, by the rules of axe",
    async (colorScheme) => {
      const page = await studio.open("", { colorScheme });
      const problems: string[] = [];
      const check = async (view: string) => {
        for (const problem of await axeProblems(page)) problems.push(`${view}: ${problem}`);
      };
      await check("start");
      await page.click("text=GPT");
      await page.waitForSelector(".graph canvas");
      await page.fill("#search", "linear");
      await page.waitForSelector(".found button");
      await check("search");
      await page.click(".found button");
      await page.waitForSelector("article h2");
      await check("inspect");
      await page.click("#tab-passes");
      await page.fill("#pipeline", "decompose,cse,dce");
      await page.keyboard.press("Enter");
      await page.waitForSelector(".steps");
      await page.locator("#scrub").fill("2");
      await page.waitForSelector(".diff");
      await check("passes");
      await page.click("#tab-compare");
      await page.click("text=Compare values");
      await page.waitForSelector("table");
      await check("compare");
      await page.click("#tab-profile");
      await page.click("#panel .primary");
      await page.waitForSelector(".bars");
      await check("run");
      await page.click("#tab-text");
      await page.waitForSelector("text=class GraphModule");
      await check("text");
      expect(problems).toEqual([]);
      await page.close();
    },
  );

  test.each([
    ["ResNet", 1280],
    ["Nested control flow", 390],
  ])("shows the whole graph of %s at first, beside the map, %i wide", async (title, width) => {
    const page = await openExample(title, width);
    await page.waitForTimeout(300);
    const view = await page.locator(".graph canvas").first().boundingBox();
    const beside = await page.locator(".beside").boundingBox();
    expect(view!.x + view!.width).toBeLessThanOrEqual(beside!.x);
    expect(await page.locator(".minimap").isVisible()).toBe(width > 760);
    expect(await edgeColors(page)).toBe(1);
    await page.close();
  });

  test("shows the whole graph again when it is opened, and after passes", async () => {
    const page = await studio.open("#/net_resnet/decompose/1");
    await page.waitForSelector('.title:has-text("after decompose")');
    await page.waitForTimeout(300);
    expect(await edgeColors(page)).toBe(1);
    await page.click("text=Start");
    await page.click("text=GPT");
    await page.waitForSelector('.title:has-text("net_gpt")');
    await page.waitForTimeout(500);
    expect(await edgeColors(page)).toBe(1);
    // A node is selected, and a message makes the view lower: neither moves it.
    const box = (await page.locator(".graph canvas").first().boundingBox())!;
    await page.mouse.click(box.x + box.width / 2, box.y + 40);
    await page.click("#tab-passes");
    await page.fill("#pipeline", "no-such-pass");
    await page.keyboard.press("Enter");
    await page.waitForSelector("role=alert");
    await page.waitForTimeout(300);
    expect(await edgeColors(page)).toBe(1);
    // Show all holds in the same way.
    await page.click("text=Open all");
    await page.waitForTimeout(500);
    await page.click("[aria-label='Show all']");
    await page.waitForTimeout(200);
    expect(await edgeColors(page)).toBe(1);
    await page.click("role=alert >> text=Close");
    await page.waitForTimeout(300);
    expect(await edgeColors(page)).toBe(1);
    // What the user moved stays where it is.
    await page.locator(".graph canvas").first().hover();
    await page.mouse.wheel(0, 300);
    await expect.poll(() => edgeColors(page)).toBeGreaterThan(1);
    await page.setViewportSize({ width: 1200, height: 780 });
    await page.waitForTimeout(300);
    expect(await edgeColors(page)).toBeGreaterThan(1);
    await page.close();
  });

  test("two views are equally wide, and stay aligned when all is opened", async () => {
    const page = await studio.open("#/net_unet/decompose/1");
    await page.waitForSelector('.title:has-text("after decompose")');
    await page.click("#tab-passes");
    await page.click("text=before and after side by side");
    await page.locator(".graph").nth(1).waitFor();
    const canvases = page.locator(".graph > canvas");
    const widths = () => canvases.evaluateAll((all) => all.map((one) => one.clientWidth));
    await expect.poll(async () => new Set(await widths()).size).toBe(1);
    await page.click("text=Open all");
    // The first row with something in it: both programs begin with the same input.
    const firstRows = (): Promise<number[]> =>
      canvases.evaluateAll((all) =>
        all.map((one) => {
          const { width, height } = one as HTMLCanvasElement;
          const { data } = (one as HTMLCanvasElement).getContext("2d")!.getImageData(0, 0, width, height);
          const pixels = new Uint32Array(data.buffer);
          return Math.floor(pixels.findIndex((color) => color !== pixels[0]) / width);
        }),
      );
    await page.waitForTimeout(500);
    const expectAligned = async (): Promise<void> => {
      const [before, after] = await firstRows();
      expect(before).toBeGreaterThan(0);
      expect(Math.abs(before! - after!)).toBeLessThanOrEqual(1);
    };
    await expectAligned();
    // A message makes both views lower, and goes again.
    await page.fill("#pipeline", "no-such-pass");
    await page.keyboard.press("Enter");
    await page.waitForSelector("role=alert");
    await page.waitForTimeout(300);
    await expectAligned();
    await page.click("role=alert >> text=Close");
    await page.waitForTimeout(300);
    await expectAligned();
    await page.close();
  });

  test("two views go to a node that was searched for together", async () => {
    const page = await studio.open("#/net_unet/decompose/1");
    await page.waitForSelector('.title:has-text("after decompose")');
    await page.click("#tab-passes");
    await page.click("text=before and after side by side");
    await page.locator(".graph").nth(1).waitFor();
    await page.fill("#search", "leaky_relu f32");
    await page.click(".found button");
    // The rows of the view in which something has the color of the selection.
    const rows = (): Promise<string[]> =>
      page.locator(".graph > canvas").evaluateAll((all) =>
        all.map((one) => {
          const { width, height } = one as HTMLCanvasElement;
          const { data } = (one as HTMLCanvasElement).getContext("2d")!.getImageData(0, 0, width, height);
          const found = new Set<number>();
          for (let at = 0; at < data.length; at += 4)
            if (data[at] === 5 && data[at + 1] === 80 && data[at + 2] === 174)
              found.add(Math.floor(at / 4 / width));
          return `${Math.min(...found)}`;
        }),
      );
    await expect.poll(async () => new Set(await rows()).size).toBe(1);
    expect(Number((await rows())[0])).toBeGreaterThan(0);
    await page.close();
  });

  test("fits a narrow screen", async () => {
    const page = await openExample("ResNet", 390);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await page.click("#tab-passes");
    await page.waitForSelector("#pipeline");
    await page.close();
  });

  test("reports nothing as an error of the page", () => {
    expect(studio.errors).toEqual([]);
  });
});
