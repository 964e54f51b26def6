/**
 * @file Networks that PyTorch's quantization tools write: texts, lowering, and each integer. A
 * third of them, and all in the longer suites.
 */
import { createSconce } from "@sconce/session";
import { describe, expect, test } from "vitest";
import { sampledEvery } from "../../../.config/sampled.js";
import {
  NAMES,
  RecordedProgram,
  type RunCounts,
  runProblems,
  textProblems,
} from "./quantized-programs.fixture.js";

const sconce = createSconce();
const counts: RunCounts = { integers: 0, floats: 0 };
const every = sampledEvery(3);

describe("programs of integers", () => {
  test.each(NAMES.filter((_, at) => at % every === 0))(
    "%s: texts and integers are PyTorch's",
    async (name) => {
      const recorded = new RecordedProgram(name);
      const program = await sconce.load(recorded.archive);
      const lowered = sconce.runDecompositions(program);
      expect(textProblems(program, lowered, recorded.texts)).toEqual([]);
      for (const [backend, one] of [
        ["cpu", program],
        ["cpu", lowered],
        ["wasm", program],
      ] as const)
        for (const call of recorded.calls)
          expect(await runProblems(one, call, sconce, backend, counts)).toEqual([]);
    },
  );

  test("many were compared", () => {
    expect(NAMES.length).toBe(38);
    if (every === 1) expect(counts).toEqual({ integers: 33_043, floats: 6716 });
    expect(counts.integers).toBeGreaterThan(25_000 / (2 * every));
  });
});
