/** @file Shards on three processes that are killed, cut off and whose Redis restarts. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { Affine, saveModel, testFolder, writeShards } from "../batch.fixture.js";
import { type BatchEvent, runBatch } from "../index.js";
import { HAS_REDIS, redisNote, TestProxy, TestRedis } from "./redis.fixture.js";

const COMMAND = fileURLToPath(new URL("../../../sconce/bin/sconce.js", import.meta.url));
const folder = testFolder("machines");
const SHARDS = 200;
const POISONED = "s077.ndjson";
const KILLS = 20;

/** Numbers between 0 and 1 that are the same in every run of the test. */
function drawn(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

const started = new Set<ChildProcess>();
afterAll(() => {
  for (const child of started) child.kill("SIGKILL");
});

/** Starts the command, and collects what it writes, a line of JSON each. */
function start(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [COMMAND, ...args, "--json"], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  started.add(child);
  const events: BatchEvent[] = [];
  createInterface(child.stdout!).on("line", (line) => events.push(JSON.parse(line) as BatchEvent));
  const ended = once(child, "exit").then(([code]) => {
    started.delete(child);
    return code as number | null;
  });
  return { child, events, ended };
}

/**
 * Slows shards down, and holds one of them until a file is there. Without variables it does
 * neither.
 */
const MAP = `import { existsSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
const { SHARD_MS = "0", HOLD } = process.env;
export default {
  before: async (columns, { shard }) => {
    await wait(Number(SHARD_MS));
    if (HOLD !== undefined && shard.includes("s150")) while (!existsSync(HOLD)) await wait(50);
    return columns;
  },
};
`;

/** Resolves when a run has so many shards. */
async function reached(events: readonly BatchEvent[], shards: number): Promise<void> {
  while (events.filter(({ event }) => event === "shard").length < shards) await wait(50);
}

/** Runs all shards while a worker is killed again and again, one is cut off, and Redis restarts. */
async function runThroughFaults() {
  const data = join(folder, "redis");
  mkdirSync(data);
  const redis = await TestRedis.start(data);
  const proxy = await TestProxy.start(redis.port);
  const hold = join(folder, "hold");
  const worker = (address: string) =>
    start(["batch-worker", "--queue", address, "--map", "map.mjs", "--cache", "cache", "--stalled", "1500"], {
      SHARD_MS: "300",
      HOLD: hold,
    });
  const run = start([
    ...["batch", "model.pt2", "--inputs", "shards/*", "--output", "out", "--map", "map.mjs"],
    ...["--batch-size", "8", "--backoff", "100", "--queue", redis.address, "--cache", "cache"],
  ]);
  const [steady, distant] = [worker(redis.address), worker(proxy.address)];
  const outage = reached(run.events, 20).then(() => proxy.cut(5000));
  const restart = reached(run.events, 60).then(async () => {
    await redis.stop();
    await wait(1000);
    await redis.start();
  });
  const random = drawn(38);
  for (let kill = 0; kill < KILLS; kill++) {
    const { child, ended } = worker(redis.address);
    await wait(300 + random() * 2700);
    expect(child.exitCode).toBe(null);
    child.kill("SIGKILL");
    await ended;
  }
  const last = worker(redis.address);
  writeFileSync(hold, "");
  await Promise.all([outage, restart]);
  expect(await run.ended).toBe(1);
  for (const { child, ended } of [steady, distant, last]) {
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
  }
  await redis.stop();
  proxy.stop();
  return { events: run.events, distant: distant.events };
}

const warnings = (events: readonly BatchEvent[]): string[] =>
  events.flatMap((event) => (event.event === "warning" ? [event.message] : []));

function expectEveryShardOnce(events: readonly BatchEvent[]): void {
  expect(events.at(-1)).toMatchObject({
    event: "end",
    shards: SHARDS + 1,
    setAside: [{ shard: `shards/${POISONED}`, attempts: 3, error: { code: "BATCH_SHARD" } }],
    stopped: false,
  });
  const named = events.flatMap((event) => (event.event === "shard" ? [event.shard] : []));
  const names = readdirSync(join(folder, "shards")).filter((name) => name !== POISONED);
  expect([...named].sort()).toEqual(names.map((name) => `shards/${name}`));
}

/** Compares every file of a folder, and of the folder of hashes in it. */
function expectSameFiles(got: string, wanted: string): void {
  for (const place of ["", ".sconce-batch"]) {
    const names = readdirSync(join(wanted, place)).sort();
    expect(readdirSync(join(got, place)).sort()).toEqual(names);
    for (const name of names.filter((one) => one !== ".sconce-batch"))
      expect(readFileSync(join(got, place, name), "base64")).toBe(
        readFileSync(join(wanted, place, name), "base64"),
      );
  }
}

describe.skipIf(!HAS_REDIS)(`200 shards on three processes${redisNote()}`, () => {
  test("are written once each, with the bits of one process", { timeout: 240_000 }, async () => {
    writeShards(
      folder,
      Array.from({ length: SHARDS }, (_, i) => 3 + (i % 11)),
    );
    writeFileSync(join(folder, "shards", POISONED), '{"x": [1, 2, 3]}\n{"x": [1, "poison", 3]}\n');
    writeFileSync(join(folder, "map.mjs"), MAP);
    const program = await saveModel(folder, "model", new Affine());
    const { events, distant } = await runThroughFaults();
    expectEveryShardOnce(events);
    // Shards were lost with their worker, and no loss counted as a failure.
    expect(warnings(events).join("\n")).toMatch(/its worker is silent, another one takes it/);
    expect(events.filter(({ event }) => event === "retry").length).toBeLessThanOrEqual(2);
    // The restart of Redis and the outage of the proxy were met.
    expect(warnings(events).join("\n")).toMatch(/the connection to redis:\/\/\S+ is lost; it is made again/);
    expect(warnings(distant).length).toBeGreaterThanOrEqual(2);
    const report = await runBatch({
      program,
      inputs: join(folder, "shards", "*.safetensors"),
      output: join(folder, "alone"),
      map: join(folder, "map.mjs"),
      batchSize: 8,
      workers: 1,
    });
    expect(report).toMatchObject({ written: SHARDS, setAside: [] });
    expectSameFiles(join(folder, "out"), join(folder, "alone"));
    expect(readdirSync(join(folder, "cache"))).toHaveLength(1);
  });
});
