/** @file Random programs with run-time sizes on gpu.js: with WebAssembly, 100,000 runs in all. */
import { expect, test } from "vitest";
import { backendsOf } from "./modes.js";
import { failureText, RunTimeFuzzer } from "./runner.js";

const SEED = 13;
/** Runs on an adapter take longer; without one, they are the other mode's. */
const ON_ADAPTER = 5_000;
const RUNS = 35_000;
const adapter = await backendsOf(["webgpu"], console.warn);
const plain = await backendsOf(["gpujs"], console.warn);

test.each([
  { mode: "gpujs", backends: plain, count: RUNS - (adapter.length > 0 ? ON_ADAPTER : 0) },
  { mode: "webgpu", backends: adapter, count: adapter.length > 0 ? ON_ADAPTER : 0 },
])(
  `$count runs on $mode give what the interpreter gives, or a typed error (seed ${SEED})`,
  async ({ backends, count }) => {
    const fuzzer = await RunTimeFuzzer.on(backends);
    const { failures, runs, results } = await fuzzer.run({
      seed: SEED,
      first: 0,
      runs: count,
      runsAProgram: 50,
    });
    expect(failures.map(failureText)).toEqual([]);
    expect(runs).toBeGreaterThanOrEqual(count);
    expect(results).toBeGreaterThanOrEqual(runs / 4);
    fuzzer.dispose();
  },
);
