/// <reference types="node" />
/** @file The built page, for servers in Node and for pages that hold their program. */
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { markupText, scriptString } from "@sconce/errors";
import { notBuilt } from "./errors.js";
import { newerSource } from "./page-age-node.js";

const FOLDER = fileURLToPath(new URL("../dist/bundle", import.meta.url));

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  pt2: "application/octet-stream",
};

/** A file of the page. */
export interface PageFile {
  /** The type, for the header `Content-Type`. */
  readonly type: string;
  /** Reads it. */
  read(): Promise<Uint8Array>;
}

/** Headers under which the page works, with threads of WebAssembly and no other server. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; " +
    "img-src 'self' data:; connect-src 'self'; worker-src 'self'",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
};

/** The header with the policy. */
const POLICY = "Content-Security-Policy";

/**
 * Headers of one file. The worker of the playground runs scripts that the user writes: it has
 * another policy, which lets it ask for nothing else.
 *
 * @param connect other servers that the page may read programs from: `https://example.org`
 */
export function pageHeaders(path: string, connect: readonly string[] = []): Readonly<Record<string, string>> {
  if (/\/playground-worker-[^/]*\.js$/.test(path)) {
    const policy = "default-src 'none'; script-src 'self' blob: 'wasm-unsafe-eval'";
    return { ...PAGE_HEADERS, [POLICY]: policy };
  }
  const policy = PAGE_HEADERS[POLICY]!.replace(
    "connect-src 'self'",
    ["connect-src 'self'", ...connect].join(" "),
  );
  return { ...PAGE_HEADERS, [POLICY]: policy };
}

/**
 * Returns the newest source that is newer than the built page, by its path in `packages`: the page
 * then shows an older state. Undefined where it is up to date, and outside of a clone.
 *
 * @param kind the page on a server, or the page in one file
 */
export const newerPageSource = (kind: "served" | "single"): Promise<string | undefined> =>
  newerSource(kind === "served" ? "index.html" : "single/single.js");

/**
 * Returns the files of the page by their path on a server: `/index.html`, `/assets/...`.
 * @throws SconceError `STUDIO_PAGE` where the page is not built
 */
export async function pageFiles(): Promise<ReadonlyMap<string, PageFile>> {
  const entries = await readdir(FOLDER, { recursive: true, withFileTypes: true }).catch(() => {
    throw notBuilt();
  });
  const files = new Map<string, PageFile>();
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const place = path.slice(FOLDER.length).split(sep).join("/");
    const type = TYPES[place.slice(place.lastIndexOf(".") + 1)] ?? "application/octet-stream";
    files.set(place, { type, read: () => readFile(path) });
  }
  if (!files.has("/index.html")) throw notBuilt();
  return files;
}

/** A program that is put into a page. */
export interface PageProgram {
  /** The name that the page shows. */
  readonly name: string;
  /** The archive, or IR text. */
  readonly bytes: Uint8Array;
  /** A pipeline that the page runs at first. */
  readonly passes?: string | undefined;
  /** Servers that the page may read other programs from: `https://example.org`. */
  readonly connect?: readonly string[] | undefined;
}

/**
 * One page with a program and everything that shows it. It works from a file, without a server. Its
 * policy allows its own script, and requests to the servers that are named.
 * @throws SconceError `STUDIO_PAGE` where the page is not built
 */
export async function singlePage({ name, bytes, passes = "", connect = [] }: PageProgram): Promise<string> {
  const read = (file: string): Promise<string> =>
    readFile(join(FOLDER, "single", file), "utf8").catch(() => {
      throw notBuilt();
    });
  // An end tag within a string would end the script.
  const script = (await read("single.js")).replaceAll("</script", "<\\/script");
  const style = await read("single.css");
  const hash = (text: string): string => createHash("sha256").update(text).digest("base64");
  const policy =
    `default-src 'none'; script-src 'sha256-${hash(script)}' 'wasm-unsafe-eval'; ` +
    "style-src 'unsafe-inline'; img-src data:" +
    (connect.length === 0 ? "" : `; connect-src ${connect.join(" ")}`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${markupText(name)}</title>
<style>${style}</style>
</head>
<body>
<div id="app"></div>
<script type="text/plain" id="program" data-name="${attribute(name)}" data-passes="${attribute(passes)}">${Buffer.from(bytes).toString("base64")}</script>
<script type="module">${script}</script>
</body>
</html>
`;
}

/** Returns a text that scripts of the page read from an attribute, exactly. */
const attribute = (text: string): string => markupText(scriptString(text));
