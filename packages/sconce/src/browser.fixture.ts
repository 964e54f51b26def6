/** @file Files of a folder served to headless Chromium, and what a page of them prints. */
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { type BrowserContext, chromium } from "playwright-core";

/** Where Debian's package has it. */
export const CHROMIUM = "/usr/bin/chromium";
export const hasChromium: boolean = existsSync(CHROMIUM);

const SCRIPT = "text/javascript";
const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": SCRIPT,
  ".mjs": SCRIPT,
  ".cjs": SCRIPT,
  ".wasm": "application/wasm",
};
const FLAGS = ["--no-sandbox", "--no-first-run", "--disable-background-networking", "--disable-sync"];

/** A running browser. */
export interface Browser {
  /**
   * Opens a page of a folder, and returns the lines that it printed up to `end`. Rejects for an
   * error that the page does not catch, or prints as an error.
   *
   * @param isIsolated whether the page is isolated from other origins: its threads share memory
   */
  printed(folder: string, page?: string, isIsolated?: boolean): Promise<string>;
  /** The scripts that the last page and its workers asked for. */
  readonly scripts: readonly string[];
  close(): Promise<void>;
}

/** The line that a page prints last. */
export const END = "end of the page";

/** Opens a browser. */
export async function openBrowser(): Promise<Browser> {
  const profile = await mkdtemp(join(tmpdir(), "sconce-chromium-"));
  const options = { executablePath: CHROMIUM, headless: true, args: FLAGS };
  const context = await chromium.launchPersistentContext(profile, options);
  const scripts: string[] = [];
  return {
    scripts,
    printed: (folder, page = "index.html", isIsolated = false) => {
      scripts.length = 0;
      return visit(context, folder, page, scripts, isIsolated ? ISOLATED : {});
    },
    async close() {
      await context.close();
      await rm(profile, { recursive: true, force: true });
    },
  };
}

const ISOLATED = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};

async function visit(
  context: BrowserContext,
  folder: string,
  path: string,
  scripts: string[],
  headers: Readonly<Record<string, string>>,
): Promise<string> {
  const server = createServer(async ({ url }, response) => {
    const { pathname } = new URL(url ?? "/", "http://localhost");
    const type = TYPES[extname(pathname)];
    if (type === SCRIPT) scripts.push(pathname);
    const bytes = await readFile(join(folder, pathname)).catch(() => undefined);
    response.writeHead(bytes === undefined ? 404 : 200, {
      "Content-Type": type ?? "application/octet-stream",
      ...headers,
    });
    response.end(bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const page = await context.newPage();
  try {
    const lines: string[] = [];
    const printed = new Promise<string>((resolve, reject) => {
      page.on("pageerror", reject);
      page.on("console", (message) => {
        const text = message.text();
        if (message.location().url.endsWith("/favicon.ico")) return;
        if (message.type() === "error") reject(new Error(text));
        else if (text === END) resolve(lines.join("\n"));
        else lines.push(text);
      });
    });
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/${path}`);
    return await printed;
  } finally {
    await page.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}
