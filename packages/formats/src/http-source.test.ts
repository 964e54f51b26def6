import { programText } from "@sconce/ir";
import { loadValues } from "@sconce/ir/load-values";
import { afterEach, describe, expect, test } from "vitest";
import {
  type Behavior,
  rangeOf,
  type Served,
  send,
  serve,
  whole,
  withRanges,
} from "./http-server.fixture.js";
import { openUrl } from "./open-url.js";
import { makeLargePt2, makePt2 } from "./pt2/pt2.fixture.js";
import { readPt2 } from "./pt2/read.js";

let served: Served | undefined;
afterEach(() => served?.close());
const start = async (bytes: Uint8Array, behavior?: Behavior): Promise<Served> => {
  served = await serve(bytes, behavior);
  return served;
};

/** Answers the first request as it should be, and the later ones otherwise. */
const later = (behavior: Behavior): Behavior => {
  let isFirst = true;
  return (request, response, server) => {
    (isFirst ? withRanges : behavior)(request, response, server);
    isFirst = false;
  };
};

describe("a program on a server", () => {
  test("of 50 MB is viewed with less than 2 % of its bytes; a tensor takes only its entry", async () => {
    const bytes = makeLargePt2(6_553_600);
    const server = await start(bytes);
    const program = await readPt2(new URL(server.url), { weights: "lazy" });
    expect(programText(program)).toContain("torch.ops.aten.mul.Tensor");
    expect(server.sent).toBeLessThan(bytes.length * 0.02);
    const before = server.sent;
    const v = await program.tensor("v")!.load();
    expect([v.data[0], v.data[999]]).toEqual([(6_553_600 - 1) % 1000, (6_553_600 - 1000) % 1000]);
    // The header before it and the descriptor behind it lie in blocks of 64 KiB.
    expect(server.sent - before).toBeLessThan(v.storage.byteLength + 3 * 65536);
    expect(program.tensor("w")!.isLoaded).toBe(false);
    expect(server.most).toBeGreaterThan(1);
    expect(server.most).toBeLessThanOrEqual(4);
  });

  test.each(["lazy", "eager"] as const)("is read whole, %s [S-122]", async (weights) => {
    const bytes = makeLargePt2(300_000);
    const server = await start(bytes);
    const program = await readPt2(await openUrl(new URL(server.url)), { weights });
    await loadValues(program);
    const want = await readPt2(bytes);
    for (const name of ["w", "v"])
      expect(Buffer.compare(program.tensor(name)!.storage.bytes, want.tensor(name)!.storage.bytes)).toBe(0);
    expect(server.sent).toBeLessThan(bytes.length * 1.2);
  });

  test("small reads share requests, and those that follow each other read ahead", async () => {
    const bytes = new Uint8Array(4 * 2 ** 20).map((_, i) => i >> 8);
    const server = await start(bytes);
    const source = await openUrl(server.url);
    const pieces = await Promise.all([0, 1, 2, 3].map((i) => source.read(200_000 + 10 * i, 10)));
    expect(pieces.map((piece) => piece[0])).toEqual([0, 1, 2, 3].map((i) => bytes[200_000 + 10 * i]));
    expect(server.requests).toHaveLength(2);
    for (let at = 0; at < bytes.length; at += 1000)
      expect(Buffer.compare(await source.read(at, 1000), bytes.subarray(at, at + 1000))).toBe(0);
    expect(server.requests.length).toBeLessThan(12);
    expect(server.sent).toBeLessThan(bytes.length + 10 * 65536);
    expect(await source.read(bytes.length, 5)).toHaveLength(0);
  });

  test("headers and an own fetch are used", async () => {
    const seen: unknown[] = [];
    const server = await start(makePt2(), (request, response, one) => {
      seen.push(request.headers.authorization, request.headers.range);
      withRanges(request, response, one);
    });
    const urls: unknown[] = [];
    await openUrl(server.url, {
      headers: { Authorization: "Bearer key", Range: "bytes=9-10" },
      fetch: (url, init) => {
        urls.push(String(url));
        return fetch(url, init);
      },
    });
    expect([seen, urls]).toEqual([["Bearer key", "bytes=0-65535"], [server.url]]);
  });

  test("redirects are followed, each time", async () => {
    const bytes = makeLargePt2(30_000);
    const server = await start(bytes, (request, response, one) => {
      if (request.url === "/model.pt2") response.writeHead(302, { location: "/other" }).end();
      else withRanges(request, response, one);
    });
    const program = await readPt2(await openUrl(server.url), { weights: "lazy" });
    expect((await program.tensor("w")!.load()).data[1]).toBe(1);
  });
});

