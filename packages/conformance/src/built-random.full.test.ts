/**
 * @file Random programs as modules: the results of kernels of WebAssembly have the bits of the
 * backend `wasm`, those of JavaScript are close to the interpreter's.
 */
import { sampleInputs } from "@sconce/passes";
import { sampleProgram } from "@sconce/testing";
import { expect, test } from "vitest";
import { compareBuilt, compareScript } from "./built-programs.fixture.js";

const FIRST = Number(process.env["FIRST_SEED"] ?? 1);
const SEEDS = 240;

test("random programs as modules", async () => {
  let built = 0;
  for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
    const program = sampleProgram(seed, { maxNodes: 10 });
    const inputs = sampleInputs(program, { seed, count: 3 });
    const { refused, differences } = await compareBuilt(program, inputs);
    expect(differences, `seed ${seed}`).toEqual([]);
    if (refused === undefined) built++;
  }
  expect(built).toBeGreaterThan(SEEDS / 2);
}, 200_000);

test("random programs as modules with kernels in JavaScript", async () => {
  const rule = { tolerance: { rtol: 1e-4, atol: 1e-5 }, compare_values: true };
  let built = 0;
  for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
    const program = sampleProgram(seed, { maxNodes: 10 });
    const { refused, differences } = await compareScript(
      program,
      sampleInputs(program, { seed, count: 3 }),
      rule,
    );
    expect(differences, `seed ${seed}`).toEqual([]);
    if (refused === undefined) built++;
  }
  expect(built).toBeGreaterThan(SEEDS / 2);
}, 200_000);
