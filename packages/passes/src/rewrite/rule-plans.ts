import { labelOf, type RewriteContext } from "./context.js";
import { badRule } from "./errors.js";
import { planRoots, type RootPlan, type Step } from "./roots.js";
import { disconnectedRoots, type Rule } from "./rule.js";

/** A rule with its roots in the order in which they are looked for. */
export interface Plan {
  readonly rule: Rule;
  readonly steps: readonly Step[];
}

const plans = new WeakMap<Rule["roots"], Map<string, RootPlan>>();

/** Returns the order of a rule's roots from one of them, found once. */
function planFrom({ roots }: Rule, start: string): RootPlan {
  const known = plans.get(roots) ?? new Map<string, RootPlan>();
  plans.set(roots, known);
  const plan = known.get(start) ?? planRoots(roots, start);
  known.set(start, plan);
  return plan;
}

/**
 * Returns how rules are found at calls of an operator: from each of its roots a rule can be.
 *
 * @throws SconceError `RULE` when roots share nothing
 */
export function plansByTarget(
  rules: readonly Rule[],
  context: RewriteContext,
): ReadonlyMap<string, readonly Plan[]> {
  const index = new Map<string, Plan[]>();
  for (const rule of rules) {
    for (const [start, { targets }] of rule.roots) {
      const { steps, disconnected } = planFrom(rule, start);
      if (disconnected.length > 0)
        throw badRule(labelOf(rule, context), disconnectedRoots(start, disconnected));
      for (const target of targets) {
        const row = index.get(target);
        if (row === undefined) index.set(target, [{ rule, steps }]);
        else row.push({ rule, steps });
      }
    }
  }
  return index;
}