describe("a server without ranges", () => {
  test("sends the whole file once, or is refused", async () => {
    const server = await start(makePt2(), whole);
    const program = await readPt2(await openUrl(server.url), { weights: "lazy" });
    expect((await program.tensor("w")!.load()).toArray()).toEqual([1, 2, 3]);
    expect(server.requests).toHaveLength(1);
    await expect(openUrl(server.url, { withoutRanges: "refuse" })).rejects.toMatchObject({
      code: "HTTP_RANGE",
      where: server.url,
    });
    await expect(openUrl(server.url, { limits: { maxStreamBytes: 100 } })).rejects.toMatchObject({
      code: "SOURCE_TOO_LARGE",
    });
  });

  test("may leave out its length, and send more than the limit", async () => {
    const server = await start(makePt2(), (_request, response, { bytes }) => {
      response.writeHead(200);
      response.write(bytes.subarray(0, 500));
      response.end(bytes.subarray(500));
    });
    expect((await readPt2(await openUrl(server.url))).graph.size).toBe(5);
    await expect(openUrl(server.url, { limits: { maxStreamBytes: 600 } })).rejects.toMatchObject({
      code: "SOURCE_TOO_LARGE",
    });
  });
});

const status =
  (code: number, headers: Record<string, string> = {}): Behavior =>
  (_request, response) =>
    void response.writeHead(code, headers).end("no");
/** Answers with another range than the one that was asked for. */
const shifted =
  (by: number, total = 0): Behavior =>
  (request, response, server) => {
    const [from, to] = rangeOf(request, server.bytes.length)!;
    const range = `bytes ${from + by}-${to - 1 + by}/${server.bytes.length + total}`;
    response.writeHead(206, { "content-range": range });
    send(response, server.bytes.subarray(from, to), server);
  };
/** Says the right range, and sends another number of bytes. */
const lying =
  (by: number): Behavior =>
  (request, response, server) => {
    const [from, to] = rangeOf(request, server.bytes.length)!;
    response.writeHead(206, { "content-range": `bytes ${from}-${to - 1}/${server.bytes.length}` });
    send(response, new Uint8Array(to - from + by), server);
  };
const withEtag =
  (etag: string | undefined): Behavior =>
  (request, response, server) => {
    server.etag = etag;
    withRanges(request, response, server);
  };

describe("what a server does wrong is a typed error", () => {
  test.each<[what: string, code: string, behavior: Behavior]>([
    ["not found", "HTTP_STATUS", status(404)],
    ["not allowed", "HTTP_STATUS", status(403)],
    ["broken", "HTTP_STATUS", status(500)],
    ["an unexpected success", "HTTP_STATUS", status(204)],
    ["a range without Content-Range", "HTTP_RANGE", status(206)],
    ["several ranges", "HTTP_RANGE", status(206, { "content-type": "multipart/byteranges; boundary=x" })],
    ["a range of unknown size", "HTTP_RANGE", status(206, { "content-range": "bytes 0-1/*" })],
    [
      "a compressed range",
      "HTTP_RANGE",
      status(206, { "content-range": "bytes 0-1/2", "content-encoding": "br" }),
    ],
    ["another range", "HTTP_RANGE", shifted(1)],
    ["a larger file than it says", "HTTP_RANGE", lying(1)],
    ["a shorter body than it says", "SOURCE_CHANGED", lying(-1)],
    ["a connection that ends", "SOURCE_FAILED", (request) => void request.socket.destroy()],
    ["a loop of redirects", "SOURCE_FAILED", status(302, { location: "/model.pt2" })],
  ])("at first: %s", async (_what, code, behavior) => {
    const server = await start(makeLargePt2(30_000), behavior);
    await expect(openUrl(`${server.url}?key=secret`)).rejects.toMatchObject({
      code,
      where: expect.stringContaining(server.url) as string,
      fix: expect.any(String) as string,
    });
    await expect(openUrl(`${server.url}?key=secret`)).rejects.not.toThrow("secret");
  });

  test.each<[what: string, code: string, behavior: Behavior]>([
    ["not found", "HTTP_STATUS", status(404)],
    ["another ETag", "SOURCE_CHANGED", withEtag('"two"')],
    ["no ETag", "SOURCE_CHANGED", withEtag(undefined)],
    ["another size", "SOURCE_CHANGED", shifted(0, 1)],
    ["a file that became short", "SOURCE_CHANGED", status(416, { "content-range": "bytes */5" })],
    ["a range that it cannot serve", "HTTP_STATUS", status(416)],
    [
      "the whole file",
      "HTTP_RANGE",
      (request, response, one) => {
        response.setHeader("etag", '"one"');
        whole(request, response, one);
      },
    ],
    ["a connection that ends", "SOURCE_FAILED", (request) => void request.socket.destroy()],
    [
      "a body that ends",
      "SOURCE_FAILED",
      (request, response, one) => {
        const [from, to] = rangeOf(request, one.bytes.length)!;
        const header = `bytes ${from}-${to - 1}/${one.bytes.length}`;
        response.writeHead(206, { "content-range": header, "content-length": to - from, etag: '"one"' });
        response.write(one.bytes.subarray(from, from + 10));
        setTimeout(() => response.destroy(), 5);
      },
    ],
  ])("later: %s", async (_what, code, behavior) => {
    const server = await start(makeLargePt2(30_000), later(behavior));
    const source = await openUrl(server.url);
    await expect(readPt2(source, { weights: "lazy" })).rejects.toMatchObject({ code });
  });

  test("a file that changes between its graph and its weights", async () => {
    const server = await start(makeLargePt2(3_000_000));
    const program = await readPt2(await openUrl(server.url), { weights: "lazy" });
    server.etag = '"two"';
    await expect(program.tensor("w")!.load()).rejects.toMatchObject({ code: "SOURCE_CHANGED" });
    server.etag = '"one"';
    expect((await program.tensor("w")!.load()).data[1]).toBe(1);
  });

  test("a server that says it has more than it sends, or than there is memory", async () => {
    const claimed = 2 ** 52;
    const server = await start(new Uint8Array(100), (_request, response, one) => {
      response.writeHead(206, { "content-range": `bytes 0-65535/${claimed}` });
      send(response, new Uint8Array(65536), one);
    });
    const source = await openUrl(server.url);
    expect(source.size).toBe(claimed);
    await expect(source.read(10, 2 ** 51)).rejects.toMatchObject({ code: "HTTP_RANGE" });
    await expect(readPt2(source)).rejects.toMatchObject({ code: "HTTP_RANGE" });
  });

  test("an empty file, and a file that is none", async () => {
    const server = await start(new Uint8Array());
    await expect(readPt2(await openUrl(server.url))).rejects.toMatchObject({ code: "OTHER_FORMAT" });
    server.bytes = new TextEncoder().encode("<!doctype html><title>Sign in</title>");
    await expect(readPt2(await openUrl(server.url))).rejects.toMatchObject({ code: "OTHER_FORMAT" });
  });

  test("addresses that are none, and options that are none", async () => {
    for (const url of ["model.pt2", "file:///model.pt2"])
      await expect(openUrl(url)).rejects.toMatchObject({ code: "HTTP_URL" });
    await expect(openUrl("http://127.0.0.1:1/m.pt2")).rejects.toMatchObject({ code: "SOURCE_FAILED" });
    for (const options of [{ parallel: 0 }, { withoutRanges: "ask" as never }])
      await expect(openUrl("http://127.0.0.1:1/", options)).rejects.toMatchObject({ code: "OPTION_VALUE" });
  });
});

