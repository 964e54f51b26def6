import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { Queue } from "bullmq";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Affine, saveModel, testFolder, writeShards } from "../batch.fixture.js";
import { type BatchEvent, runBatch, runBatchOnQueue, runBatchWorker, type WorkerEvent } from "../index.js";
import { HAS_REDIS, redisNote, TestRedis } from "./redis.fixture.js";

const root = testFolder("queue");
const cache = join(root, "cache");
const program = await saveModel(root, "affine", new Affine());
const inputs = join(writeShards(root, [3, 9, 20, 8]), "*");
const data = join(root, "redis");
mkdirSync(data);

describe.skipIf(!HAS_REDIS)(`a queue on Redis${redisNote()}`, () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await TestRedis.start(data);
  });
  const connections: Redis[] = [];
  afterAll(async () => {
    for (const connection of connections) connection.disconnect();
    await redis.stop();
  });

  /** Returns a queue as tests look at it. */
  function watched(name: string): Queue {
    const connection = new Redis(redis.address, { maxRetriesPerRequest: null });
    connections.push(connection);
    return new Queue(name, { connection });
  }

  /** Runs with one worker beside it, and stops that in the end. */
  async function both(
    name: string,
    more: Partial<Parameters<typeof runBatchOnQueue>[0]> = {},
    working: Partial<Parameters<typeof runBatchWorker>[0]> = {},
  ) {
    const stop = new AbortController();
    const seen: WorkerEvent[] = [];
    const common = { queue: redis.address, queueName: name, root, cache };
    const worker = runBatchWorker({
      ...common,
      signal: stop.signal,
      onEvent: (event) => seen.push(event),
      ...working,
    });
    const output = join(root, name);
    const report = await runBatchOnQueue({ ...common, program, inputs, output, backoff: 10, ...more });
    stop.abort();
    await worker;
    return { report, seen, output };
  }

  test("gives the files of a run in threads, and nothing is left in it", async () => {
    const { report, output, seen } = await both("plain");
    expect(report).toMatchObject({
      shards: 4,
      written: 4,
      skipped: 0,
      setAside: [],
      rows: 40,
      stopped: false,
    });
    expect(seen.map(({ event }) => event)).toEqual(["ready", ...Array(4).fill("shard"), "end"]);
    const alone = join(root, "alone");
    await runBatch({ program, inputs, output: alone, workers: 1 });
    for (const name of readdirSync(alone).filter((one) => one.startsWith("s")))
      expect(readFileSync(join(output, name), "base64")).toBe(readFileSync(join(alone, name), "base64"));
    // The hashes are the same, so either run goes on with the files of the other one.
    expect(await runBatch({ program, inputs, output, workers: 1 })).toMatchObject({ written: 0, skipped: 4 });
    const queue = watched("plain");
    expect(await queue.getJobCounts()).toMatchObject({
      active: 0,
      completed: 0,
      delayed: 0,
      failed: 0,
      waiting: 0,
    });
    expect(await both("plain")).toMatchObject({ report: { written: 0, skipped: 4 } });
  });

  test("fetches a program from an address by ranges, once", async () => {
    const bytes = readFileSync(program);
    let sent = 0;
    const server = createServer(({ headers }, response) => {
      const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? "") ?? [];
      const part = bytes.subarray(Number(first ?? 0), Number(last ?? bytes.length - 1) + 1);
      sent += part.length;
      response.writeHead(first === undefined ? 200 : 206, {
        "content-length": part.length,
        "content-range": `bytes ${first}-${Number(first) + part.length - 1}/${bytes.length}`,
        etag: '"1"',
      });
      response.end(part);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/model.pt2`;
    const place = join(root, "fresh");
    const { report } = await both("address", { program: url, cache: place }, { cache: place });
    server.close();
    expect(report).toMatchObject({ written: 4, setAside: [] });
    expect(readdirSync(place)).toHaveLength(1);
    expect(statSync(join(place, readdirSync(place)[0]!)).size).toBe(bytes.length);
    expect(sent).toBeLessThan(2 * bytes.length);
  });

  test("sets shards aside that a worker may not score", async () => {
    const map = join(root, "map.mjs");
    writeFileSync(map, "export default { before: (columns) => columns };");
    const { report } = await both("no-map", { map });
    expect(report.setAside).toHaveLength(4);
    expect(report.setAside[0]).toMatchObject({
      attempts: 3,
      error: { code: "BATCH_JOB", message: expect.stringMatching(/has a --map, and this worker has none/) },
    });
    expect(readdirSync(join(root, "no-map"))).toEqual([]);
  });

  test("names the cause of a shard that a worker cannot score for want of files", async () => {
    const own = join(root, "own");
    mkdirSync(own);
    const { report } = await both("no-root", {}, { root: own, cache: join(own, "cache") });
    expect(report.setAside).toHaveLength(4);
    for (const { shard, attempts, error } of report.setAside)
      expect({ attempts, code: error.code, message: error.message, where: error.where }).toEqual({
        attempts: 3,
        code: "FILE",
        message: `there is no file or folder ${join(own, "affine.pt2")}`,
        where: shard,
      });
  });

  test("leaves no connection behind when it ends", async () => {
    const client = new Redis(redis.address);
    connections.push(client);
    const count = async (): Promise<number> =>
      String(await client.client("LIST"))
        .trim()
        .split("\n").length;
    const before = await count();
    await both("connections");
    // The server closes them a moment later.
    while ((await count()) > before) await wait(20);
  });

  test("takes a shard back from a worker that is stopped, and another one finishes it", async () => {
    const map = join(root, "slow.mjs");
    const hold = join(root, "hold");
    writeFileSync(
      map,
      `import { existsSync } from "node:fs";
      export default { before: async (columns) => {
        while (!existsSync(${JSON.stringify(hold)})) await new Promise((resolve) => setTimeout(resolve, 20));
        return columns;
      } };`,
    );
    const common = { queue: redis.address, queueName: "returned", root, cache, map };
    const events: BatchEvent[] = [];
    const running = runBatchOnQueue({
      ...common,
      program,
      inputs,
      output: join(root, "returned"),
      onEvent: (event) => events.push(event),
    });
    const stop = new AbortController();
    const seen: WorkerEvent[] = [];
    const first = runBatchWorker({
      ...common,
      signal: stop.signal,
      grace: 100,
      onEvent: (event) => seen.push(event),
    });
    const queue = watched("returned");
    while ((await queue.getActiveCount()) === 0) await wait(20);
    stop.abort();
    await first;
    expect(seen.map(({ event }) => event)).toEqual(["ready", "returned", "end"]);
    expect(await queue.getJobCounts()).toMatchObject({ active: 0, waiting: 4, failed: 0 });
    writeFileSync(hold, "");
    await runBatchWorker({ ...common, idle: 500 });
    expect(await running).toMatchObject({ written: 4, setAside: [], stopped: false });
    expect(events.filter(({ event }) => event === "retry")).toEqual([]);
  });

  test("goes on when the command that waits is stopped and started again", async () => {
    const stop = new AbortController();
    const common = { queue: redis.address, queueName: "again", root, cache };
    const output = join(root, "again");
    const options = { ...common, program, inputs, output };
    const first = runBatchOnQueue({
      ...options,
      signal: stop.signal,
      onEvent: ({ event }) => {
        if (event === "shard") stop.abort();
      },
    });
    const end = new AbortController();
    const worker = runBatchWorker({ ...common, signal: end.signal });
    expect(await first).toMatchObject({ stopped: true });
    const second = await runBatchOnQueue(options);
    expect(second).toMatchObject({ shards: 4, setAside: [], stopped: false });
    expect(second.written + second.skipped).toBe(4);
    expect(second.skipped).toBeGreaterThan(0);
    end.abort();
    await worker;
  });

  test("adds a job again that Redis lost", async () => {
    const common = { queue: redis.address, queueName: "lost", root, cache };
    const running = runBatchOnQueue({ ...common, program, inputs, output: join(root, "lost") });
    const queue = watched("lost");
    while ((await queue.getWaitingCount()) < 4) await wait(20);
    await queue.obliterate({ force: true });
    while ((await queue.getWaitingCount()) < 4) await wait(100);
    await runBatchWorker({ ...common, idle: 500 });
    expect(await running).toMatchObject({ written: 4, setAside: [] });
  });
});
