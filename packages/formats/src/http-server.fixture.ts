/** @file A server of one file on this machine, for tests of reading over HTTP. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What a server does with a request; it may change while the server runs. */
export type Behavior = (request: IncomingMessage, response: ServerResponse, served: Served) => void;

/** A running server, and what it has seen. */
export interface Served {
  bytes: Uint8Array;
  etag: string | undefined;
  behavior: Behavior;
  readonly url: string;
  /** Requests so far, by their `Range`. */
  readonly requests: (string | undefined)[];
  /** Bytes of bodies that were written. */
  sent: number;
  /** Most requests at once. */
  most: number;
  close(): Promise<void>;
}

/** Returns the range of a request, as the first byte and the one behind the last. */
export function rangeOf({ headers: { range } }: IncomingMessage, size: number): [number, number] | undefined {
  const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(range ?? "") ?? [];
  return start === undefined ? undefined : [Number(start), Math.min(Number(end) + 1, size)];
}

/** Serves ranges as HTTP says. */
export const withRanges: Behavior = (request, response, served) => {
  const { bytes, etag } = served;
  const range = rangeOf(request, bytes.length);
  if (etag !== undefined) response.setHeader("etag", etag);
  if (range === undefined) return whole(request, response, served);
  if (range[0] >= bytes.length) {
    response.writeHead(416, { "content-range": `bytes */${bytes.length}` }).end();
    return;
  }
  const body = bytes.subarray(...range);
  const header = `bytes ${range[0]}-${range[1] - 1}/${bytes.length}`;
  response.writeHead(206, { "content-range": header, "content-length": body.length });
  send(response, body, served);
};

/** Serves the whole file, whatever is asked for. */
export const whole: Behavior = (_request, response, served) => {
  response.writeHead(200, { "content-length": served.bytes.length });
  send(response, served.bytes, served);
};

/** Writes a body and counts it. */
export function send(response: ServerResponse, body: Uint8Array, served: Served): void {
  served.sent += body.length;
  response.end(body);
}

/** Starts a server on a free port of 127.0.0.1. */
export async function serve(bytes: Uint8Array, behavior: Behavior = withRanges): Promise<Served> {
  let active = 0;
  const server = createServer((request, response) => {
    served.requests.push(request.headers.range);
    active++;
    served.most = Math.max(served.most, active);
    response.on("close", () => active--);
    // Later, so that requests that are under way at once are seen.
    setTimeout(() => served.behavior(request, response, served), 1);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const served: Served = {
    bytes,
    etag: '"one"',
    behavior,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/model.pt2`,
    requests: [],
    sent: 0,
    most: 0,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return served;
}
