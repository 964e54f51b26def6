/** @file Random nestings of control flow, run: as programs, lowered, and at once. */
import { gpujsBackend } from "@sconce/backend-gpujs";
import { runDecompositions } from "@sconce/passes";
import { createSconce } from "@sconce/session";
import { expect, test } from "vitest";
import {
  exportFlow,
  type Fingerprint,
  type FlowCase,
  fingerprints,
  flowArguments,
  flowCases,
  flowModule,
} from "./nested-flow.fixture.js";

const exported = flowCases().flatMap((entry, at) =>
  entry.result.results === undefined ? [] : [{ entry, at, results: entry.result.results }],
);

/** Cases whose loop carries one tensor twice, which PyTorch refuses to lower. */
const NOT_LOWERED = new Set([6, 33]);

/** Whether a number is near the recorded one. The file has null for NaN and infinities. */
const isClose = (a: unknown, b: unknown): boolean => {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((x, i) => isClose(x, b[i]));
  if (a === null) return typeof b === "number" && !Number.isFinite(b);
  if (typeof b !== "number" || !Number.isFinite(b)) return a === b;
  return typeof a === "number" && Math.abs(a - b) <= 2e-3 * Math.max(1, Math.abs(a));
};

/** What differs in the three calls of each case. */
function differences(runs: (entry: FlowCase) => (...args: never[]) => unknown): unknown[] {
  return exported.flatMap(({ entry, at, results }) => {
    const run = runs(entry);
    return results.flatMap((wanted, call) => {
      if (typeof wanted === "string") return [];
      const got: Fingerprint[] = fingerprints(run(...(flowArguments(entry, call) as never[])));
      return isClose(wanted, got) ? [] : [[at, call, wanted, got]];
    });
  });
}

test("modules give PyTorch's numbers", () => {
  expect(differences((entry) => flowModule(entry) as never)).toEqual([]);
});

test("programs give PyTorch's numbers", () => {
  expect(differences((entry) => exportFlow(entry).module() as never)).toEqual([]);
});

test("programs that are exported again give PyTorch's numbers", () => {
  const again = (entry: FlowCase): ((...args: never[]) => unknown) =>
    exportFlow(entry, exportFlow(entry).module()).module() as never;
  expect(differences(again)).toEqual([]);
});

test("programs give PyTorch's numbers on gpu.js, as exported and lowered", async () => {
  const sconce = createSconce({ backends: [gpujsBackend({ mode: "cpu" })] });
  const wrong: unknown[] = [];
  for (const { entry, at, results } of exported) {
    const [wanted] = results;
    if (wanted === undefined || typeof wanted === "string") continue;
    const program = exportFlow(entry);
    for (const one of NOT_LOWERED.has(at) ? [program] : [program, runDecompositions(program)]) {
      const module = await sconce.module(one, { backend: "gpujs" });
      const got = fingerprints(await module.call(flowArguments(entry, 0)));
      if (!isClose(wanted, got)) wrong.push([at, wanted, got]);
    }
  }
  expect(wrong).toEqual([]);
});

test("lowered programs give PyTorch's numbers", () => {
  const refused = exported.filter(({ at }) => NOT_LOWERED.has(at)).map(({ entry }) => entry);
  const lowered = (entry: FlowCase): ((...args: never[]) => unknown) => {
    const program = exportFlow(entry);
    if (!refused.includes(entry)) return runDecompositions(program).module() as never;
    expect(() => runDecompositions(program)).toThrow(
      expect.objectContaining({ code: "CONTROL_FLOW_ALIASING" }),
    );
    return program.module() as never;
  };
  expect(differences(lowered)).toEqual([]);
});
