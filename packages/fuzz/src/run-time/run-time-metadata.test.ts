/**
 * @file Random programs whose recorded metadata is not that of their calls, with sizes that fit.
 */
import { expect, test } from "vitest";
import { backendsOf } from "./modes.js";
import { failureText, RunTimeFuzzer } from "./runner.js";

const SEED = 5;

test("other metadata at one call changes no result, and no other program", async () => {
  const backends = await backendsOf(["wasm1", "wasm2", "gpujs"], console.warn);
  const fuzzer = await RunTimeFuzzer.on(backends);
  const range = { seed: 9, first: 0, runs: 120, runsAProgram: 2, failures: Infinity, mutates: false };
  const { failures, runs, results } = await fuzzer.run({ ...range, lies: "all" });
  expect(failures.map(failureText)).toEqual([]);
  expect(results).toBeGreaterThan(runs / 5);
  fuzzer.dispose();
}, 60_000);

test("a program and its inputs are made of the seed and its number alone", async () => {
  const totals = [];
  for (let i = 0; i < 2; i++) {
    const fuzzer = await RunTimeFuzzer.on(await backendsOf(["wasm1"], console.warn));
    totals.push(await fuzzer.run({ seed: SEED, first: 3, programs: 4, runs: 200, runsAProgram: 5 }));
    fuzzer.dispose();
  }
  expect(totals[0]).toEqual(totals[1]);
});