describe("stopping", () => {
  test("a server that sends nothing, at first and within a body", async () => {
    const server = await start(makeLargePt2(30_000), () => {});
    const limits = { stallMilliseconds: 20 };
    await expect(openUrl(server.url, { limits })).rejects.toMatchObject({ code: "SOURCE_STALLED" });
    server.behavior = (request, response, one) => {
      const [from, to] = rangeOf(request, one.bytes.length)!;
      response.writeHead(206, { "content-range": `bytes ${from}-${to - 1}/${one.bytes.length}` });
      response.write(one.bytes.subarray(from, from + 10));
    };
    await expect(openUrl(server.url, { limits })).rejects.toMatchObject({ code: "SOURCE_STALLED" });
  });

  test("a body of empty chunks", async () => {
    const headers = { "content-range": "bytes 0-65535/70000" };
    const body = () =>
      new ReadableStream<Uint8Array>({ pull: (controller) => controller.enqueue(new Uint8Array()) });
    const fetch = async () => new Response(body(), { status: 206, headers });
    const opening = openUrl("http://a.example/m.pt2", { fetch, limits: { stallMilliseconds: 20 } });
    await expect(opening).rejects.toMatchObject({ code: "SOURCE_STALLED" });
  });

  test("aborts the requests: of opening, of the graph, of weights", async () => {
    const never: Behavior = () => {};
    const server = await start(makeLargePt2(30_000), never);
    const signal = () => AbortSignal.timeout(20);
    await expect(openUrl(server.url, { signal: signal() })).rejects.toMatchObject({ code: "ABORTED" });
    server.behavior = withRanges;
    const source = await openUrl(server.url);
    server.behavior = never;
    await expect(readPt2(source, { signal: signal() })).rejects.toMatchObject({ code: "ABORTED" });
    server.behavior = withRanges;
    const program = await readPt2(source, { weights: "lazy" });
    server.behavior = never;
    await Promise.all(
      [loadValues(program, { signal: signal() }), program.tensor("w")!.load({ signal: signal() })].map(
        (loading) => expect(loading).rejects.toMatchObject({ code: "ABORTED" }),
      ),
    );
    server.behavior = withRanges;
    await loadValues(program);
    expect(program.tensor("w")!.data[1]).toBe(1);
  });
});
