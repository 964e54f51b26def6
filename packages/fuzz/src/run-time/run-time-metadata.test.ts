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
  const range = { seed: 9, runs: 600, runsAProgram: 2, failures: Infinity, mutates: false };
  const lying = await fuzzer.run({ ...range, first: 0, lies: "all" });
  expect(lying.results).toBeGreaterThan(lying.runs / 5);
  // Programs that go wrong with their own metadata too are what the other test is about.
  for (const failure of lying.failures) {
    const one = { ...range, first: failure.program, programs: 1, lies: "none" } as const;
    const { failures } = await fuzzer.run(one);
    const isKnown = failures.some(({ backend }) => backend === failure.backend);
    expect(isKnown ? "" : failureText(failure)).toBe("");
  }
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
