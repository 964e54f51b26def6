/** @file The page in a browser, for tests. */
import { existsSync, readFileSync } from "node:fs";
import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type Axe from "axe-core";
import { type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { build } from "vite";
import { sharedFolder } from "../../../../.config/shared-folder.js";
import { PAGE_HEADERS, pageHeaders } from "../page-node.js";

/** Where Debian's package has it. */
export const CHROMIUM = "/usr/bin/chromium";

/** Whether tests can run. */
export const hasChromium: boolean = existsSync(CHROMIUM);
if (!hasChromium)
  console.warn(`tests of the studio are skipped: there is no ${CHROMIUM} (apt-get install chromium)`);

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
};

/** A server with the page, and a browser. */
export interface Studio {
  /** The page under its policies; another host name has one policy for all files. */
  readonly address: string;
  readonly strictAddress: string;
  /** The folder with the built page. */
  readonly folder: string;
  /** Servers that the policy of the page allows besides its own. */
  allowed: string;
  /** What pages reported as errors. */
  readonly errors: string[];
  /** Paths that were asked for. */
  readonly asked: string[];
  open(hash?: string, options?: BrowserContextOptions & { readonly isStrict?: boolean }): Promise<Page>;
  end(): Promise<void>;
}

/**
 * Builds the page, once for all test files of a run, serves it, and starts the browser.
 *
 * @param given headers of all files in place of the page's own
 */
export async function startStudio(given?: Readonly<Record<string, string>>): Promise<Studio> {
  const built = await sharedFolder("studio", async (outDir) => {
    await build({ root: ROOT, logLevel: "error", build: { outDir, emptyOutDir: true } });
  });
  const folder = await mkdtemp(join(tmpdir(), "sconce-studio-"));
  await cp(built, folder, { recursive: true });
  const asked: string[] = [];
  const errors: string[] = [];
  const server = createServer(async ({ url, headers }, response) => {
    const { pathname } = new URL(url ?? "/", "http://localhost");
    asked.push(pathname);
    const file = join(folder, pathname === "/" ? "index.html" : pathname);
    const bytes = await readFile(file).catch(() => undefined);
    const isStrict = headers.host?.startsWith("localhost") === true;
    const type = TYPES[extname(file)] ?? "application/octet-stream";
    const own = given ?? (isStrict ? PAGE_HEADERS : pageHeaders(pathname));
    const name = "Content-Security-Policy";
    const policy = own[name]!.replace("connect-src 'self'", `connect-src 'self' ${studio.allowed}`);
    const sent = { ...own, [name]: policy, "Content-Type": type };
    response.writeHead(bytes === undefined ? 404 : 200, sent).end(bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ["--no-sandbox", "--disable-gpu"],
  });
  const address = `http://127.0.0.1:${port}/`;
  const strictAddress = `http://localhost:${port}/`;
  const studio: Studio = {
    allowed: "",
    address,
    strictAddress,
    folder,
    errors,
    asked,
    async open(hash = "", { isStrict = false, ...options } = {}) {
      const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, ...options });
      page.setDefaultTimeout(20_000);
      page.on("pageerror", ({ message }) => errors.push(message));
      page.on("console", (message) => {
        if (message.type() === "error") errors.push(message.text());
      });
      await page.goto(`${isStrict ? strictAddress : address}${hash}`);
      return page;
    },
    async end() {
      await browser.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
  return studio;
}

declare global {
  interface Window {
    readonly axe: typeof Axe;
  }
}

const axe = hasChromium
  ? readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")
  : "";

/** Returns what axe finds wrong in a view. */
export async function axeProblems(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const found = await page.evaluate(() => window.axe.run());
  return found.violations.map(({ id, nodes }) => `${id} at ${nodes.map(({ html }) => html).join(" ")}`);
}
