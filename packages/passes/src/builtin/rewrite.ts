import { ruleNames } from "../options/choices.js";
import { definePass } from "../pass/pass.js";
import { rewriteWatched } from "../rewrite/rewrite.js";
import { unknownRule } from "./errors.js";

/** Applies those of the session's rules that are named. */
export const rewrite = definePass({
  name: "rewrite",
  doc: "Applies the rewrite rules that the option names until none of them fires.",
  options: { rules: { default: [], choices: ruleNames, doc: "names of rules; see `sconce explain`" } },
  run(program, { operators, rules, rewrites, note }, options) {
    const names = options.rules;
    const chosen = names.map((name) => {
      const rule = rules?.get(name);
      if (rule !== undefined) return rule;
      throw unknownRule(name, rules?.keys() ?? []);
    });
    const watching = { operators, pass: "rewrite", ...rewrites };
    const { program: result, fired, refused } = rewriteWatched(program, chosen, watching);
    if (names.length === 0) note?.("rules names no rule, so nothing is rewritten");
    for (const name of new Set(names)) {
      if (fired.has(name)) continue;
      const why = refused.get(name);
      const reason = why === undefined ? "`sconce explain` reports why" : `it is refused ${why}`;
      note?.(`rules names ${name}, which fires nowhere; ${reason}`);
    }
    return result;
  },
});
