/** @file The page built, served and opened in headless Chromium. */
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BrowserContext, chromium } from "playwright-core";
import { build } from "vite";
import type { PageResult } from "./main.js";

/** Where Debian's package has it. */
export const CHROMIUM = "/usr/bin/chromium";
export const hasChromium = existsSync(CHROMIUM);

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** Programs that PyTorch exported. */
const FIXTURES = join(ROOT, "../../packages/testing/fixtures/programs");
const TYPES: Readonly<Record<string, string>> = { ".html": "text/html", ".js": "text/javascript" };
const COMMON = [
  ...["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking"],
  ...["--disable-component-update", "--disable-sync", "--enable-unsafe-swiftshader"],
];
/** SwiftShader stands in for a GPU: as WebGL alone, or as a Vulkan driver under WebGPU. */
const FLAGS = {
  webgl: ["--use-angle=swiftshader"],
  webgpu: ["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader", "--enable-features=Vulkan"],
};
export type Graphics = keyof typeof FLAGS;

/** Content security policies that an address may ask for: `?policy=strict`. */
const POLICIES: Readonly<Record<string, string>> = {
  strict: "default-src 'self'",
  wasm: "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'",
  eval: "default-src 'self'; script-src 'self' 'unsafe-eval'",
};

export interface Served {
  readonly address: string;
  close(): Promise<void>;
}

/**
 * Bundles the page and serves it on this machine alone, isolated as threads of WebAssembly need it.
 */
export async function servePage(): Promise<Served> {
  const folder = await mkdtemp(join(tmpdir(), "sconce-page-"));
  const outDir = join(folder, "page");
  await build({ root: ROOT, logLevel: "error", build: { outDir, emptyOutDir: true } });
  const server = createServer(async ({ url }, response) => {
    const { pathname, searchParams } = new URL(url ?? "/", "http://localhost");
    const policy = POLICIES[searchParams.get("policy") ?? ""];
    const fixture = /^\/fixtures\/(\w+\/program\.pt2)$/.exec(pathname)?.[1];
    const file =
      fixture === undefined
        ? join(outDir, pathname === "/" ? "index.html" : pathname)
        : join(FIXTURES, fixture);
    const bytes = await readFile(file).catch(() => undefined);
    response.writeHead(bytes === undefined ? 404 : 200, {
      "Content-Type": TYPES[extname(file)] ?? "application/octet-stream",
      "Cross-Origin-Opener-Policy": "same-origin",
      "Cross-Origin-Embedder-Policy": "require-corp",
      ...(policy !== undefined && { "Content-Security-Policy": policy }),
    });
    response.end(bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}/`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A browser with one kind of graphics. */
export async function openBrowser(graphics: Graphics): Promise<Browser> {
  const profile = await mkdtemp(join(tmpdir(), "sconce-chromium-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: CHROMIUM,
    headless: true,
    args: [...COMMON, ...FLAGS[graphics]],
  });
  return {
    visit: (address) => visit(context, address),
    async close() {
      await context.close();
      await rm(profile, { recursive: true, force: true });
    },
  };
}
export interface Browser {
  visit(address: string): Promise<Visit>;
  close(): Promise<void>;
}
interface Visit {
  readonly result: PageResult;
  /** What was written to the console as an error. An error that nothing catches fails the visit. */
  readonly errors: readonly string[];
  readonly shown: string;
}

async function visit(context: BrowserContext, address: string): Promise<Visit> {
  const page = await context.newPage();
  const errors: string[] = [];
  const crashed = new Promise<never>((_, reject) => page.on("pageerror", reject));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  try {
    await page.goto(address);
    const done = page.waitForSelector("html[data-state=done]", { state: "attached", timeout: 240_000 });
    await Promise.race([done, crashed]);
    const result = JSON.parse((await page.textContent("#result"))!) as PageResult;
    return { result, errors, shown: (await page.textContent("#report"))! };
  } finally {
    await page.close();
  }
}
