/**
 * @file What a rule's own functions may do: answer, refuse with a reason, or fail in the rule's
 * name.
 */
import { isSconceError, SconceError, thrownText } from "@sconce/errors";
import { type Node, nodeWhere } from "@sconce/ir";
import { labelOf, Refusal, type RewriteContext } from "./context.js";
import { ruleThrew } from "./errors.js";
import { describeValue } from "./replacement.js";
import { type Captures, type Match, type Rule, RuleFault } from "./rule.js";

/** What shape rules refuse a call with; such a replacement is none. */
const REFUSALS: ReadonlySet<string> = new Set([
  "SHAPE_MISMATCH",
  "DTYPE_MISMATCH",
  "INVALID_ARGUMENT",
  "DATA_DEPENDENT_GUARD",
]);

/** Runs a rule's own function: refusals of operators are reasons, anything else names the rule. */
export function guarded<T>(rule: Rule, context: RewriteContext, root: Node, run: () => T): T | Refusal {
  try {
    return run();
  } catch (error) {
    if (error instanceof SconceError && REFUSALS.has(error.code))
      return new Refusal("operator", error.message);
    if (isSconceError(error, "TWO_COPIES")) throw error.at(nodeWhere(root));
    const label = labelOf(rule, context);
    const message = thrownText(error);
    const what =
      error instanceof RuleFault
        ? `${label} ${message} (at %${root.name})`
        : `${label} threw at %${root.name}: ${message}`;
    throw ruleThrew(what, nodeWhere(root), rule.name, error);
  }
}

/** Rejects a guard that forgets to answer. @throws RuleFault */
export function verdictOf(rule: Rule, captures: Captures, match: Match): true | Refusal {
  const verdict: unknown = rule.where === undefined ? true : rule.where(captures, match);
  if (verdict === true) return verdict;
  if (typeof verdict === "string") return new Refusal("guard", verdict);
  throw new RuleFault(
    `has a guard that gives ${describeValue(verdict)}; it must give true, or the reason why not`,
  );
}
