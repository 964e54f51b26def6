/**
 * @file `@sconce/testing/fast-check`: random programs. Needs fast-check, an optional peer
 * dependency.
 */
import { checkOptions } from "@sconce/errors";
import type { ExportedProgram } from "@sconce/ir";
import fc from "fast-check";
import { buildProgram } from "./generator/build.js";
import { INPUT_DTYPES, PROGRAM, type ProgramOptions } from "./generator/sample-program.js";
import type { InputRecipe, ProgramRecipe, StepRecipe } from "./generator/step/recipe.js";

export type { ProgramOptions } from "./generator/sample-program.js";

/** Not shrunk: it names a thing rather than measures it. */
const key = fc.noShrink(fc.integer());

const input: fc.Arbitrary<InputRecipe> = fc.record({
  dtype: fc.constantFrom(...INPUT_DTYPES),
  shape: fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 4 }),
  key,
});

const step: fc.Arbitrary<StepRecipe> = fc.record({
  maker: fc.nat(1 << 16),
  choices: fc.array(fc.nat(11), { maxLength: 8, size: "max" }),
  key,
  live: fc.integer({ min: 0, max: 4 }).map((value) => value !== 4),
});

/**
 * Random programs: well typed by the operators' own rules, valid for the verifier, and numerically
 * tame (no overflow, no division by almost nothing, no jump on a rounded value), with `mutations`
 * also with writes to buffers and inputs. They shrink toward fewer calls and smaller sizes, and
 * every step of the way is a valid program.
 */
export function arbitraryProgram(options: ProgramOptions = {}): fc.Arbitrary<ExportedProgram> {
  checkOptions("arbitraryProgram", options, PROGRAM);
  const { maxNodes = 24, dynamic = true, dialect } = options;
  const recipe: fc.Arbitrary<ProgramRecipe> = fc.record({
    dialect: dialect === undefined ? fc.constantFrom("ATEN", "TRAINING") : fc.constant(dialect),
    dynamic: dynamic ? fc.boolean() : fc.constant(false),
    inputs: fc.array(input, { minLength: 1, maxLength: 3 }),
    steps: fc.array(step, { minLength: 1, maxLength: Math.ceil(maxNodes * 1.5), size: "max" }),
    seed: fc.noShrink(fc.nat()),
  });
  return recipe.map((value) => buildProgram(value, { ...options, maxNodes }));
}
