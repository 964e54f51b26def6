/** @file Opens a page in a headless browser, and returns what it shows when it is done. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";

/** A browser where Debian's package has it. */
export interface Browser {
  readonly name: string;
  readonly path: string;
  readonly isInstalled: boolean;
  readonly args: (profile: string) => readonly string[];
}

const browser = (name: string, path: string, args: Browser["args"]): Browser => ({
  name,
  path,
  isInstalled: existsSync(path),
  args,
});
export const BROWSERS: readonly Browser[] = [
  browser("Chromium", "/usr/bin/chromium", (profile) => [
    ...["--headless", "--no-sandbox", "--no-first-run", "--disable-gpu", "--disable-sync"],
    ...["--disable-background-networking", "--remote-debugging-port=0", `--user-data-dir=${profile}`],
  ]),
  browser("Firefox", "/usr/bin/firefox-esr", (profile) => [
    ...["--headless", "--no-remote", "--new-instance", "--profile", profile],
  ]),
];

/** A page around the tested one, which has no policy: it reports what that shows. */
const WATCHER = `
const frame = document.querySelector("iframe");
frame.addEventListener("load", () => {
  const page = frame.contentDocument;
  const look = () => {
    if (page.documentElement.dataset.state !== "done") return;
    clearInterval(timer);
    fetch("/seen", { method: "POST", body: page.querySelector("output").textContent });
  };
  const timer = setInterval(look, 20);
});
frame.src = "/index.html";
`;

const SCRIPT = "text/javascript";
const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": SCRIPT,
  ".mjs": SCRIPT,
  ".wasm": "application/wasm",
};

/**
 * Opens `index.html` of a folder, which is served with a content policy. Returns the text of its
 * `output` once it is done.
 */
export async function openPage(folder: string, policy: string, { path, args }: Browser): Promise<string> {
  const profile = await mkdtemp(join(tmpdir(), "sconce-browser-"));
  let report: (shown: string) => void = () => {};
  const seen = new Promise<string>((resolve) => {
    report = resolve;
  });
  const server = createServer((request, response) => answer(request, response, folder, policy, report));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/watch.html`;
  const child = spawn(path, [...args(profile), address], { stdio: "ignore", detached: true });
  const ended = new Promise<never>((_, reject) => {
    child.on("error", reject);
    child.on("exit", (code) => reject(new Error(`${path} ended with code ${code}`)));
  });
  try {
    return await Promise.race([seen, ended]);
  } finally {
    await stop(child);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  folder: string,
  policy: string,
  report: (shown: string) => void,
): Promise<void> {
  const { pathname } = new URL(request.url ?? "/", "http://localhost");
  if (pathname === "/seen") {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    response.end();
    report(Buffer.concat(parts).toString());
    return;
  }
  const own: Readonly<Record<string, string>> = {
    "/watch.html": '<!doctype html><iframe></iframe><script type="module" src="/watch.js"></script>',
    "/watch.js": WATCHER,
  };
  const bytes = own[pathname] ?? (await readFile(join(folder, pathname)).catch(() => undefined));
  response.writeHead(bytes === undefined ? 404 : 200, {
    "Content-Type": TYPES[extname(pathname)] ?? "application/octet-stream",
    ...(own[pathname] === undefined && { "Content-Security-Policy": policy }),
  });
  response.end(bytes);
}

/** Ends a browser with the processes that it started. */
async function stop(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  process.kill(-child.pid, "SIGKILL");
  await ended;
}
