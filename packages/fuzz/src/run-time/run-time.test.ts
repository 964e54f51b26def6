/**
 * @file A small slice of the random programs with run-time sizes; all runs are in the full suite.
 */
import { expect, test } from "vitest";
import { backendsOf } from "./modes.js";
import { failureText, RunTimeFuzzer } from "./runner.js";

const SEED = 5;

test("backends give what the interpreter gives, or a typed error, and keep other programs whole", async () => {
  const fuzzer = await RunTimeFuzzer.on(await backendsOf(["wasm1", "wasm2", "gpujs"], console.warn));
  const { failures, runs, results } = await fuzzer.run({ seed: SEED, first: 0, runs: 400, runsAProgram: 10 });
  expect(failures.map(failureText)).toEqual([]);
  expect(results).toBeGreaterThan(runs / 4);
  fuzzer.dispose();
}, 60_000);
