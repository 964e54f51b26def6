/**
 * @file Batches on a queue: `node batches.mjs [MODEL]...`. Prints the throughput of two worker
 * processes over that of one, and what the queue costs for shards of about a second. Runs of one
 * and of two workers alternate; the median ratio of the pairs counts. Needs `redis-server`.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { linkSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Dim, exportProgram, torch } from "@sconce/capture";
import { savePt2File } from "@sconce/session/files";
import { Tensor, writeSafetensors } from "@sconce/tensor";
import { FULL_SIZE } from "../dist/models.js";

const COMMAND = fileURLToPath(new URL("../../sconce/bin/sconce.js", import.meta.url));
const DIGITS = fileURLToPath(new URL("../../testing/fixtures/programs/digits/program.pt2", import.meta.url));
const PORT = 7399;
const QUEUE = `redis://127.0.0.1:${PORT}`;
const PAIRS = 3;

const folder = mkdtempSync(join(tmpdir(), "sconce-batches-"));
const MODELS = {
  digits: async () => ({
    program: DIGITS,
    column: "image",
    shape: [1, 8, 8],
    rows: 150_000,
    shards: 10,
    batch: 64,
  }),
  resnet18: async () => {
    const program = join(folder, "resnet18.pt2");
    const options = { dynamicShapes: [{ 0: Dim("batch") }] };
    const model = FULL_SIZE.resnet18.make().eval();
    await savePt2File(exportProgram(model, [torch.ones(2, 3, 224, 224)], options), program);
    return { program, column: "x", shape: [3, 224, 224], rows: 16, shards: 10, batch: 4 };
  },
};

/** Writes shards with equal rows; one file has all names. */
function writeShards(name, { column, shape, rows, shards }) {
  const place = join(folder, `${name}-shards`);
  mkdirSync(place);
  const count = shape.reduce((product, size) => product * size, rows);
  const data = Float32Array.from({ length: count }, (_, i) => Math.sin(i));
  const first = join(place, "s0.safetensors");
  writeFileSync(
    first,
    writeSafetensors(new Map([[column, Tensor.fromData(data, "float32", [rows, ...shape])]])),
  );
  for (let i = 1; i < shards; i++) linkSync(first, join(place, `s${i}.safetensors`));
  return place;
}

function start(...args) {
  const child = spawn(process.execPath, [COMMAND, ...args, "--json"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const events = [];
  createInterface(child.stdout).on("line", (line) =>
    events.push({ at: performance.now(), ...JSON.parse(line) }),
  );
  return { child, events, ended: once(child, "exit") };
}

/** Returns the seconds of a process on the processors. */
function cpuSeconds({ pid }) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/**
 * Runs all shards with so many worker processes, or with one thread and no queue. The first shard
 * of each worker, which compiles the program, does not count.
 */
async function measured(name, model, place, workers) {
  const { program, batch } = model;
  const output = `out-${name}-${workers}-${performance.now()}`;
  const started = Array.from({ length: workers }, () =>
    start("batch-worker", "--queue", QUEUE, "--root", "/"),
  );
  const queue = workers === 0 ? ["--workers", "1"] : ["--queue", QUEUE, "--root", "/"];
  const args = [
    "batch",
    program,
    "--inputs",
    `${place}/*`,
    "--output",
    output,
    "--batch-size",
    String(batch),
  ];
  const run = start(...args, ...queue);
  const shards = () => run.events.filter(({ event }) => event === "shard");
  const warm = Math.max(workers, 1);
  while (shards().length < warm && run.child.exitCode === null)
    await new Promise((resolve) => setTimeout(resolve, 5));
  const all = [...started, run].map(({ child }) => child).concat(redis);
  const before = all.map(cpuSeconds);
  let after = before;
  while (run.child.exitCode === null) {
    if (run.events.at(-1).event !== "end") after = all.map(cpuSeconds);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  for (const { child, ended } of started) {
    child.kill("SIGTERM");
    await ended;
  }
  const counted = shards().slice(warm);
  if (counted.length < model.shards - warm) throw new Error(JSON.stringify(run.events.at(-1)));
  const seconds = (counted.at(-1).at - shards()[warm - 1].at) / 1000;
  rmSync(join(folder, output), { recursive: true });
  return {
    rate: counted.reduce((total, { rows }) => total + rows, 0) / seconds,
    // What a shard takes from one to the next, and of that in its thread.
    perShard: (seconds * warm) / counted.length,
    inThread: counted.reduce((total, { milliseconds }) => total + milliseconds / 1000, 0) / counted.length,
    cpuPerShard: after.reduce((total, value, i) => total + value - before[i], 0) / counted.length,
  };
}

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

const redis = spawn("redis-server", ["--port", String(PORT), "--save", "", "--bind", "127.0.0.1"], {
  stdio: "ignore",
});
try {
  await new Promise((resolve) => setTimeout(resolve, 500));
  const chosen = process.argv.slice(2);
  for (const name of chosen.length > 0 ? chosen : Object.keys(MODELS)) {
    const model = await MODELS[name]();
    const place = writeShards(name, model);
    const pairs = [];
    for (let pair = 0; pair < PAIRS; pair++) {
      const [none, one, two] = [
        await measured(name, model, place, 0),
        await measured(name, model, place, 1),
        await measured(name, model, place, 2),
      ];
      pairs.push({ none, one, two });
      console.error(name, JSON.stringify({ none, one, two }));
    }
    const middle = (ratio) => median(pairs.map(ratio)).toFixed(3);
    console.log(
      `${name}: two workers over one, rows a second: ${middle(({ one, two }) => two.rate / one.rate)}`,
    );
    // Each process has one processor on a machine that does nothing else.
    console.log(
      `  the same from CPU time: ${middle(({ one, two }) => (2 * one.cpuPerShard) / two.cpuPerShard)}`,
    );
    console.log(
      `  seconds a shard with one worker: ${middle(({ one }) => one.perShard)}, in its thread ${middle(({ one }) => one.inThread)}`,
    );
    console.log(
      `  one worker on the queue over one thread: time ${middle(({ none, one }) => one.perShard / none.perShard)}, CPU time ${middle(({ none, one }) => one.cpuPerShard / none.cpuPerShard)}`,
    );
    console.log(
      `  time outside of the thread: ${middle(({ one }) => 1 - one.inThread / one.perShard)}, without a queue ${middle(({ none }) => 1 - none.inThread / none.perShard)}`,
    );
  }
} finally {
  redis.kill();
  rmSync(folder, { recursive: true });
}
