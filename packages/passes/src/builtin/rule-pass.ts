import { definePass, type Pass } from "../pass/pass.js";
import { rewriteWatched } from "../rewrite/rewrite.js";
import type { Rule } from "../rewrite/rule.js";

/**
 * A pass that applies rules. Rules that fire nowhere because the driver refuses what they give are
 * noted.
 */
export const rulePass = (
  definition: Pick<Pass, "name" | "doc"> & { readonly rules: readonly Rule[] },
): Pass =>
  definePass({
    name: definition.name,
    doc: definition.doc,
    run: (program, { operators, rewrites, note }) => {
      const options = { operators, pass: definition.name, ...rewrites };
      const { program: result, fired, refused } = rewriteWatched(program, definition.rules, options);
      for (const [rule, reason] of refused)
        if (!fired.has(rule)) note?.(`rule ${rule} fires nowhere; it is refused ${reason}`);
      return result;
    },
  });
