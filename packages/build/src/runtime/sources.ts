/** @file Where the files of a module come from: bytes, responses, addresses. */
import { ModelError } from "./error.js";
import { nodePart } from "./node-parts.js";

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
  readonly parts: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** Reads files by an address; pages have no such function. */
interface Files {
  readFile(url: URL, options: { readonly signal?: AbortSignal | undefined }): Promise<Uint8Array>;
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
  const { fetch: get, signal } = options;
  const local = url.startsWith("file:") && get === undefined ? nodePart("node:fs/promises") : undefined;
  if (local === undefined)
    return partsOfResponse(
      await (get ?? fetch)(source as string | URL, signal === undefined ? {} : { signal }),
    );
  try {
    const bytes = await (local as Files).readFile(new URL(url), { signal });
    return { total: bytes.length, parts: [bytes] };
  } catch (cause) {
    signal?.throwIfAborted();
    throw new ModelError("FILE", `${url} cannot be read`, cause);
  }
}

function partsOfResponse({ ok, url, status, statusText, headers, body }: Response): Parts {
  if (!ok) throw new ModelError("FILE", `${url} answers ${status} ${statusText}`);
  const length = headers.get("content-encoding") === null && headers.get("content-length");
  async function* parts(): AsyncGenerator<Uint8Array> {
    const reader = body?.getReader();
    try {
      for (;;) {
        const { done, value } = (await reader?.read()) ?? { done: true };
        if (done) return;
        yield value!;
      }
    } finally {
      // What is not read is not loaded.
      reader?.cancel().catch(() => {});
    }
  }
  return { total: length ? Number(length) : undefined, parts: parts() };
}
