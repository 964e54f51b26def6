import type { Work } from "@sconce/errors";
import type { ExportedProgram } from "@sconce/ir";
import type { DType } from "@sconce/tensor";
import { requireFunctional } from "../analysis/require-functional.js";
import { noteUncalled } from "../pass/notes.js";
import { definePass, type PassContext } from "../pass/pass.js";
import { conversionSteps } from "../precision/convert-dtype.js";
import { keepChoices, keepOf } from "../precision/keep.js";

const NAME = "convert-dtype";
const HALVES = ["bfloat16", "float16"] as const satisfies readonly DType[];

/** A float32 program becomes one of half-precision floats, weights included. */
export const dtypeConversion = definePass({
  name: NAME,
  doc: "Computes in float16 or bfloat16 what was float32. Converts weights and constants.",
  requires: "ATEN",
  changesNumbers: ({ to }) => to as DType,
  options: {
    to: { default: "bfloat16", choices: HALVES, doc: "the dtype to compute in" },
    keep: {
      default: [],
      choices: keepChoices,
      doc: "operators, calls and module paths that go on in float32; `*` represents any letters",
    },
    io: { default: false, doc: "convert inputs, outputs and written state too, in place of casts" },
  },
  steps: converted,
});

function* converted(
  program: ExportedProgram,
  context: PassContext,
  options: { readonly to: string; readonly keep: readonly string[]; readonly io: boolean },
): Work<ExportedProgram> {
  const { operators } = context;
  const entries = options.keep;
  requireFunctional(program, operators, NAME);
  yield;
  const keep = keepOf(entries, program, operators);
  const named = entries.filter((entry) => operators.schemaOf(entry) !== undefined);
  noteUncalled(context, "keep", named, [program.graph]);
  const to = options.to as (typeof HALVES)[number];
  return yield* conversionSteps(program, operators, { to, keep, io: options.io, note: context.note });
}
