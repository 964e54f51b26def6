/** @file Where the files of a module come from: bytes, responses, addresses. */
import { ModelError } from "./error.js";

/** What a file may be given as. */
export type Source = string | URL | Response | ArrayBuffer | ArrayBufferView;

/** How files are fetched. */
export interface FetchOptions {
  readonly fetch?: ((url: string | URL, init?: RequestInit) => Promise<Response>) | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** How far loading is. */
export interface Progress {
  /** The file that is being loaded. */
  readonly file: "wasm" | "weights";
  /** Bytes that are there. */
  readonly loaded: number;
  /** Bytes in all; undefined where a server does not say. */
  readonly total: number | undefined;
}

/** Parts of a file, and its bytes in all where they are known. */
interface Parts {
  readonly total: number | undefined;
  readonly parts: AsyncIterable<Uint8Array>;
}

interface Files {
  open(url: URL): Promise<{
    stat(): Promise<{ readonly size: number }>;
    read(buffer: Uint8Array): Promise<{ readonly bytesRead: number }>;
    close(): Promise<void>;
  }>;
}
/** Bytes that are read from a local file at once. */
const PART = 2 ** 20;

/** Node, Deno and Bun read files by an address; pages have no such function. */
function localFiles(): Files | undefined {
  const { process } = globalThis as { readonly process?: { getBuiltinModule?(name: string): unknown } };
  return process?.getBuiltinModule?.("node:fs/promises") as Files | undefined;
}

/**
 * Gives the bytes of a file in parts, in order.
 *
 * @throws ModelError `FILE` where it cannot be read
 */
export async function readParts(
  source: Source,
  file: Progress["file"],
  options: FetchOptions,
  take: (bytes: Uint8Array) => void,
): Promise<void> {
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) {
    take(
      ArrayBuffer.isView(source)
        ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
        : new Uint8Array(source),
    );
    return;
  }
  const { total, parts } = await partsOf(source, options);
  let loaded = 0;
  for await (const part of parts) {
    options.signal?.throwIfAborted();
    take(part);
    loaded += part.length;
    options.onProgress?.({ file, loaded, total });
  }
}

async function partsOf(source: string | URL | Response, options: FetchOptions): Promise<Parts> {
  if (typeof Response === "function" && source instanceof Response) return partsOfResponse(source);
  const url = typeof source === "string" ? source : (source as URL).href;
  const local = url.startsWith("file:") && options.fetch === undefined ? localFiles() : undefined;
  if (local !== undefined) return localParts(local, url);
  const { fetch: get = fetch, signal } = options;
  return partsOfResponse(await get(source as string | URL, signal === undefined ? {} : { signal }));
}

async function localParts(files: Files, url: string): Promise<Parts> {
  const tried = <T>(promise: Promise<T>): Promise<T> =>
    promise.catch((cause: unknown) => {
      throw new ModelError("FILE", `${url} cannot be read`, cause);
    });
  const file = await tried(files.open(new URL(url)));
  async function* parts(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const buffer = new Uint8Array(PART);
        const { bytesRead } = await tried(file.read(buffer));
        if (bytesRead === 0) return;
        yield buffer.subarray(0, bytesRead);
      }
    } finally {
      await file.close();
    }
  }
  return { total: (await tried(file.stat())).size, parts: parts() };
}

function partsOfResponse(response: Response): Parts {
  const { ok, url, status, statusText, headers, body } = response;
  if (!ok) throw new ModelError("FILE", `${url} answers ${status} ${statusText}`);
  const length = Number(headers.get("content-length") ?? Number.NaN);
  async function* parts(): AsyncGenerator<Uint8Array> {
    if (body === null) {
      yield new Uint8Array(await response.arrayBuffer());
      return;
    }
    const reader = body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  }
  const isPacked = headers.has("content-encoding");
  return { total: Number.isFinite(length) && !isPacked ? length : undefined, parts: parts() };
}
