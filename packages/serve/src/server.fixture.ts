/** @file A server of the tests, and a client of the protocol. */
import { afterAll } from "vitest";
import { session } from "./programs.fixture.js";
import { type ModelServer, serve } from "./serve.js";
import type { ServedProgram, ServeEvent, ServeOptions } from "./settings/options.js";

/** A server with what it reported. */
export interface TestServer extends ModelServer {
  readonly events: readonly ServeEvent[];
  get(path: string): Promise<Answer>;
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
}

/** An answer. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  /** The JSON object; undefined where there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it
  readonly json: any;
}

const running: ModelServer[] = [];
afterAll(async () => {
  await Promise.all(running.map((server) => server.close()));
});

/** Starts a server on a free port; it ends with the tests of the file. */
export async function startServer(
  programs: readonly ServedProgram[],
  options: ServeOptions = {},
): Promise<TestServer> {
  const events: ServeEvent[] = [];
  const server = await serve(programs, {
    port: 0,
    backend: "cpu",
    session,
    ...options,
    onEvent: (event) => events.push(event),
  });
  running.push(server);
  const post = async (
    path: string,
    body: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> => {
    const isBytes = body instanceof Uint8Array;
    const text = isBytes || typeof body === "string" ? body : JSON.stringify(body);
    const type = isBytes ? "application/octet-stream" : "application/json";
    return answerOf(
      await fetch(server.address + path, {
        method: "POST",
        headers: { "content-type": type, ...headers },
        body: text as string,
      }),
    );
  };
  return { ...server, events, post, get: async (path) => answerOf(await fetch(server.address + path)) };
}

async function answerOf(response: Response): Promise<Answer> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  const length = Number(response.headers.get("inference-header-content-length") ?? bytes.length);
  const text = new TextDecoder().decode(bytes.subarray(0, length));
  const isJson = text.startsWith("{");
  return {
    status: response.status,
    headers: response.headers,
    bytes,
    json: isJson ? JSON.parse(text) : undefined,
  };
}

/** Returns a JSON object with the bytes of tensors behind it, and the header with its length. */
export function binary(
  fields: unknown,
  ...tensors: readonly Uint8Array[]
): [Uint8Array, Readonly<Record<string, string>>] {
  const head = Buffer.from(JSON.stringify(fields));
  return [Buffer.concat([head, ...tensors]), { "inference-header-content-length": String(head.length) }];
}

/** Returns the bytes of a typed array. */
export const bytesOf = (array: ArrayBufferView): Uint8Array =>
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
