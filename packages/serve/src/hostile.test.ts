/** @file Requests that do not follow the protocol: typed answers, and memory that stays bounded. */
import { connect } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { recorded } from "./programs.fixture.js";
import { binary, startServer } from "./server.fixture.js";

const MIB = 2 ** 20;
const server = await startServer([{ name: "mlp", program: await recorded("net_mlp") }], {
  maxBody: MIB,
  requestTimeout: 700,
});
const PATH = "/v2/models/mlp/infer";
const good = { name: "x", shape: [1, 12], datatype: "FP32", data: Array(12).fill(0.5) };

let seed = 7;
/** Returns a whole number below an end, each time another. */
function below(end: number): number {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
  return (seed >>> 8) % end;
}
const one = <T>(items: readonly T[]): T => items[below(items.length)]!;

type Hostile = () => readonly [body: unknown, headers?: Readonly<Record<string, string>>];

const NAMES = [
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "\u0000",
  "x\u202e",
  "x".repeat(5000),
  "",
  "X",
];
const SHAPES = [
  [],
  [12],
  [1, 1, 12],
  [-1, 12],
  [1.5, 12],
  ["1", "12"],
  [2 ** 31, 2 ** 31],
  [2 ** 53, 12],
  [1e308, 1e308],
  [0, 13],
  [1, 11],
  [257, 12],
  Array(65).fill(1),
  null,
  "x",
  { length: 2 },
  [null, 12],
  [[1], 12],
];
const ELEMENTS = [null, "1", true, {}, [], 1e39, "Infinity!", "\u0000"];

const json = (fields: object): string => JSON.stringify({ inputs: [{ ...good, ...fields }] });
/** Returns a key that `JSON.stringify` of an object would not write. */
const withKey = (key: string, value: string): string => json({}).replace(/\}$/, `,"${key}":${value}}`);

const KINDS: Readonly<Record<string, Hostile>> = {
  shapes: () => [json({ shape: one(SHAPES) })],
  names: () => [json({ name: one(NAMES) })],
  "names of outputs": () => [JSON.stringify({ inputs: [good], outputs: [{ name: one(NAMES) }] })],
  datatypes: () => [json({ datatype: one(["FP16", "BYTES", "fp32", "__proto__", 5, null, "FP32 "]) })],
  elements: () => [json({ data: Array(12).fill(one(ELEMENTS)) })],
  "numbers of elements": () => [json({ data: Array(one([0, 11, 13, 20_000])).fill(1) })],
  "nested elements": () => [json({ data: one([[[[1]]], [Array(12).fill([1])], [[1, 2], [3]], [[], []]]) })],
  "deep lists": () => ["[".repeat(one([65, 1000, 200_000]))],
  "deep objects": () => ['{"a":'.repeat(one([65, 50_000])) + "1"],
  "deep elements": () => [json({}).replace(/\[0\.5.*?\]/, "[".repeat(70) + "]".repeat(70))],
  "keys of prototypes": () => [
    withKey(one(["inputs", "__proto__", "constructor"]), one(['{"inputs":[]}', "null", "[5]"])).replace(
      '"inputs":[{',
      '"nothing":[{',
    ),
  ],
  parameters: () => [
    json({
      parameters: one([
        [],
        "x",
        { binary_data_size: 4 },
        { a: {} },
        { binary_data_size: -1 },
        JSON.parse('{"__proto__":{"binary_data_size":48}}'),
      ]),
    }),
  ],
  "kinds of requests": () => [
    one([
      "",
      "null",
      "5",
      '"x"',
      "[]",
      "{}",
      '{"inputs":5}',
      '{"inputs":[null]}',
      '{"inputs":[{}]}',
      "{'inputs':[]}",
      "\ufeff{}",
    ]),
  ],
  "bytes that are not text": () => [Uint8Array.from({ length: 1 + below(300) }, () => below(256))],
  "binary data that ends early": () => {
    const fields = {
      inputs: [
        { ...good, data: undefined, parameters: { binary_data_size: one([48, 47, 49, 2 ** 52, 0.5, "48"]) } },
      ],
    };
    return binary(fields, new Uint8Array(below(48)));
  },
  "binary data that is left": () => binary({ inputs: [good] }, new Uint8Array(1 + below(50))),
  "lengths of the header": () => [
    Buffer.from(json({})),
    {
      "inference-header-content-length": one([
        "-1",
        "1e9",
        "999999999",
        "x",
        "0x10",
        "99999999999999999999",
        "3",
      ]),
    },
  ],
  "bodies over the limit": () => [json({ data: Array(200_000 + below(1000)).fill(123.5) })],
  "content types": () => [
    "{}",
    { "content-type": one(["text/plain", "application/xml", "application/json5", ""]) },
  ],
  "content encodings": () => ["{}", { "content-encoding": one(["gzip", "br", "zstd", "x"]) }],
};

