import type { Work } from "@sconce/errors";
import type { ExportedProgram } from "@sconce/ir";
import { definePass, type PassContext } from "../pass/pass.js";
import { rewriteSteps } from "../rewrite/rewrite.js";
import { approximateRules } from "./rules/approximate.js";
import { identityRules } from "./rules/identities.js";
import { viewRules } from "./rules/views.js";

/** `mul(x, 1)` becomes `x`, `permute(permute(x))` one permutation, and so on. */
export const canonicalize = definePass({
  name: "canonicalize",
  doc: "Applies algebraic identities that keep every bit, and joins views of views.",
  options: {
    approximate: {
      default: false,
      doc: "also identities that hold up to rounding, NaN, infinities or the sign of zero",
    },
  },
  steps: canonical,
});

function canonical(
  program: ExportedProgram,
  { operators, rewrites }: PassContext,
  { approximate }: { readonly approximate: boolean },
): Work<ExportedProgram> {
  const rules = [...identityRules, ...viewRules, ...(approximate ? approximateRules : [])];
  return rewriteSteps(program, rules, { operators, pass: "canonicalize", ...rewrites });
}
