/**
 * @file Each built-in pass on 700 generated programs, with options and programs on which it has
 * something to do.
 */

import { cpuBackend, createEvaluator } from "@sconce/backend-cpu";
import { isSconceError } from "@sconce/errors";
import { type Backend, type ExportedProgram, FakeTensor } from "@sconce/ir";
import { parseIr } from "@sconce/ir/text";
import { verify } from "@sconce/ir/verify";
import { defaultOperators } from "@sconce/ops";
import {
  builtinPasses,
  builtinRules,
  type Evaluator,
  type Pass,
  PassManager,
  type PassOptions,
  passCall,
  runDecompositions,
  sampleInputs,
} from "@sconce/passes";
import { meaningDifference } from "@sconce/testing";
import { arbitraryProgram } from "@sconce/testing/fast-check";
import { expect, test } from "vitest";
import { DrawnPrograms, once } from "./property/drawn.fixture.js";
import { BATCH_NORMS, EXACT, planted } from "./property/planted.fixture.js";

const operators = defaultOperators();
const half: Backend = {
  ...cpuBackend({ operators }),
  name: "half",
  supports: ({ target }) => target.length % 2 === 0 || { reason: "odd" },
};
const context = {
  operators,
  evaluate: createEvaluator({ operators }) as Evaluator,
  rules: new Map(builtinRules.map((rule) => [rule.name, rule])),
  backends: () => new Map([[half.name, half]]),
};

interface Trial {
  readonly program: ExportedProgram;
  readonly options?: PassOptions;
}

const lowered = once(
  (program: ExportedProgram): Trial => ({ program: runDecompositions(program, undefined, { operators }) }),
);
const callsOf = ({ graph }: ExportedProgram): string[] =>
  graph.nodes().flatMap(({ op, name }) => (op === "call_function" ? [name] : []));
const passNamed = (name: string): Pass => builtinPasses.find((pass) => pass.name === name)!;
const isStatic = ({ rangeConstraints }: ExportedProgram): boolean => rangeConstraints.size === 0;
const hasBatch = ({ graph }: ExportedProgram): boolean =>
  graph.placeholders().some(({ meta: { val } }) => val instanceof FakeTensor && !val.shape.every(isNumber));
const isNumber = (size: unknown): boolean => typeof size === "number";
/** Patterns are planted behind programs of fixed sizes. */
const behind = (program: ExportedProgram, plants: Parameters<typeof planted>[1]): ExportedProgram => {
  const low = lowered(program).program;
  return isStatic(low) ? planted(low, plants) : low;
};

/** What each pass is given, by its name. */
const TRIALS: Readonly<Record<string, (program: ExportedProgram) => Trial>> = {
  functionalize: (program) => ({ program }),
  "check-functional": lowered,
  decompose: (program) => ({ program }),
  canonicalize: lowered,
  rewrite: (program) => ({ program: behind(program, EXACT), options: { rules: Object.keys(EXACT) } }),
  "fold-constants": (program) => ({ ...lowered(program), options: { weights: true } }),
  "fold-batch-norm": (program) => ({ program: behind(program, BATCH_NORMS) }),
  cse: lowered,
  // Lowering leaves nothing dead.
  dce: (program) => ({ program }),
  "sink-transposes": lowered,
  "remove-type-promotion": lowered,
  "convert-dtype": lowered,
  "propagate-shapes": (program) => ({
    ...lowered(program),
    options: { sizes: hasBatch(program) ? ["s0=3"] : [] },
  }),
  "move-to-device": (program) => ({ program, options: { to: "cuda:1" } }),
  "strip-metadata": lowered,
  "fuse-regions": lowered,
  partition: (program) => ({ ...lowered(program), options: { backend: "half" } }),
  "extract-submodule": (program) => {
    const { program: low } = lowered(program);
    return { program: low, options: { nodes: callsOf(low).slice(0, 1) } };
  },
  "split-by": (program) => {
    const { program: low } = lowered(program);
    return { program: low, options: { nodes: callsOf(low).filter((_, i) => i % 3 === 0) } };
  },
  "core-aten": (program) => ({ program: isCore(program) ? program : SMALL }),
  "to-edge": (program) => ({ program: isEdge(program) ? inCore(program) : inCore(SMALL) }),
  "inline-submodule": (program) => ({
    program: new PassManager(context).run(lowered(program).program, [passNamed("fuse-regions")]),
  }),
};

/**
 * Not every operator has a decomposition to the core set, nor every core call a form of the edge
 * dialect.
 */
function reaches(program: ExportedProgram, names: readonly string[]): boolean {
  try {
    new PassManager(context).run(program, names.map(passNamed));
    return true;
  } catch (error) {
    const cause = isSconceError(error, "PASS_FAILED") ? error.cause : error;
    if (!isSconceError(cause, "NOT_IN_DIALECT")) throw error;
    return false;
  }
}

const isCore = once((program) => reaches(program, ["core-aten"]));
const isEdge = once((program) => reaches(program, ["core-aten", "to-edge"]));
const inCore = once((program) => new PassManager(context).run(program, [passNamed("core-aten")]));

const SMALL = parseIr(`sconce-ir 1
program "TRAINING" {
  input %x: USER_INPUT
  output %b: USER_OUTPUT
  call "" ((*), {}) -> (*)
}
graph(%x: f32[2, 3]) {
  %a: f32[2, 3] = aten.silu.default(%x)
  %b: f32[2, 3] = aten.add.Tensor(%a, 2)
  return (%b)
}`);

/** A check; what it refuses is not functional. */
const NEVER: ReadonlySet<string> = new Set(["check-functional"]);

test("every built-in pass is tried", () => {
  expect(Object.keys(TRIALS).sort()).toEqual(builtinPasses.map(({ name }) => name).sort());
});

const programs = new DrawnPrograms(arbitraryProgram({ mutations: true, maxNodes: 16 }));

test.each(builtinPasses.map((pass) => [pass.name, pass] as const))("%s", async (name, pass) => {
  let changes = 0;
  const tolerance = pass.changesNumbers === undefined ? {} : { rtol: 1e-4, atol: 1e-4 };
  await programs.assert(async (generated) => {
    const { program, options } = TRIALS[name]!(generated);
    const call = [passCall(pass, options)];
    const manager = new PassManager(context, { verify: true });
    const after = manager.run(program, call);
    if (after === program) return;
    changes++;
    expect(verify(after, { operators })).toEqual([]);
    // Half precision exceeds these tolerances: its changes have their own tests.
    if (typeof pass.changesNumbers === "function") return;
    const inputs = sampleInputs(after, { count: 1, seed: 1 });
    expect(await meaningDifference(after, { of: program, inputs, operators, ...tolerance })).toBeUndefined();
  });
  if (NEVER.has(name)) expect(changes).toBe(0);
  else expect(changes).toBeGreaterThanOrEqual(16);
});
