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

/** Returns bytes without a copy of what is bytes already. */
const asBytes = (source: ArrayBuffer | ArrayBufferView): Uint8Array<ArrayBuffer> =>
  ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer as ArrayBuffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source);

interface Files {
  readFile(
    url: URL,
    options: { readonly signal?: AbortSignal | undefined },
  ): Promise<Uint8Array<ArrayBuffer>>;
}

/** Node, Deno and Bun read files by an address; pages have no such function. */
function localFiles(): Files | undefined {
  const { process } = globalThis as { readonly process?: { getBuiltinModule?(name: string): unknown } };
  return process?.getBuiltinModule?.("node:fs/promises") as Files | undefined;
}

/** Returns the bytes of a file. @throws ModelError `FILE` where it cannot be read */
export async function bytesFrom(
  source: Source,
  file: Progress["file"],
  options: FetchOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  const { signal, onProgress } = options;
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return asBytes(source);
  if (typeof Response === "function" && source instanceof Response)
    return bytesOfResponse(source, file, onProgress);
  const url = typeof source === "string" ? source : (source as URL).href;
  const local = url.startsWith("file:") && options.fetch === undefined ? localFiles() : undefined;
  if (local !== undefined) {
    try {
      const bytes = await local.readFile(new URL(url), { signal });
      onProgress?.({ file, loaded: bytes.length, total: bytes.length });
      return asBytes(bytes);
    } catch (cause) {
      if (signal?.aborted === true) throw signal.reason;
      throw new ModelError("FILE", `${url} cannot be read`, cause);
    }
  }
  const get = options.fetch ?? fetch;
  const response = await get(source as string | URL, signal === undefined ? {} : { signal });
  return bytesOfResponse(response, file, onProgress);
}

async function bytesOfResponse(
  response: Response,
  file: Progress["file"],
  onProgress: FetchOptions["onProgress"],
): Promise<Uint8Array<ArrayBuffer>> {
  if (!response.ok)
    throw new ModelError("FILE", `${response.url} answers ${response.status} ${response.statusText}`);
  if (onProgress === undefined || response.body === null) return new Uint8Array(await response.arrayBuffer());
  const length = Number(response.headers.get("content-length") ?? Number.NaN);
  const isPacked = response.headers.has("content-encoding");
  const total = Number.isFinite(length) && !isPacked ? length : undefined;
  const parts: Uint8Array[] = [];
  let loaded = 0;
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    loaded += value.length;
    onProgress({ file, loaded, total });
  }
  const bytes = new Uint8Array(loaded);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
