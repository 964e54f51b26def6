import { SconceError } from "@sconce/errors";
import { definePass } from "../pass.js";
import { rewriteProgram } from "../rewrite/rewrite.js";

/** Applies the session's rules: those of its plugins, or those that are named. */
export const rewrite = definePass({
  name: "rewrite",
  doc: "Applies rewrite rules by name until none of them fires.",
  options: { rules: { default: [], doc: "names of rules; see `sconce explain`" } },
  run(program, { operators, rules, rewrites }, options) {
    const chosen = (options["rules"] as readonly string[]).map((name) => {
      const rule = rules?.get(name);
      if (rule !== undefined) return rule;
      throw new SconceError({
        code: "UNKNOWN_RULE",
        message: `there is no rule "${name}"`,
        fix: `the rules are: ${[...(rules?.keys() ?? [])].join(", ") || "none"}`,
      });
    });
    return rewriteProgram(program, chosen, { operators, pass: "rewrite", ...rewrites });
  },
});
