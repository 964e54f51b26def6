/** @file The built site, served on this machine and opened in headless Chromium. */
import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { SITE } from "./support/paths.js";

/** Where Debian's package has it. */
const CHROMIUM = "/usr/bin/chromium";
export const hasChromium: boolean = existsSync(CHROMIUM);

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};

/** Returns the file of a path, as servers of static files find it. */
async function fileOf(folder: string, path: string): Promise<string> {
  const file = join(folder, path);
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) return `${file}.html`;
  return found.isDirectory() ? join(file, "index.html") : file;
}

export interface Served {
  /** Opens a page of the site, and records what it asks for outside of the site. */
  open(path: string, options?: { readonly width?: number; readonly dark?: boolean }): Promise<Page>;
  /** Requests to other hosts and paths, failed requests, and errors of scripts. */
  readonly problems: readonly string[];
  close(): Promise<void>;
}

/** Serves a built site below a path, where nothing else is, and starts the browser. */
export async function serveSite(folder = SITE, base = "/"): Promise<Served> {
  const server = createServer(async ({ url }, response) => {
    const { pathname } = new URL(url ?? "/", "http://localhost");
    const path = decodeURIComponent(pathname);
    const file = await fileOf(folder, path.slice(base.length - 1));
    const bytes = path.startsWith(base) ? await readFile(file).catch(() => undefined) : undefined;
    response.writeHead(bytes === undefined ? 404 : 200, {
      "Content-Type": TYPES[extname(file)] ?? "application/octet-stream",
      "Cross-Origin-Opener-Policy": "same-origin",
      "Cross-Origin-Embedder-Policy": "require-corp",
    });
    response.end(bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const browser: Browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ["--no-sandbox", "--disable-gpu"],
  });
  const problems: string[] = [];
  return {
    problems,
    async open(path, { width = 1280, dark = false } = {}) {
      const colorScheme = dark ? "dark" : "light";
      const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
      page.on("pageerror", ({ message }) => problems.push(`${path}: ${message}`));
      page.on("console", (message) => {
        if (message.type() === "error") problems.push(`${path}: ${message.text()}`);
      });
      page.on("request", (request) => {
        if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(`${address}${base}`))
          problems.push(`${path} asks for ${request.url()}, outside of the site`);
      });
      page.on("response", (response) => {
        if (response.status() >= 400) problems.push(`${path}: ${response.status()} ${response.url()}`);
      });
      await page.goto(`${address}${base.slice(0, -1)}${path}`);
      await page.waitForLoadState("networkidle");
      return page;
    },
    async close() {
      await browser.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
