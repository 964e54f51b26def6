/** @file Reads the inputs of `untrusted.mjs` in a separate process, and measures that. */
import { readFileSync, writeFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { readPt2 } from "@sconce/formats";
import { parseIr } from "@sconce/ir/text";

/** Runs that warm the code up, that are timed, and of which the memory is measured. */
const RUNS = { warm: 10, timed: 9, measured: 2 };
/** Each of the three ends early when it has taken so long. */
const MOST_MS = 2000;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc");

process.on("message", async ({ path, kind }) => {
  const bytes = readFileSync(path);
  const input = kind === "pt2" ? bytes : bytes.toString();
  const read = kind === "pt2" ? readPt2 : parseIr;
  const run = async () => {
    try {
      await read(input);
      return "read";
    } catch (error) {
      return error.code ?? String(error);
    }
  };
  const [code] = await repeat(RUNS.warm, run);
  const times = await repeat(RUNS.timed, async () => {
    const start = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  });
  const peaks = await repeat(RUNS.measured, async () => {
    collectGarbage();
    const before = startPeak();
    await run();
    return endPeak() - before;
  });
  process.send({
    code,
    milliseconds: times.sort((a, b) => a - b)[times.length >> 1],
    peak: Math.max(...peaks),
  });
});

async function repeat(count, run) {
  const results = [];
  const begin = performance.now();
  while (results.length < count && (results.length < 2 || performance.now() - begin < MOST_MS))
    results.push(await run());
  return results;
}

/** Bytes in memory now; the record of the most bytes starts anew, where the system has one. */
function startPeak() {
  try {
    writeFileSync("/proc/self/clear_refs", "5");
  } catch {
    // Without the record, the peak is what is held after the run, garbage included.
  }
  return process.memoryUsage.rss();
}

function endPeak() {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))[1]) * 1024;
  } catch {
    return process.memoryUsage.rss();
  }
}
