import type { Work } from "@sconce/errors";
import type { ExportedProgram } from "@sconce/ir";
import { definePass, type Pass, type PassContext } from "../pass/pass.js";
import { watchedSteps } from "../rewrite/rewrite.js";
import type { Rule } from "../rewrite/rule.js";

/**
 * Returns a pass that applies rules, which `explain` knows by their names. Rules that fire nowhere
 * because the driver refuses what they give are noted.
 */
export const rulePass = (
  definition: Pick<Pass, "name" | "doc"> & { readonly rules: readonly Rule[] },
): Pass =>
  definePass({
    name: definition.name,
    doc: definition.doc,
    // Rules see types of tensors, and no values.
    readsValues: false,
    rules: definition.rules,
    steps: (program, context) => applied(program, context, definition),
  });

function* applied(
  program: ExportedProgram,
  { operators, rewrites, note }: PassContext,
  { name, rules }: { readonly name: string; readonly rules: readonly Rule[] },
): Work<ExportedProgram> {
  const options = { operators, pass: name, ...rewrites };
  const { program: result, fired, refused } = yield* watchedSteps(program, rules, options);
  for (const [rule, reason] of refused)
    if (!fired.has(rule)) note?.(`rule ${rule} fires nowhere; it is refused ${reason}`);
  return result;
}
