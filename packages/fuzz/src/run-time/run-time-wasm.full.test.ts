/** @file Random programs with run-time sizes on WebAssembly: with gpu.js, 100,000 runs in all. */
import { expect, test } from "vitest";
import { backendsOf } from "./modes.js";
import { failureText, RunTimeFuzzer } from "./runner.js";

const RUNS = 65_000;
const SEED = 13;

test(`${RUNS} runs give what the interpreter gives, or a typed error (seed ${SEED})`, async () => {
  const fuzzer = await RunTimeFuzzer.on(await backendsOf(["wasm1", "wasm2", "wasm64"], console.warn));
  const { failures, runs, results } = await fuzzer.run({
    seed: SEED,
    first: 0,
    runs: RUNS,
    runsAProgram: 50,
  });
  expect(failures.map(failureText)).toEqual([]);
  expect(runs).toBeGreaterThanOrEqual(RUNS);
  expect(results).toBeGreaterThan(runs / 4);
  fuzzer.dispose();
});
