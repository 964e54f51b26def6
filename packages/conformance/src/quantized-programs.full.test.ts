/**
 * @file Networks that PyTorch's quantization tools write, saved and loaded again, and on gpu.js.
 * SCONCE_SAVED_QUANTIZED names a folder for the saved programs, which
 * `packages/testing/oracle/quantized_programs.py --check` loads in PyTorch.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gpujsBackend } from "@sconce/backend-gpujs";
import { graphText } from "@sconce/ir";
import { createSconce, type ExportedProgram } from "@sconce/session";
import { describe, expect, test } from "vitest";
import { withoutUnusedItems } from "./conformance/canonical-program.js";
import { NAMES, RecordedProgram, runProblems } from "./quantized-programs.fixture.js";

const sconce = createSconce({ backends: [gpujsBackend({ mode: "webasm" })] });
const folder = process.env["SCONCE_SAVED_QUANTIZED"];

async function savedAndLoaded(name: string, program: ExportedProgram): Promise<void> {
  const bytes = await sconce.save(program);
  const loaded = await sconce.load(bytes);
  const graphs = [loaded, program].map(({ graph }) => graphText(withoutUnusedItems(graph)));
  expect(graphs[0]).toBe(graphs[1]);
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.pt2`), bytes);
  writeFileSync(join(folder, `${name}.txt`), String(loaded));
}

describe("programs of integers", () => {
  test.each(NAMES)("%s is saved, and lowered and saved", async (name) => {
    const program = await sconce.load(new RecordedProgram(name).archive);
    await savedAndLoaded(name, program);
    await savedAndLoaded(`${name}.lowered`, sconce.runDecompositions(program));
  });

  test.each(NAMES)("%s: integers are PyTorch's on gpu.js", async (name) => {
    const recorded = new RecordedProgram(name);
    const program = await sconce.load(recorded.archive);
    const counts = { integers: 0, floats: 0 };
    for (const call of recorded.calls)
      expect(await runProblems(program, call, sconce, "gpujs", counts)).toEqual([]);
    expect(counts.integers + counts.floats).toBeGreaterThan(0);
  });
});
