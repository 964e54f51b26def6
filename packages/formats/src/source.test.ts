import { Budget } from "@sconce/errors";
import { type ExportedProgram, programText } from "@sconce/ir";
import { describe, expect, test, vi } from "vitest";
import { makePt2 } from "./pt2/pt2.fixture.js";
import { readPt2 } from "./pt2/read.js";
import type { ByteSource, RandomAccess } from "./source.js";

const bytes = makePt2();
const weightsOf = (program: ExportedProgram): readonly string[] =>
  [...program.stateDict].map(([name, tensor]) => `${name} ${String(tensor)}`);
const reading = (
  read: (offset: number, length: number) => unknown,
  size: unknown = bytes.length,
): ByteSource => ({ size, read }) as RandomAccess;
const never = new Promise<never>(() => {});
const stream = (start: (controller: ReadableStreamDefaultController<Uint8Array>) => void): ByteSource =>
  new ReadableStream<Uint8Array>({ start });
const detached = (): ArrayBuffer => {
  const buffer = bytes.slice().buffer;
  structuredClone(buffer, { transfer: [buffer] });
  return buffer;
};

const transferred = (): Uint8Array => {
  const view = bytes.slice();
  structuredClone(view.buffer, { transfer: [view.buffer] });
  return view;
};

test.each<[what: string, code: string, source: () => ByteSource]>([
  [
    "throws",
    "SOURCE_FAILED",
    () =>
      reading(() => {
        throw new Error("gone");
      }),
  ],
  [
    "throws a text",
    "SOURCE_FAILED",
    () =>
      reading(() => {
        throw "gone";
      }),
  ],
  ["rejects", "SOURCE_FAILED", () => reading(() => Promise.reject(new TypeError("gone")))],
  ["gives undefined", "SOURCE_FAILED", () => reading(() => undefined)],
  ["resolves to null", "SOURCE_FAILED", () => reading(() => Promise.resolve(null))],
  ["gives a text", "SOURCE_FAILED", () => reading(() => "PK")],
  ["gives an array buffer", "SOURCE_FAILED", () => reading(() => bytes.slice().buffer)],
  ["gives too few bytes", "SOURCE_CHANGED", () => reading((o, n) => bytes.slice(o, o + n - 1))],
  ["gives too many bytes", "SOURCE_CHANGED", () => reading(() => new Uint8Array(bytes.length + 1))],
  ["has a negative size", "SOURCE_FAILED", () => reading(() => bytes, -1)],
  ["has half a byte", "SOURCE_FAILED", () => reading(() => bytes, 1.5)],
  ["has no end", "SOURCE_FAILED", () => reading(() => bytes, Number.POSITIVE_INFINITY)],
  ["has a text as size", "SOURCE_TYPE", () => reading(() => bytes, "100")],
  [
    "has a size that throws",
    "SOURCE_FAILED",
    () => ({
      get size(): number {
        throw new Error("gone");
      },
      read: async () => bytes,
    }),
  ],
  ["is a view of a buffer that was transferred", "SOURCE_FAILED", transferred],
  ["stalls", "SOURCE_STALLED", () => reading(() => never)],
  ["is a stream that stalls", "SOURCE_STALLED", () => stream(() => {})],
  [
    "is a stream of empty chunks",
    "SOURCE_STALLED",
    () => new ReadableStream({ pull: (control) => control.enqueue(new Uint8Array(0)) }),
  ],
  [
    "is a stream that fails",
    "SOURCE_FAILED",
    () => stream((controller) => controller.error(new Error("gone"))),
  ],
  ["is a stream of texts", "SOURCE_TYPE", () => stream((c) => c.enqueue("PK" as unknown as Uint8Array))],
  [
    "is a stream that is locked",
    "SOURCE_FAILED",
    () => {
      const locked = new ReadableStream<Uint8Array>();
      locked.getReader();
      return locked;
    },
  ],
  ["is a buffer that was given away", "SOURCE_FAILED", detached],
])("a source that %s", async (_, code, source) => {
  const error = await readPt2(source(), { limits: { stallMilliseconds: 20 } }).catch((e: unknown) => e);
  expect(error).toMatchObject({ code, fix: expect.stringMatching(/\w/) });
});

test("a source that stalls is not asked again", async () => {
  let reads = 0;
  const stalled = reading(() => {
    reads++;
    return never;
  });
  const limits = { stallMilliseconds: 20 };
  await expect(readPt2(stalled, { limits })).rejects.toMatchObject({ code: "SOURCE_STALLED" });
  expect(reads).toBe(1);
});