/** Returns a metric of the server. */
async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${server.address}/metrics`)).text();
  return Number(new RegExp(`^${name} (.*)$`, "m").exec(text)![1]);
}

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
/** Returns the bytes of the objects and arrays of this process that are in use. */
function memory(): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

describe("1,000 hostile requests", () => {
  test("get typed answers, and memory stays bounded", async () => {
    const kinds = Object.entries(KINDS);
    const wrong: string[] = [];
    let before = 0;
    for (let i = 0; i < 1000; i++) {
      // The first ones load code.
      if (i === 200) before = memory();
      const [name, make] = kinds[i % kinds.length]!;
      const [body, headers = {}] = make();
      const { status, json: answer } = await server.post(PATH, body, headers);
      const isTyped = typeof answer?.error === "string" && /^[A-Z_]+$/.test(answer.code);
      if (status < 400 || status > 499 || !isTyped)
        wrong.push(`${name}: ${status} ${JSON.stringify(answer)?.slice(0, 200)}`);
    }
    expect(wrong).toEqual([]);
    expect(await metric("sconce_queue_length")).toBe(0);
    expect(await metric("sconce_workers_busy")).toBe(0);
    while ((await metric("sconce_pending_bytes")) > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    // Bodies over the limit alone are 40 MiB. The last connections end a little later.
    while (memory() - before > 8 * MIB) await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await server.post(PATH, { inputs: [good] })).status).toBe(200);
  });
});

/** Sends bytes over a connection, and returns what comes back until it ends. */
function raw(...parts: readonly string[]): Promise<string> {
  const { port } = new URL(server.address);
  return new Promise((resolve) => {
    let text = "";
    const socket = connect(Number(port), "127.0.0.1");
    socket.on("data", (data) => {
      text += data;
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(text));
    for (const part of parts) socket.write(part);
  });
}

const HEAD = `POST ${PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`;

describe("connections", () => {
  test("slow bodies and slow headers are answered with 408", async () => {
    const slow = [
      ...Array<string>(20).fill(`${HEAD}Content-Length: 1000\r\n\r\n{"inputs":`),
      ...Array<string>(10).fill(`${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\n{"inp\r\n`),
      ...Array<string>(10).fill("POST /v2/models/mlp/infer HTTP/1.1\r\nHost: local"),
    ];
    for (const answer of await Promise.all(slow.map((text) => raw(text)))) {
      expect(answer).toMatch(/^HTTP\/1\.1 408 /);
      expect(answer).toContain('"code":"REQUEST_TIMEOUT"');
    }
  });

  test("what is not HTTP is answered with 400", async () => {
    for (const text of [
      "\u0000\u0001\u0002\r\n\r\n",
      "GET\r\n\r\n",
      `${HEAD}Content-Length: x\r\n\r\n`,
      `${HEAD}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n`,
    ]) {
      const answer = await raw(text);
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(answer).toContain('"code":"INFERENCE_REQUEST"');
    }
    expect(await raw(`${HEAD}X: ${"x".repeat(100_000)}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 4\d\d /);
  });

  test("chunks over the limit are answered with 413", async () => {
    const chunk = `80000\r\n${" ".repeat(0x80000)}\r\n`;
    expect(await raw(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`, chunk, chunk, chunk)).toMatch(
      /^HTTP\/1\.1 413 /,
    );
  });

  test("bodies that take more memory in all than the server has for them are answered with 429", async () => {
    const small = await startServer([{ name: "mlp", program: await recorded("net_mlp") }], {
      maxPending: 1000,
      requestTimeout: 700,
    });
    const { port } = new URL(small.address);
    const holder = connect(Number(port), "127.0.0.1");
    holder.write(`${HEAD}Content-Length: 900\r\n\r\n{`);
    const pending = async (): Promise<string> => (await fetch(`${small.address}/metrics`)).text();
    while (!(await pending()).includes("sconce_pending_bytes 900"))
      await new Promise((resolve) => setTimeout(resolve, 5));
    const { status, json: answer } = await small.post(PATH, { inputs: [good] });
    expect([status, answer.code]).toEqual([429, "SERVER_BUSY"]);
    holder.destroy();
    while (!(await pending()).includes("sconce_pending_bytes 0"))
      await new Promise((resolve) => setTimeout(resolve, 5));
    expect((await small.post(PATH, { inputs: [good] })).status).toBe(200);
  });
});
