import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { build, defaultClientConditions } from "vite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { axeProblems, CHROMIUM, hasChromium } from "../page/page.fixture.js";

const path = (place: string): string => fileURLToPath(new URL(place, import.meta.url));
const TYPES: Readonly<Record<string, string>> = { ".html": "text/html", ".js": "text/javascript" };
/** No style in elements, no script of a text, no other server. */
const POLICY = "default-src 'none'; script-src 'self'; connect-src 'self'";

const PAGE = `<!doctype html><html lang="en"><head><title>A page</title><meta charset="utf-8">
<script type="module" src="main.js"></script></head>
<body><main><h1>A page</h1><sconce-graph id="graph" src="digits.pt2"></sconce-graph></main></body></html>`;
/** The page of a user: events are kept for the test. */
const MAIN = `import ${JSON.stringify(path("graph-element.ts"))};
globalThis.events = [];
for (const name of ["load", "select", "toggle", "error"])
  document.addEventListener("sconce-" + name, ({ detail }) => events.push([name, detail]));`;

let folder: string;
let server: Server;
let browser: Browser;
let address: string;
const errors: string[] = [];

beforeAll(async () => {
  if (!hasChromium) return;
  folder = await mkdtemp(join(tmpdir(), "sconce-element-"));
  await writeFile(join(folder, "entry.js"), MAIN);
  await build({
    root: folder,
    configFile: false,
    logLevel: "error",
    resolve: { conditions: ["@sconce/source", ...defaultClientConditions] },
    build: {
      outDir: join(folder, "page"),
      modulePreload: false,
      rollupOptions: { input: join(folder, "entry.js"), output: { entryFileNames: "main.js" } },
    },
  });
  const file = (name: string) => join(folder, "page", name);
  await writeFile(file("index.html"), PAGE);
  await copyFile(path("../../../sconce/examples/digits.pt2"), file("digits.pt2"));
  await writeFile(file("broken.pt2"), "no archive");
  const text = "graph(%x: f32[2]) {\n  %a: f32[2] = aten.sin.default(%x)\n  return (%a)\n}\n";
  const program = 'sconce-ir 1\nprogram "ATEN" { input %x: USER_INPUT output %a: USER_OUTPUT }\n';
  await writeFile(file("small.sir"), program + text);
  server = createServer(async ({ url }, response) => {
    const name = new URL(url ?? "/", "http://localhost").pathname;
    const bytes = await readFile(file(name === "/" ? "index.html" : name)).catch(() => undefined);
    const type =
      TYPES[extname(name === "/" ? ".html" : name)] ??
      (name === "/" ? "text/html" : "application/octet-stream");
    const headers = { "Content-Type": type, "Content-Security-Policy": POLICY };
    response.writeHead(bytes === undefined ? 404 : 200, headers).end(bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });
}, 120_000);

afterAll(async () => {
  if (!hasChromium) return;
  await browser.close();
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true, force: true });
});

async function openPage(colorScheme: "light" | "dark" = "light"): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 800, height: 900 }, colorScheme });
  page.setDefaultTimeout(15_000);
  page.on("pageerror", ({ message }) => errors.push(message));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  await page.goto(address);
  await page.waitForSelector("sconce-graph g.box");
  return page;
}

const setAttribute = (page: Page, name: string, value: string): Promise<void> =>
  page.evaluate(
    ([name, value]) => document.querySelector("sconce-graph")!.setAttribute(name!, value!),
    [name, value],
  );

const events = (page: Page): Promise<readonly (readonly [string, Readonly<Record<string, unknown>>])[]> =>
  page.evaluate(() =>
    (globalThis as unknown as { events: [string, Record<string, unknown>][] }).events.splice(0),
  );

/** The box of a title: names of boxes are their texts. */
const group = (page: Page, title: string) =>
  page.locator("sconce-graph g[role=button]").filter({ hasText: new RegExp(`(^|· )${title} `) });

describe.skipIf(!hasChromium)("the element sconce-graph", () => {
  test("draws a file, and opens groups by click and by key", async () => {
    const page = await openPage();
    expect(await events(page)).toEqual([["load", { calls: expect.any(Number) }]]);
    expect(await group(page, "conv1").getAttribute("aria-expanded")).toBe("false");
    await group(page, "conv1").click();
    expect(await group(page, "conv1").getAttribute("aria-expanded")).toBe("true");
    await group(page, "conv2d").first().waitFor();
    expect(await events(page)).toMatchObject([
      ["select", { title: "conv1", kind: "module" }],
      ["toggle", { title: "conv1", isOpen: true }],
    ]);
    // The focus stays on the group, and its key closes it again.
    await page.keyboard.press("Enter");
    expect(await group(page, "conv1").getAttribute("aria-expanded")).toBe("false");
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press(" ");
    expect((await events(page)).at(-1)).toMatchObject(["select", { title: "div.Tensor", node: "div" }]);
    await page.close();
  });

  test("follows its attributes", async () => {
    const page = await openPage();
    await setAttribute(page, "depth", "1");
    await group(page, "conv2d").first().waitFor();
    const fill = () =>
      page.evaluate(() => {
        const rect = document.querySelector("sconce-graph")!.shadowRoot!.querySelector("rect.background")!;
        return getComputedStyle(rect).fill;
      });
    const light = await fill();
    await setAttribute(page, "theme", "dark");
    expect(await fill()).not.toBe(light);
    await setAttribute(page, "src", "small.sir");
    await group(page, "sin").waitFor();
    await setAttribute(page, "src", "broken.pt2");
    await page.waitForSelector("sconce-graph [role=alert]");
    await setAttribute(page, "src", "absent.pt2");
    await page.waitForSelector("sconce-graph [role=alert] >> text=HTTP_STATUS");
    expect((await events(page)).filter(([name]) => name === "error")).toHaveLength(2);
    await page.close();
    // The browser reports the file that is not there.
    expect(errors.splice(0).every((text) => text.includes("404"))).toBe(true);
  });

  test("draws a program that a script gives", async () => {
    const page = await openPage();
    await page.evaluate(() => {
      const first = document.querySelector("sconce-graph")! as HTMLElement & { program: unknown };
      const second = document.createElement("sconce-graph") as HTMLElement & { program: unknown };
      second.id = "second";
      second.program = first.program;
      document.querySelector("main")!.append(second);
    });
    await page.waitForSelector("#second g.box");
    await page.close();
  });

  test.each(["light", "dark"] as const)("is accessible in %s colors", async (colorScheme) => {
    const page = await openPage(colorScheme);
    await group(page, "conv1").click();
    expect(await axeProblems(page)).toEqual([]);
    await setAttribute(page, "src", "broken.pt2");
    await page.waitForSelector("sconce-graph [role=alert]");
    expect(await axeProblems(page)).toEqual([]);
    await page.close();
  });

  test("reports nothing as an error of the page", () => {
    expect(errors).toEqual([]);
  });
});
