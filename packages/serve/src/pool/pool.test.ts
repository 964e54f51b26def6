import type { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { recorded, session, small } from "../programs.fixture.js";
import { type Answer, startServer, type TestServer } from "../server.fixture.js";

/** A plugin for workers: values of -1 end the worker, -2 take long, -3 throw. */
const PLUGIN = `data:text/javascript,${encodeURIComponent(`
  const wait = new Int32Array(new SharedArrayBuffer(4));
  export default { name: "slow", kernels: { "aten.neg.default": ({ self }) => {
    const values = self.toArray();
    if (values.includes(-1)) process.exit(3);
    if (values.includes(-2)) Atomics.wait(wait, 0, 0, 400);
    if (values.includes(-3)) throw new Error("a kernel that throws");
    if (values.includes(-4)) for (;;);
    return self;
  } } };`)}`;
const program = small({
  takes: "x: f32[s0]",
  calls: "%y: f32[s0] = aten.neg.default(%x)",
  gives: "y",
  head: 'range "s0" [0, 6]\n  hint "s0" 3',
});
const start = (options: Parameters<typeof startServer>[1]): Promise<TestServer> =>
  startServer([{ name: "m", program }], { plugins: [PLUGIN], ...options });

const send = (server: TestServer, ...data: readonly number[]): Promise<Answer> =>
  server.post("/v2/models/m/infer", {
    inputs: [{ name: "x", shape: [data.length], datatype: "FP32", data }],
  });
const dataOf = ({ json }: Answer): unknown => json.outputs?.[0].data;

/** Returns a metric of a server. */
async function metric(server: TestServer, name: string): Promise<number> {
  const text = await (await fetch(`${server.address}/metrics`)).text();
  return Number(new RegExp(`^${name}(?:\\{.*\\})? (.*)$`, "m").exec(text)![1]);
}

/** Returns how many runs there were, and how many requests they served. */
const runs = async (server: TestServer): Promise<readonly [runs: number, requests: number]> => [
  await metric(server, "sconce_run_requests_count"),
  await metric(server, "sconce_run_requests_sum"),
];
/** Runs of the tests start when they are full: no request waits so long. */
const FULL = 1_000_000;

/** Waits until something holds. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe("requests that run together", () => {
  test("give the same bits as alone, in fewer runs", async () => {
    const digits = await recorded("digits");
    const server = await startServer([{ name: "digits", program: digits }], { maxBatch: 32, batchDelay: 20 });
    expect(server.events[0]).toMatchObject({ kind: "model", rows: "s40" });
    const executable = await session.compile(digits, "cpu");
    const count = 40;
    const answers = Array.from({ length: count }, async (_, i) => {
      const rows = 1 + (i % 3);
      const data = Array.from({ length: 64 * rows }, (_, k) => (k * (i + 3)) % 17);
      const input = { name: "image", shape: [rows, 1, 8, 8], datatype: "FP32", data };
      const { json } = await server.post("/v2/models/digits/infer", { id: String(i), inputs: [input] });
      const { Tensor: T } = await import("@sconce/tensor");
      const [own] = (await executable.run([T.from(data, [rows, 1, 8, 8], "float32")])) as [Tensor];
      expect(json.id).toBe(String(i));
      expect(json.outputs[0].shape).toEqual([rows, 10]);
      expect(json.outputs[0].data).toEqual(own.toArray());
    });
    await Promise.all(answers);
    expect(await metric(server, "sconce_run_requests_sum")).toBe(count);
    expect(await metric(server, "sconce_run_requests_count")).toBeLessThan(count);
  });

  test("one that fails does not fail the others", async () => {
    const server = await start({ maxBatch: 4, batchDelay: FULL });
    const answers = await Promise.all([send(server, 1), send(server, -3), send(server, 2, 3)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 500, 200]);
    expect(answers.map(dataOf)).toEqual([[1], undefined, [2, 3]]);
    expect(answers[1]!.json.code).not.toBe("INFERENCE_REQUEST");
    const failed = server.events.find(({ kind }) => kind === "failed") as { error: Error } | undefined;
    expect(JSON.stringify(failed?.error)).toContain("a kernel that throws");
    expect(await metric(server, "sconce_split_runs_total")).toBe(1);
    expect(await runs(server)).toEqual([2, 2]);
  });

  test("run one by one where the program does not take them together", async () => {
    const server = await start({ maxBatch: 9, batchDelay: FULL });
    const answers = await Promise.all([send(server, 1, 2, 3, 4), send(server, 5, 6, 7, 8), send(server, 9)]);
    expect(answers.map(dataOf)).toEqual([[1, 2, 3, 4], [5, 6, 7, 8], [9]]);
    expect(await metric(server, "sconce_split_runs_total")).toBe(1);
    expect(await runs(server)).toEqual([3, 3]);
  });

  test("programs that combine rows are not run so, and the reason is reported", async () => {
    const softmax = small({
      takes: "x: f32[s0]",
      calls: "%y: f32[s0] = aten._softmax.default(%x, 0, false)",
      gives: "y",
    });
    const server = await startServer([{ name: "m", program: softmax }], { maxBatch: 8, batchDelay: FULL });
    expect(server.events[0]).toMatchObject({
      rows: undefined,
      reason: "at %y (aten._softmax.default): it combines elements along the rows",
    });
    const answers = await Promise.all([send(server, 5), send(server, 7)]);
    expect(answers.map(dataOf)).toEqual([[1], [1]]);
    expect(await runs(server)).toEqual([2, 2]);
  });

  test("other sizes than those of the rows keep requests separate", async () => {
    const two = small({
      takes: "x: f32[s0, s1]",
      calls: "%y: f32[s0, s1] = aten.mul.Tensor(%x, 2.0)",
      gives: "y",
    });
    const server = await startServer([{ name: "m", program: two }], { maxBatch: 3, batchDelay: FULL });
    const post = (shape: readonly number[], data: readonly number[]): Promise<Answer> =>
      server.post("/v2/models/m/infer", { inputs: [{ name: "x", shape, datatype: "FP32", data }] });
    const answers = await Promise.all([
      post([1, 2], [1, 2]),
      post([1, 3], [3, 4, 5]),
      post([2, 2], [6, 7, 8, 9]),
      post([0, 2], []),
      post([2, 3], [1, 2, 3, 4, 5, 6]),
    ]);
    expect(answers.map(dataOf)).toEqual([[2, 4], [6, 8, 10], [12, 14, 16, 18], [], [2, 4, 6, 8, 10, 12]]);
    expect(await runs(server)).toEqual([3, 5]);
  });
});

describe("limits", () => {
  test("a full queue answers 429, with the seconds to wait", async () => {
    const server = await start({ queue: 2 });
    const first = send(server, -2);
    await until(async () => (await metric(server, "sconce_workers_busy")) === 1);
    const answers = await Promise.all(Array.from({ length: 6 }, (_, i) => send(server, i)));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(4);
    expect(refused[0]!.json).toMatchObject({ code: "SERVER_BUSY" });
    expect(Number(refused[0]!.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect((await first).status).toBe(200);
  });

  test("results that take too long are answered with 504, and a run without end ends its worker", async () => {
    const server = await start({ timeout: 150 });
    const late = await send(server, -4);
    expect([late.status, late.json.code]).toEqual([504, "INFERENCE_TIMEOUT"]);
    await until(async () => (await metric(server, "sconce_workers_lost_total")) === 1);
    await until(async () => (await send(server, 1)).status === 200);
    expect(server.events).toContainEqual({ kind: "worker", reason: "a run took longer than 300 ms" });
  });

  test("a body over the limit is answered with 413", async () => {
    const server = await start({ maxBody: 1000 });
    const answer = await send(server, ...Array<number>(500).fill(1));
    expect([answer.status, answer.json.code]).toEqual([413, "REQUEST_TOO_LARGE"]);
    expect((await send(server, 1)).status).toBe(200);
  });
});

test("a worker that ends is replaced, and its request is answered", async () => {
  const server = await start({ workers: 2 });
  const lost = await send(server, -1);
  expect([lost.status, lost.json.code]).toEqual([503, "SERVE_WORKER"]);
  expect(server.events).toContainEqual({ kind: "worker", reason: "it ended with code 3" });
  const answers = await Promise.all([1, 2, 3, 4].map((value) => send(server, value)));
  expect(answers.map(dataOf)).toEqual([[1], [2], [3], [4]]);
});

test("a request that ends the worker of a run for several runs alone, and the others are answered", async () => {
  const server = await start({ maxBatch: 3, batchDelay: FULL, workers: 1 });
  const answers = await Promise.all([send(server, 1), send(server, -1), send(server, 2)]);
  expect(answers.map(({ status }) => status)).toEqual([200, 503, 200]);
  expect(await metric(server, "sconce_split_runs_total")).toBe(1);
});
