/**
 * @file Each built-in rule on 700 generated programs, behind each of which its pattern is
 * planted.
 */
import { createEvaluator } from "@sconce/backend-cpu";
import type { ExportedProgram } from "@sconce/ir";
import { verify } from "@sconce/ir/verify";
import { defaultOperators } from "@sconce/ops";
import {
  builtinRules,
  type Evaluator,
  foldBatchNorm,
  PassManager,
  passCall,
  rulePass,
  sampleInputs,
} from "@sconce/passes";
import { meaningDifference } from "@sconce/testing";
import { arbitraryProgram } from "@sconce/testing/fast-check";
import { describe, expect, test } from "vitest";
import { DrawnPrograms } from "./property/drawn.fixture.js";
import { BATCH_NORMS, EXACT, planted, ROUNDED } from "./property/planted.fixture.js";

const operators = defaultOperators();
const context = { operators, evaluate: createEvaluator({ operators }) as Evaluator };

const rulesOf = (plants: object) => builtinRules.filter(({ name }) => name in plants);

test("every built-in rule has a pattern to plant", () => {
  const plants = { ...EXACT, ...ROUNDED, ...BATCH_NORMS };
  expect(Object.keys(plants).sort()).toEqual(builtinRules.map(({ name }) => name).sort());
});

const programs = new DrawnPrograms(
  arbitraryProgram({ mutations: false, dynamic: false, dialect: "ATEN", maxNodes: 12 }),
);

describe("rules on 700 generated programs", () => {
  const pass = (plants: object) => rulePass({ name: "planted", doc: "The rules.", rules: rulesOf(plants) });
  test.each([
    ["exact", EXACT, pass(EXACT), { rtol: 0, atol: 0 }],
    ["rounded", ROUNDED, pass(ROUNDED), { rtol: 1e-5, atol: 1e-5 }],
    ["batch norms", BATCH_NORMS, foldBatchNorm, { rtol: 1e-4, atol: 1e-4 }],
  ] as const)("%s", async (_, plants, call, tolerance) => {
    const fired = new Map<string, number>();
    const count = (names: Iterable<string>): void => {
      for (const name of names) fired.set(name, (fired.get(name) ?? 0) + 1);
    };
    await programs.assert(async (generated) => {
      const program = planted(generated, plants);
      expect(verify(program, { operators })).toEqual([]);
      const manager = new PassManager(context, {
        verify: true,
        observers: [(step) => count(step.fired.keys())],
      });
      const after: ExportedProgram = manager.run(program, [passCall(call)]);
      const inputs = sampleInputs(program, { count: 1, seed: 1 });
      expect(
        await meaningDifference(after, { of: program, inputs, operators, ...tolerance }),
      ).toBeUndefined();
      // Nothing is left to do, and then the program is the same object.
      expect(manager.run(after, [passCall(call)])).toBe(after);
    });
    const rare = Object.keys(plants).filter((name) => (fired.get(name) ?? 0) < 350);
    expect(rare).toEqual([]);
  });
});