test("the signal ends the wait for a source", async () => {
  const abort = new AbortController();
  const loading = readPt2(
    reading(() => never),
    { signal: abort.signal },
  );
  abort.abort(new Error("enough"));
  await expect(loading).rejects.toMatchObject({ code: "ABORTED", cause: { message: "enough" } });
});

test("what a source throws when the signal stops it is not a failure of the source", async () => {
  const abort = new AbortController();
  const source: RandomAccess = {
    size: bytes.length,
    read: (_offset, _length, signal) =>
      new Promise((_, reject) => {
        signal?.addEventListener("abort", () => reject(new Error("stopped")));
        setTimeout(() => abort.abort(new Error("enough")));
      }),
  };
  const loading = readPt2(source, { signal: abort.signal });
  await expect(loading).rejects.toMatchObject({ code: "ABORTED", cause: { message: "enough" } });
});

test("a source of Buffers gives tensors of plain bytes", async () => {
  const pool = Buffer.concat([Buffer.from("x"), bytes]);
  const program = await readPt2(reading((offset, length) => pool.subarray(1 + offset, 1 + offset + length)));
  expect(program.tensor("w")!.toArray()).toEqual([1, 2, 3]);
});

test("time that a source takes is not work", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  try {
    const budget = new Budget(bytes.length, { milliseconds: 200 });
    // The clock is read once in 4,096 steps: let it be read while the file is parsed.
    for (let i = 0; i < 4_000; i++) budget.spend("nodes", 0);
    const slow = reading(async (offset, length) => {
      await Promise.resolve();
      vi.setSystemTime(Date.now() + 1_000);
      return bytes.slice(offset, offset + length);
    });
    await expect(readPt2(slow, { budget })).resolves.toBeDefined();
  } finally {
    vi.useRealTimers();
  }
});

describe("sources of the platform", () => {
  const shared = (): Uint8Array => {
    const view = new Uint8Array(new SharedArrayBuffer(bytes.length + 3), 3);
    view.set(bytes);
    return view;
  };
  const whole = (): SharedArrayBuffer => {
    const buffer = new SharedArrayBuffer(bytes.length);
    new Uint8Array(buffer).set(bytes);
    return buffer;
  };

  test.each<[string, () => ByteSource]>([
    ["a Uint8ClampedArray", () => Uint8ClampedArray.from(bytes)],
    ["a DataView", () => new DataView(bytes.slice().buffer)],
    ["a SharedArrayBuffer", whole],
    ["a view of a SharedArrayBuffer", shared],
    ["a Response", () => new Response(bytes.slice())],
    ["a data: URL", () => new URL(`data:application/zip;base64,${Buffer.from(bytes).toString("base64")}`)],
    ["a blob: URL", () => new URL(URL.createObjectURL(new Blob([bytes.slice()])))],
  ])("%s", async (_, source) => {
    expect(programText(await readPt2(source()))).toBe(programText(await readPt2(bytes)));
  });

  test("shared memory may be written to after it was read", async () => {
    const view = shared();
    const program = await readPt2(view);
    view.fill(0xff);
    expect(weightsOf(program)).toEqual(weightsOf(await readPt2(bytes)));
  });

  test.each([
    ["an address", "a string", "https://example.org/m.pt2", "load(new URL(address))"],
    ["a path", "a string", "m.pt2", "openPt2File"],
    ["a promise", "a Promise", Promise.resolve(), "load(await fetch(url))"],
    ["a request", "a Request", new Request("https://example.org/"), "load(await fetch(request))"],
    ["a date", "a Date", new Date(), "a Response or a URL"],
  ])("%s is named", async (_, name, source, fix) => {
    await expect(readPt2(source as never)).rejects.toMatchObject({
      code: "SOURCE_TYPE",
      message: `a program cannot be read from ${name}`,
      fix: expect.stringContaining(fix),
    });
  });

  test("a response without the file", async () => {
    const read = new Response(bytes.slice());
    await read.arrayBuffer();
    await expect(readPt2(new Response("none", { status: 404 }))).rejects.toMatchObject({
      code: "HTTP_STATUS",
    });
    await expect(readPt2(read)).rejects.toMatchObject({ code: "SOURCE_FAILED" });
    await expect(readPt2(new Response())).rejects.toMatchObject({ code: "SOURCE_FAILED" });
    await expect(readPt2(new URL("file:///m.pt2"))).rejects.toMatchObject({ code: "HTTP_URL" });
    const limits = { maxStreamBytes: bytes.length - 1 };
    await expect(readPt2(new Response(bytes.slice()), { limits })).rejects.toMatchObject({
      code: "SOURCE_TOO_LARGE",
    });
  });
});
