/** @file Shows a program in a browser: from a server on this machine, or as one page. */
import { spawn } from "node:child_process";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { basename } from "node:path";
import { writeFiles } from "@sconce/formats/files";
import { save } from "@sconce/session";
import { Engine } from "@sconce/studio";
import { newerPageSource, type PageFile, pageFiles, pageHeaders, singlePage } from "@sconce/studio/page";
import { usage } from "../errors.js";
import { readBytes, STANDARD } from "../input-file.js";
import type { SafeIo } from "../io.js";
import { commandModel } from "../limits.js";
import { atFile, formatOf, openProgram } from "../open.js";
import { openSession } from "../session.js";
import { pageTooLarge } from "./errors.js";

export interface ViewOptions {
  readonly output?: string;
  readonly passes?: string;
  readonly connect?: readonly string[];
  readonly port?: string;
  readonly open: boolean;
}

/** Bytes of a file up to which a page can hold it. */
const MOST_IN_PAGE = 64 * 2 ** 20;

/** Serves the page until the process ends, or writes it. */
export async function view(file: string, options: ViewOptions, io: SafeIo): Promise<void> {
  const connect = serversOf(options.connect);
  await atFile(file, () => formatOf(file));
  const bytes = await bytesOf(file, io);
  const name = file === STANDARD ? "program.pt2" : basename(file);
  if (options.output !== undefined && bytes.byteLength > MOST_IN_PAGE)
    throw pageTooLarge(file, bytes.byteLength, MOST_IN_PAGE);
  // The page would report the same error, after this command has reported success.
  await atFile(file, () => new Engine().open(new Blob([new Uint8Array(bytes)]), name, {}));
  if (options.output !== undefined) {
    const text = await singlePage({ name, bytes, passes: options.passes, connect });
    await warnOfOldPage("single", io);
    if (options.output === STANDARD) io.exact(text);
    else await writeFiles([[options.output, text]]);
    if (options.output !== STANDARD) io.summary(`${options.output}: ${name} in a page\n`);
    return;
  }
  const served = await servePage({ name, bytes }, portOf(options.port), connect);
  await warnOfOldPage("served", io);
  const passes = options.passes === undefined ? "" : `/${encodeURIComponent(options.passes)}/9999`;
  const address = `${served.address}#/${encodeURIComponent(`files/${encodeURIComponent(name)}`)}${passes}`;
  io.out(`${address}\n`);
  io.summary("The page is served until this command ends: press Ctrl-C.\n");
  if (options.open) openBrowser(address);
  await served.closed;
}

/**
 * Returns the bytes that the page opens: those of the file, or an archive of the program that was
 * chosen.
 */
async function bytesOf(file: string, io: SafeIo): Promise<Uint8Array> {
  if (commandModel() === undefined) return readBytes(file);
  const session = await openSession(io, [], undefined, [file]);
  return save(await openProgram(file, session), { operators: session.operators });
}

/** Warns in a clone where the page was built before its sources changed. */
async function warnOfOldPage(kind: "served" | "single", io: SafeIo): Promise<void> {
  const source = await newerPageSource(kind);
  if (source === undefined) return;
  io.warn(
    `the page is older than packages/${source}, and may not show its state: ` +
      "run `npm run bundle -w @sconce/studio` in the clone",
  );
}

/** @throws SconceError `USAGE` for an address that is not a server */
function serversOf(given: readonly string[] = []): string[] {
  return given.map((text) => {
    const { protocol, pathname, search, hash, origin } = URL.canParse(text) ? new URL(text) : ({} as URL);
    if (/^https?:$/.test(protocol) && `${pathname}${search}${hash}` === "/") return origin;
    throw usage(
      `--connect: ${JSON.stringify(text)} is not the address of a server`,
      "give a scheme and a host without a path, for example https://example.org",
    );
  });
}

/** @throws SconceError `USAGE` */
function portOf(text: string | undefined): number {
  if (text === undefined) return 0;
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw usage(`--port: ${JSON.stringify(text)} is not a port`, "give a number from 1 to 65535");
}

interface Served {
  readonly address: string;
  readonly closed: Promise<void>;
  close(): void;
}

/**
 * Serves the page and one program, to this machine alone.
 *
 * @param connect servers that the page may read other programs from
 */
export async function servePage(
  program: { readonly name: string; readonly bytes: Uint8Array },
  port: number,
  connect: readonly string[] = [],
): Promise<Served> {
  const files = new Map<string, PageFile>(await pageFiles());
  const own = { type: "application/octet-stream", read: () => Promise.resolve(program.bytes) };
  files.set(`/files/${program.name}`, own);
  const server = createServer((request, response) => {
    const file = fileOf(files, request.url);
    // A page of another server that resolves to this machine may not read the program.
    const isLocal = /^(127\.0\.0\.1|localhost)(:\d+)?$/.test(request.headers.host ?? "");
    if (file === undefined || !isLocal || request.method !== "GET") {
      response.writeHead(isLocal ? 404 : 403).end();
      return;
    }
    void file.read().then(
      (bytes) => {
        const headers = pageHeaders(request.url ?? "", connect);
        response.writeHead(200, { ...headers, "Content-Type": file.type }).end(bytes);
      },
      () => response.writeHead(500).end(),
    );
  });
  const closed = new Promise<void>((resolve) => server.on("close", resolve));
  await listening(server, port);
  const { port: used } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${used}/`,
    closed,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function fileOf(files: ReadonlyMap<string, PageFile>, url = "/"): PageFile | undefined {
  try {
    const path = decodeURIComponent(new URL(url, "http://localhost").pathname);
    return files.get(path === "/" ? "/index.html" : path);
  } catch {
    // An address that cannot be read names no file.
    return undefined;
  }
}

/** @throws SconceError `USAGE` for a port that is taken */
function listening(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", ({ message }) =>
      reject(usage(`the page cannot be served: ${message}`, "choose another --port, or leave it out")),
    );
    server.listen(port, "127.0.0.1", resolve);
  });
}

/** Starts the browser of the user; where there is none, the address was printed. */
function openBrowser(address: string): void {
  const [command, ...args] =
    process.platform === "darwin"
      ? ["open", address]
      : process.platform === "win32"
        ? ["cmd", "/c", "start", "", address.replaceAll("&", "^&")]
        : ["xdg-open", address];
  const child = spawn(command!, args, { stdio: "ignore", detached: true });
  child.on("error", () => {});
  child.unref();
}
