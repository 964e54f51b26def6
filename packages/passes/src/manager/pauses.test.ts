import { describe, expect, test } from "vitest";
import { dtypeConversion } from "../builtin/convert-dtype.js";
import { builtinPasses } from "../builtin-passes.js";
import { passCall } from "../pass/pass.js";
import { context, programOf } from "../programs.fixture.js";
import { PassManager } from "./pass-manager.js";

const NODES = 3000;
const chain = Array.from(
  { length: NODES },
  (_, i) => `%n${i}: f32[4] = aten.${i % 2 === 0 ? "neg" : "relu"}.default(%${i === 0 ? "x" : `n${i - 1}`})`,
);
const program = programOf(`graph(%x: f32[4]) { ${chain.join("\n")} return (%n${NODES - 1}) }`);
const coreProgram = program.with({ dialect: "CORE_ATEN" });

/**
 * Passes that move or drop what exists, or find nothing to do here; 100,000 nodes take them less
 * than 100 ms.
 */
const WITHOUT_PAUSES: ReadonlySet<string> = new Set([
  "check-functional",
  "extract-submodule",
  "fold-batch-norm",
  "functionalize",
  "inline-submodule",
  "move-to-device",
  "remove-type-promotion",
  "rewrite",
  "split-by",
  "strip-metadata",
]);

/** How often a pipeline of one pass may pause. */
function pausesIn(name: string, verify = false): number {
  const pass = builtinPasses.find((one) => one.name === name)!;
  const backends = (): ReadonlyMap<string, never> =>
    new Map([["cpu", { name: "cpu", supports: () => true } as never]]);
  const manager = new PassManager({ ...context, backends }, { verify, record: false });
  const work = manager.steps(pass.requires === "CORE_ATEN" ? coreProgram : program, [passCall(pass)]);
  let pauses = 0;
  while (!work.next().done) pauses++;
  return pauses;
}

describe("a built-in pass may pause within a large program", () => {
  const names = builtinPasses.map(({ name }) => name);

  test.each(names.filter((name) => !WITHOUT_PAUSES.has(name)))("%s", (name) => {
    expect(pausesIn(name)).toBeGreaterThan(NODES / 500);
  });

  test("those without pauses are known", () => {
    for (const name of WITHOUT_PAUSES) {
      expect(names).toContain(name);
      expect(pausesIn(name), name).toBeLessThanOrEqual(NODES / 500);
    }
  });
});

test("the verifier may pause too", () => {
  const { name } = dtypeConversion;
  // Parts, nodes and calls are checked, before and after the pass.
  expect(pausesIn(name, true) - pausesIn(name)).toBeGreaterThan((6 * NODES) / 500);
});
